#!/usr/bin/env python3
"""Builds the site of the documentation and looks at every page of it: links and anchors lead somewhere, each page of docs/
is reached from the others, nothing comes from another host, pages are light. With a browser, the search finds a page, opened
from the disk.

usage: site_test.py MKDOCS FOLDER [CHROMIUM]      the site stays in FOLDER/site, pictures in FOLDER

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE_LIMIT = 2 << 20   # bytes of a page with its scripts, styles and pictures
ENTRIES = ["I have a PyTorch model", "I write C++", "I ship to a device", "I work on the compiler"]
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(html.parser.HTMLParser):
    """What a page loads, where it links to, the anchors that it has."""

    def __init__(self, path):
        super().__init__()
        self.path, self.loads, self.links, self.anchors, self.text = path, [], [], {""}, []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        elif tag in LOADED and attributes.get(LOADED[tag]) and attributes.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(attributes[LOADED[tag]])

    def handle_data(self, data):
        self.text.append(data)

    def target(self, address):
        """The file that an address of this page means, and the anchor in it."""
        path, _, anchor = address.partition("#")
        path = urllib.parse.unquote(path.partition("?")[0])
        return (self.path.parent / path).resolve() if path else self.path, urllib.parse.unquote(anchor)


def problems(site):
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if "api" not in path.relative_to(site).parts[:1]}
    reached, waiting = set(), [site / "index.html"]
    while waiting:
        path = waiting.pop()
        if path not in pages or path in reached:
            continue
        reached.add(path)
        waiting += [pages[path].target(link)[0] for link in pages[path].links if "://" not in link]
    for path, page in pages.items():
        name = path.relative_to(site)
        if name.name == "404.html":
            continue
        if path not in reached:
            yield f"{name}: no page leads to it"
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            target, anchor = page.target(link)
            if not target.exists():
                yield f"{name}: links to {link}, which does not exist"
            elif target in pages and anchor not in pages[target].anchors:
                yield f"{name}: links to {link}, but there is no such place"
        weight = path.stat().st_size
        for address in page.loads:
            if re.match(r"(https?:)?//", address):
                yield f"{name}: loads {address} from another host"
            elif not address.startswith("data:"):
                target, _ = page.target(address)
                if target.is_file():
                    weight += target.stat().st_size
                else:
                    yield f"{name}: loads {address}, which does not exist"
        if weight > PAGE_LIMIT:
            yield f"{name}: {weight} bytes with all that it loads, expected at most {PAGE_LIMIT}"
        if re.search(r"<!-- *(run|not run|hidden|file|append|output)", path.read_text()):
            yield f"{name}: has a comment for the test of blocks"
    yield from problems_of_drawing()
    yield from problems_of_plots(pages[site / "performance.html"])
    yield from problems_of_home(pages[site / "index.html"])
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]:
        if not any(any(title_of(path) in text for text in page.text) for page in pages.values()):
            yield f"{path.relative_to(ROOT)}: no page of the site has its title"


def problems_of_home(home):
    text = " ".join(" ".join(home.text).split())
    for entry in ENTRIES:
        if text.count(entry) < 2: # in the menu and on the page
            yield f"index.html: '{entry}' is not there twice"


def problems_of_plots(page):
    """One for each table of ratios, with a bar for each of its rows."""
    text = (ROOT / "docs" / "performance.md").read_text()
    tables = re.findall(r"^\|.*\| ratio(?: to the faster)? \|.*\n\|[-|]*\n((?:\|.*\n)*)", text, re.M)
    pictures = re.findall(r'<svg class="plot".*?</svg>', page.path.read_text(), re.S)
    bars = [picture.count("<rect") for picture in pictures]
    if not tables or bars != [table.count("\n") for table in tables]:
        yield f"performance.html: bars in its pictures: {bars}, rows of its tables: {[table.count(chr(10)) for table in tables]}"


def problems_of_drawing():
    """The drawing of the stages has those of the page's table; the last row are kinds of files."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| ([\w, ]+) \|", text[text.index("| stage | folder"):].split("\n\n")[0], re.M)
    stages = [re.match(r"\w+", row)[0] for row in rows[1:]]
    drawn = re.findall(r'class="name"[^>]*>(\w+)<', (ROOT / "docs" / "images" / "stages.svg").read_text())
    if len(stages) < 10 or drawn[:len(stages)] != stages:
        yield f"docs/images/stages.svg has {drawn}, expected {stages} of docs/architecture.md"


def title_of(page):
    """Up to the first mark: text is in several pieces after it."""
    return re.search(r"^# ([^`*\[&\n]*)", page.read_text(), re.M)[1]


def browse(chromium, address, *arguments):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                               "--virtual-time-budget=20000", *arguments, address], capture_output=True, text=True, timeout=200)


def problems_in_browser(site, chromium, folder):
    for query, expected in {"DLC_BUSY": "serving.html", "checkpoint": "checkpoints.html"}.items():
        page = browse(chromium, f"file://{site}/examples/mlp/index.html?q={query}", "--dump-dom").stdout
        found = re.findall(r'<a href="([^"]*)"[^>]*class="md-search-result__link"', page)
        if not any(expected in link for link in found):
            yield f"a search for {query} finds {found}, expected {expected} among them"
    for name, size in {"wide": "1280,900", "narrow": "420,900"}.items():
        picture = folder / f"{name}.png"
        picture.unlink(missing_ok=True)
        browse(chromium, f"file://{site}/index.html", f"--window-size={size}", f"--screenshot={picture}")
        if not picture.is_file() or picture.stat().st_size < 10000:
            yield f"there is no picture {picture}"


def main():
    mkdocs, folder, *rest = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    site = folder / "site"
    if subprocess.run([sys.executable, ROOT / "docs" / "site" / "build.py", mkdocs, site]).returncode:
        return 1
    found = list(problems(site))
    for chromium in rest:
        found += problems_in_browser(site, chromium, folder)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
