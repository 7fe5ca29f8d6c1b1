"""A page of dlc report is whole and harmless, and what it draws fits.

usage: check_page.py PAGE MANIFEST [TEXT...]

All elements are closed in order, nothing on the page is fetched or run, all rectangles lie inside of their pictures, and
each TEXT is shown. In the manifest, values that are in memory at the same time lie apart, but for one that a launch
writes where it reads another for the last time.
"""
import html.parser
import json
import sys

VOID = {"br", "meta", "link", "rect", "path", "circle"}  # of these SVG's are closed by />


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.shown, self.problems, self.pictures, self.box = [], "", [], 0, None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("script", "iframe", "img", "object", "embed", "form", "base"):
            self.problems.append(f"<{tag}>")
        for name, value in attributes.items():
            if name.startswith("on") or (name in ("src", "href", "xlink:href") and not value.startswith(("#", "data:"))):
                self.problems.append(f'{name}="{value}"')
        if tag == "svg":
            self.pictures += 1
            self.box = [float(number) for number in attributes["viewbox"].split()]
        if tag == "rect":
            x, y, width, height = (float(attributes[key]) for key in ("x", "y", "width", "height"))
            if not (-1 <= x and x + width <= self.box[2] + 1 and -1 <= y and y + height <= self.box[3] + 1):
                self.problems.append(f"a rectangle outside of its picture: {attributes}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        self.shown += data


def overlaps(function):
    def isApart(a, b):
        apart_in_time = a["last"] < b["first"] or b["last"] < a["first"]
        apart_in_memory = a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"]
        return apart_in_time or apart_in_memory or a["last"] == b["first"] or b["last"] == a["first"]

    values = function.get("values", [])
    return [(a, b) for i, a in enumerate(values) for b in values[:i] if not isApart(a, b)]


page = Page()
text = open(sys.argv[1], encoding="utf-8").read()
page.feed(text)
manifest = json.load(open(sys.argv[2]))
problems = page.problems + [f"<{tag}> is not closed" for tag in page.open]
problems += [f"'{wanted}' is not shown" for wanted in sys.argv[3:] if wanted not in page.shown]
for target in manifest.get("targets", [manifest]):
    for function in target["functions"]:
        problems += [f"{function['name']}: {a} and {b} overlap" for a, b in overlaps(function)]
        for value in function.get("values", []):
            if value["offset"] + value["bytes"] > target["memory"]["arena_bytes"]:
                problems.append(f"{function['name']}: {value} reaches behind the arena")
if "default-src 'none'" not in text:
    problems.append("no policy")
print(f"{page.pictures} pictures")
sys.exit("\n".join(problems) or 0)
