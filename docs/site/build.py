#!/usr/bin/env python3
"""Makes a site of the documentation, for a browser: with four entries, a search, and no need of a network.

usage: build.py MKDOCS OUTPUT [--work FOLDER] [--api FOLDER]

MKDOCS is the program; its theme "material" must be installed (Debian: mkdocs-material). OUTPUT is made anew. --api has
the reference of the headers that Doxygen has written.

The pages of docs/ link to each other, to programs and to headers as they lie in the repository. They are copied to
FOLDER with links to where they are in the site; a program or a header becomes a page with its text, and a folder
without a page of its own becomes a list of its files.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from plots import with_plots

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^ *(```|~~~)")
LANGUAGES = {".c": "c", ".h": "c", ".cpp": "cpp", ".cu": "cpp", ".py": "python", ".json": "json", ".sh": "sh", ".txt": "cmake",
             "": "text"}
INTRODUCTION = 2000  # letters of a page before its first section
HEADERS = "runtime/include/dlc/*.h"


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.staged = {}  # path in the repository: path in the site
        self.waiting = []

    def place(self, path):
        """Where a file or folder of the repository is in the site; what is asked for will be there."""
        if path not in self.staged:
            self.staged[path] = self.place_of_new(path)
            self.waiting.append(path)
        return self.staged[path]

    def place_of_new(self, path):
        name = path.as_posix()
        if name == "README.md":
            return "overview.md"
        if name == "docs/site/home.md":
            return "index.md"
        if (ROOT / path).is_dir():
            if (ROOT / path / "README.md").is_file():
                return self.place(path / "README.md")
            return f"{name.removeprefix('docs/')}/index.md"
        if path.suffix == ".md":
            return re.sub(r"(^|/)README\.md$", r"\1index.md", name.removeprefix("docs/"))
        if path.suffix in LANGUAGES:
            return f"sources/{name}.md"
        return f"sources/{name}"

    def copy_all(self):
        while self.waiting:
            path = self.waiting.pop()
            target = self.folder / self.staged[path]
            target.parent.mkdir(parents=True, exist_ok=True)
            source = ROOT / path
            if source.is_dir():
                if not (source / "README.md").is_file():
                    target.write_text(self.page_of_folder(path))
            elif path.suffix == ".md":
                target.write_text(self.page(path))
            elif path.suffix in LANGUAGES:
                target.write_text(page_of_source(path))
            else:
                shutil.copyfile(source, target)

    def page_of_folder(self, path):
        pages = sorted((ROOT / path).glob("*.md"))
        lines = [f"- [{title_of(page)}]({self.link(path / 'index.md', page.relative_to(ROOT))})" for page in pages]
        return f"# {path.name.capitalize()}\n\n" + "\n".join(lines) + "\n"

    def link(self, page, target):
        begin = pathlib.PurePosixPath(self.staged.get(page) or self.place_of_new(page)).parent
        return os.path.relpath(self.place(target), begin)

    def page(self, path):
        text = "\n".join(for_site(visible_lines((ROOT / path).read_text())))
        text = with_plots(text)
        return outside_of_code(text, lambda piece: LINK.sub(lambda found: self.changed(path, found), piece)) + "\n"

    def changed(self, page, found):
        address, _, anchor = found[2].partition("#")
        if "://" in address or not address or address.startswith("mailto:"):
            return found[0]
        target = pathlib.Path(os.path.normpath(page.parent / address))
        if not (ROOT / target).exists():
            sys.exit(f"{page}: links to {address}, which does not exist")
        return f"{found[1]}{self.link(page, target)}{'#' + anchor if anchor else ''}{found[3]}"


def title_of(page):
    return re.search(r"^# (.*)$", page.read_text(), re.M)[1]


def page_of_source(path):
    text = (ROOT / path).read_text().rstrip("\n")
    fence = "`" * max(4, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"# {path.name}\n\n`{path.as_posix()}`\n\n{fence}{LANGUAGES[path.suffix]}\n{text}\n{fence}\n"


def visible_lines(text):
    """Without the comments that say how blocks are tested."""
    in_code = in_comment = False
    for line in text.splitlines():
        if not in_comment and FENCE.match(line):
            in_code = not in_code
        if not in_code and not in_comment and line.lstrip().startswith("<!--"):
            in_comment = True
        if not in_comment:
            yield line
        if in_comment and "-->" in line:
            in_comment = False


def for_site(lines):
    """GitHub begins a list without an empty line before it; the site's Markdown does not."""
    in_code, before = False, ""
    for line in lines:
        if FENCE.match(line):
            in_code = not in_code
        begins = not in_code and re.match(r"([-*]|\d+\.) ", line)
        if begins and before.strip() and not re.match(r"([-*]|\d+\.|  ) ?", before):
            yield ""
        yield line
        before = line


def outside_of_code(text, change):
    pieces, in_code = [], False
    for line in text.splitlines():
        if FENCE.match(line):
            in_code = not in_code
            pieces.append(line)
        else:
            pieces.append(line if in_code else change(line))
    return "\n".join(pieces)


def configuration(site, work, output, api):
    text = (HERE / "mkdocs.yml").read_text().replace("custom_dir: overrides", f"custom_dir: {HERE / 'overrides'}")
    listed = set(re.findall(r"([\w./-]+\.md)$", text, re.M))
    more = sorted(place for path, place in site.staged.items()
                  if path.suffix == ".md" and path.parts[0] == "docs" and place not in listed)
    if more: # a new page is found before it has a place of its own
        text += "  - More:\n" + "".join(f"    - {place}\n" for place in more)
    if api:
        text += "  - Reference by Doxygen: reference.md\n"
        (site.folder / "reference.md").write_text(
            '# The C and C++ headers\n\n<a href="api/index.html">The reference</a> that Doxygen makes of the public headers.\n')
    file = work / "mkdocs.yml"
    file.write_text(f"{text}docs_dir: {site.folder}\nsite_dir: {output}\n")
    return file


def write_search(output):
    """The index as a script, which also a page from the disk may load; texts of programs are not searched. A page's own entry
    has all of its text, which the entries of its sections have as well: what stands before these is enough."""
    source = output / "search" / "search_index.json"
    index = json.loads(source.read_text())
    index["docs"] = [entry for entry in index["docs"] if not entry["location"].startswith("sources/")]
    for entry in index["docs"]:
        if "#" not in entry["location"]:
            entry["text"] = entry["text"][:INTRODUCTION]
    text = json.dumps(index, separators=(",", ":"), ensure_ascii=False)
    (output / "search" / "search_index.js").write_text(f"var __search = {{index: Promise.resolve({text})}};\n")
    source.unlink()
    shutil.copyfile(HERE / "frame_worker.js", output / "search" / "frame_worker.js")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mkdocs")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--api", type=pathlib.Path)
    arguments = parser.parse_args()
    output = arguments.output.resolve()
    work = (arguments.work or output.with_name(output.name + "-pages")).resolve()
    shutil.rmtree(work, ignore_errors=True)
    pages = work / "pages"
    pages.mkdir(parents=True)
    site = Site(pages)
    site.place(pathlib.Path("README.md"))
    for page in [*sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob(HEADERS))]:
        site.place(page.relative_to(ROOT))
    site.copy_all()
    shutil.copyfile(HERE / "site.css", pages / "site.css")
    api = arguments.api if arguments.api and arguments.api.is_dir() else None
    file = configuration(site, work, output, api)
    done = subprocess.run([arguments.mkdocs, "build", "--strict", "--clean", "--quiet", "--config-file", str(file)],
                          stderr=subprocess.PIPE, text=True)
    sys.stderr.write(done.stderr)
    if "Unrecognised theme name" in done.stderr:
        print("skipped: mkdocs has no theme material (Debian: mkdocs-material)")
    if done.returncode:
        return done.returncode
    write_search(output)
    for name in "sitemap.xml", "sitemap.xml.gz": # of addresses that nobody knows here
        (output / name).unlink(missing_ok=True)
    if api:
        shutil.copytree(api, output / "api")
    print(f"{output / 'index.html'}: {sum(1 for _ in output.rglob('*.html'))} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
