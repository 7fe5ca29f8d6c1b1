"""The sources keep to docs/names.md: its tables are what is checked.

    python3 names_test.py ROOT

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

TYPE = re.compile(r"^\s*(?:struct|class)\s+(?:DLC_API\s+)?(\w+)\b[^;]*$", re.MULTILINE)
COMMENT = re.compile(r"^\s*//[/!]?<? ?(.*)$")
LOOSE = re.compile(r"(Of|Those|Likewise)\b")


def rows(page, title):
    """The cells of the section's table."""
    table = page.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")][2:]


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


def without_strings(line):
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', line)


def problems(name, text, types, banned):
    """What is wrong with the file `name`, as (line, sentence)."""
    for match in TYPE.finditer(text):
        if match[1] in types and name not in types[match[1]]:
            yield text.count("\n", 0, match.start(1)) + 1, f"the type {match[1]} says too little; name what it is"
    inside = False  # of a comment of several lines
    for number, line in enumerate(text.splitlines(), 1):
        if name.startswith(("compiler/", "dialects/")):
            for word in banned.keys() & set(re.findall(r"\w+", without_strings(line))):
                yield number, f"{word} is called {banned[word]}"
        comment = COMMENT.match(line)
        if comment and not inside and LOOSE.match(comment[1]):
            yield number, f"a comment begins with '{comment[1].split()[0]}': say what it is about"
        inside = bool(comment) and not comment[1].startswith("@")  # @{ and @} stand alone


def self_test(types, banned):
    """Each kind of problem is found, and nothing else."""
    text = ("struct Place;\nstruct Place {\n/// Of a tile.\n  int row;\n};\n// A sentence that goes\n// Of course on.\n"
            "bool mustMeet();\nlog(\"mustMeet\");\nclass MyPlace {\n///@}\n/// Likewise.\n")
    found = [line for line, _ in problems("compiler/a.h", text, types, banned)]
    assert sorted(found) == [2, 3, 8, 12], found
    assert not list(problems("runtime/a.h", "bool mustMeet();\n", types, banned))
    allowed = next(name for name, files in types.items() if files)
    assert not list(problems(types[allowed][0], f"struct {allowed} {{\n", types, banned))


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs/names.md").read_text()
    types = {name: quoted(row[1]) for row in rows(page, "Types") for name in quoted(row[0])}
    banned = {name: row[0] for row in rows(page, "Words of the field") for name in quoted(row[2])}
    self_test(types, banned)
    found = []
    for folder in ("compiler", "dialects", "frontends", "runtime", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp", ".inc"):
                name = str(path.relative_to(root))
                found += [f"{name}:{line}: {what}" for line, what in problems(name, path.read_text(), types, banned)]
    for files in types.values():
        found += [f"docs/names.md: {file} does not exist" for file in files if not (root / file).exists()]
    if found:
        sys.exit("\n".join(found) + "\ndocs/names.md has the rules")
    print(f"{len(types)} names of types and {len(banned)} other names are not used")


if __name__ == "__main__":
    main()
