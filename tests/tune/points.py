"""What the points of a search are to be: points.py FILE all | N | STATE N."""
import json
import sys

found = json.load(open(sys.argv[1]))
points = found["points"]
if sys.argv[2] == "all":
    assert len(points) > 2, "few points"
    for p in points:
        assert p["state"] == "ok", p
    assert points[found["best"]]["cost"] == min(p["cost"] for p in points)
elif sys.argv[2].isdigit():
    assert len(points) == int(sys.argv[2]), len(points)
    assert len({json.dumps(p["values"]) for p in points}) == len(points), "a setting was tried twice"
else:
    some = [p for p in points if p["state"] == sys.argv[2]]
    assert len(some) == int(sys.argv[3]), points
    assert all(p["why"] for p in some)
    assert points[found["best"]]["state"] == "ok"
