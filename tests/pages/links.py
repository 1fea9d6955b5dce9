"""Every link in the given pages leads to a file or a heading that is there: links.py PAGE..."""

import pathlib
import re
import sys


def headings(page):
    """The anchors of a page, as they are made of its headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\]\(.*?\)", "", title)).strip().lower().replace(" ", "-") for title in titles}


def lost(page):
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http:", "https:")):
            continue
        path, _, anchor = target.partition("#")
        to = (page.parent / path) if path else page
        if not to.exists():
            yield f"{page}: there is no {target}"
        elif anchor and to.suffix == ".md" and anchor not in headings(to):
            yield f"{page}: no heading is {target}"


found = [message for page in sys.argv[1:] for message in lost(pathlib.Path(page))]
print("\n".join(found))
sys.exit(bool(found))
