"""Files of tuned numbers whose checksum is right and whose contents are not: forge.py GOOD PREFIX."""
import json
import sys
import zlib

good = json.loads(open(sys.argv[1]).read().split("\n", 1)[1])


def changed(**what):
    return [dict(good[0], **what)]


bodies = [json.dumps(x) for x in (
    {}, 7, [7], [None, [], {}], changed(tuning=None), changed(tuning=7), changed(tuning="rows"), changed(tuning="rows=99999999999"),
    changed(tuning="=,=,,"), changed(tuning="Nobody=3"), changed(tuning="BlockSize=0"), changed(tuning="x" * 100000),
    changed(device=7), changed(program=None))]
bodies += ["", "[", "[" * 100000, "\x00" * 10]
for i, body in enumerate(bodies):
    raw = body.encode()
    open(f"{sys.argv[2]}.{i}", "wb").write(b"fcl tuned 1 %08x\n" % zlib.crc32(raw) + raw)
