# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/modules.md has every module of torch.nn (torch_modules.txt), and says of no other than those that the headers
have and that are compared with PyTorch that they are there. Python's standard library."""
import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parents[2]
#: Modules whose numbers no case compares, and what does.
ELSEWHERE = {"Module": "tests/cpp/module_test.cpp", "ModuleDict": "tests/cpp/error_test.cpp", "ModuleList": "tests/cpp/error_test.cpp"}


def main():
    rows = {}
    for line in (ROOT / "docs" / "modules.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 5 and re.fullmatch(r"`\w+`(, `\w+`)*", cells[1]):
            for name in re.findall(r"`(\w+)`", cells[1]):
                if name in rows:
                    sys.exit(f"docs/modules.md: two rows have {name}")
                rows[name] = cells[2]
    known = set((FOLDER / "torch_modules.txt").read_text().split())
    problems = [f"docs/modules.md has no row of {name}" for name in sorted(known - set(rows))]
    problems += [f"docs/modules.md: torch.nn has no module {name}" for name in sorted(set(rows) - known)]
    headers = "\n".join(path.read_text() for path in (ROOT / "frontends/cpp/include/dlc").rglob("*.h"))
    keys = "\n".join(key for path in FOLDER.glob("*.json") for key in json.loads(path.read_text()))
    for name, answer in rows.items():
        declared = re.search(rf"^(class|struct) (DLC_API )?{name} |^(DLC_\w+|template.*class)\({name},|^template .* class {name} ",
                             headers, re.M)
        if answer not in ("yes", "no"):
            problems.append(f"docs/modules.md: {name}: expected yes or no, got '{answer}'")
        elif bool(declared) != (answer == "yes"):
            problems.append(f"docs/modules.md says {answer} of {name}, the headers say otherwise")
        elif answer == "yes" and name in ELSEWHERE and not re.search(rf"\b{name}\b", (ROOT / ELSEWHERE[name]).read_text()):
            problems.append(f"{ELSEWHERE[name]} has no test of {name}")
        elif answer == "yes" and name not in ELSEWHERE and len(re.findall(rf"\bnn\.{name}\(", keys)) < 3:
            problems.append(f"{name} has less than three cases in tests/cpp/modules")
    print("\n".join(problems) or f"{len(rows)} modules, of which {list(rows.values()).count('yes')} are there")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
