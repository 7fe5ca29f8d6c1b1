# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/modules.md has every module of torch.nn (torch_modules.txt), and says of no other than those that the headers
have and that are compared with PyTorch that they are there; and every method of torch.nn.Module
(torch_module_methods.txt), of which the header has those that are said to be the same. Python's standard library."""
import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parents[2]
#: Modules whose numbers no case compares, and what does.
ELSEWHERE = {"Module": "tests/cpp/module_test.cpp", "ModuleDict": "tests/cpp/error_test.cpp", "ModuleList": "tests/cpp/error_test.cpp"}


def problems_of_methods(page):
    known = set((FOLDER / "torch_module_methods.txt").read_text().split())
    header = (ROOT / "frontends/cpp/include/dlc/nn/module.h").read_text()
    header = "\n".join(line for line in header.splitlines() if "= delete;" not in line)  # those say what to write instead
    answers = {}
    for line in page.partition("## The class Module")[2].partition("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 5:
            for name in re.findall(r"`(\w+)\(\)`", cells[1]):
                if name in answers:
                    yield f"docs/modules.md: two rows have the method {name}"
                answers[name] = cells[2]
    for name in sorted(known ^ set(answers)):
        yield f"docs/modules.md: the method {name} is " + ("missing" if name in known else "none of torch.nn.Module")
    for name, answer in answers.items():
        is_same = answer == "the same" or f"`{name}(" in answer
        if is_same != bool(re.search(rf"\b{name}\(", re.sub(r"//.*", "", header))):
            yield f"docs/modules.md says '{answer}' of the method {name}, module.h says otherwise"


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
    problems += problems_of_methods((ROOT / "docs" / "modules.md").read_text())
    headers = "\n".join(path.read_text() for path in (ROOT / "frontends/cpp/include/dlc").rglob("*.h"))
    keys = "\n".join(key for path in FOLDER.glob("*.json") for key in json.loads(path.read_text()))
    for name, answer in rows.items():
        declared = re.search(rf"^(class|struct) (DLC_API )?{name} |^(DLC_\w+|template.*class)\({name}[,)]|^template .* class {name} ",
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
