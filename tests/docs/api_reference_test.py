#!/usr/bin/env python3
"""Makes the reference of the public headers with Doxygen, and finds names that say nothing of themselves.

usage: api_reference_test.py DOXYGEN DOXYFILE OUTPUT

The reference is made in the folder OUTPUT, which is made anew, and not where `ninja docs` makes it: that may run meanwhile.

Classes, functions, members, constants, types and macros of the C++ headers need a comment; in C headers one comment stands
above several functions. Constructors and assignments need none, as their class has one, and functions that override others
have those of the others. The classes that macros make must be there, too.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]


def has_text(element):
    return any("".join(part.itertext()).strip() for part in element if part.tag in ("briefdescription", "detaileddescription"))


def is_c(file):
    return (ROOT / "runtime/include" / file).exists() and file.endswith(".h") or file == "dlc/compiler.h"


def problems(folder):
    classes = set()
    made = (ROOT / "docs/Doxyfile.in").read_text().partition("EXPAND_AS_DEFINED =")[2].split("\n")[0].split()
    for path in sorted(pathlib.Path(folder).glob("*.xml")):
        for compound in xml.parse(path).getroot().iter("compounddef"):
            name = compound.findtext("compoundname")
            if compound.get("prot") == "private" or "detail" in name.split("::"):
                continue
            if compound.get("kind") in ("class", "struct"):
                classes.add(name.split("::")[-1].split("<")[0])
                if not has_text(compound) and not is_c(compound.find("location").get("file")):
                    yield f"{compound.find('location').get('file')}: the class {name} has no comment"
            for member in compound.iter("memberdef"):
                own = member.findtext("name")
                is_made = own.lstrip("~") == name.split("::")[-1].split("<")[0]  # a constructor, or a destructor
                place = member.find("location")
                if (member.get("prot") == "public" and not is_made and own not in (*made, "operator=")
                        and "detail" not in own.split("::") and not is_c(place.get("file")) and member.find("reimplements") is None and not has_text(member)):
                    yield f"{place.get('file')}:{place.get('line')}: {own} of {name} has no comment"
    classes_of_macros = re.findall(r"^DLC_[A-Z]+\(([A-Z]\w+), ", "\n".join(
        path.read_text() for path in (ROOT / "frontends/cpp/include/dlc/nn").glob("*.h")), re.MULTILINE)
    for name in sorted(set(classes_of_macros) - classes):
        yield f"the class {name}, which a macro makes, is not in the reference: add the macro to docs/Doxyfile.in"
    if len(classes_of_macros) < 70:
        yield f"expected the classes of the headers' macros, found {len(classes_of_macros)}"


def main(doxygen, doxyfile, output):
    shutil.rmtree(output, ignore_errors=True)
    pathlib.Path(output).mkdir(parents=True)
    settings = pathlib.Path(doxyfile).read_text() + f"OUTPUT_DIRECTORY = {output}\n"
    subprocess.run([doxygen, "-"], input=settings, text=True, check=True)
    found = list(problems(pathlib.Path(output) / "xml"))
    print("\n".join(found) or "each name has a comment")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
