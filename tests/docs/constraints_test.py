"""The constraints of nn operations are numbered in dialects/nn/*.td, and each has an error case in tests/lit/nn.

    python3 constraints_test.py ROOT

A list ("- C1. ...") stands in the description of an operation, or in a class or defvar that several share, and then their
own go on from it. The line before an error case's expected-error names the operation and the constraint: // nn.conv C1.
The dialect itself and #nn.dims have lists, too, and are named nn and nn.dims. A shared constraint needs a case of one of
the operations that share it, and each operation with constraints needs a case of its own.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

RECORD = re.compile(r"^(?:class|def|defvar) (\w+)", re.MULTILINE)
NAME = re.compile(r'\A(?:def \w+\s*:\s*\w+<"([a-z]\w*)"|def \w+ : AttrDef<(?s:.*?)let mnemonic = "(\w+)")')
CONSTRAINT = re.compile(r"- (C\d+)\. ")
CASE = re.compile(r"\s*// (nn(?:\.\w+)?) (C\d+)")
CHECKS = ("NN_InferredOp", "hasVerifier = 1")  # An operation with one of these has something to check.


def records(text):
    """Name and text of each record, comments left out, in their order."""
    text = re.sub(r"^ *//.*$", "", text, flags=re.MULTILINE)
    starts = list(RECORD.finditer(text))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return [(match[1], text[match.start():end]) for match, end in zip(starts, ends)]


def declared(texts):
    """For each operation its constraints, as (record where it stands, number), and what is wrong with them."""
    uses, own, operations, wrong = {}, {}, {}, []
    for name, text in (record for file in texts for record in records(file)):
        own[name] = [(name, number) for number in CONSTRAINT.findall(text)]
        words = [word for word in re.findall(r"\w+", text) if word in uses]
        # In the order in which they are named; the dialect's constraints stay its own.
        uses[name] = list(dict.fromkeys(used for word in words for used in (*uses[word], word)))
        found = NAME.match(text)
        if not found and ": Dialect {" not in text:
            continue
        operation = "nn." + (found[1] or found[2]) if found else "nn"
        constraints = [constraint for record in (*uses[name], name) for constraint in own[record]]
        operations[operation] = constraints
        numbers = [number for _, number in constraints]
        if numbers != [f"C{i}" for i in range(1, len(numbers) + 1)]:
            wrong.append(f"{operation}: expected constraints from C1 without gaps, got {', '.join(numbers)}")
        if not numbers and (CHECKS[0] in uses[name] or CHECKS[1] in text):
            wrong.append(f"{operation}: expected a list of the constraints that its inference or verifier checks")
        if not found:
            del uses[name], own[name]
    return operations, wrong


def cases(file, text, operations):
    """What the error cases of a file name, as (operation, constraint), and what is wrong with the cases."""
    named, wrong, before = set(), [], ""
    for number, line in enumerate(text.splitlines(), 1):
        previous, before = before, line
        if "expected-error" not in line or "expected-error" in previous:
            continue
        where = f"{file}:{number}: "
        case = CASE.fullmatch(previous)
        if not case:
            wrong.append(where + "expected the line before to name the constraint, such as // nn.conv C1")
            continue
        found = [constraint for constraint in operations.get(case[1], []) if constraint[1] == case[2]]
        message = re.search(r"'(nn\.\w+)' op", line)
        if not found:
            wrong.append(where + f"there is no constraint {case[1]} {case[2]}")
        elif message and case[1] not in ("nn", message[1]):
            wrong.append(where + f"the error is one of {message[1]}, the constraint one of {case[1]}")
        named.update((case[1], constraint) for constraint in found)
    return named, wrong


def problems(texts, tests):
    """What is wrong with the texts of .td files (in the order of inclusion) and the lit files, by name."""
    operations, wrong = declared(texts)
    named = set()
    for file, text in tests.items():
        more, also_wrong = cases(file, text, operations)
        named |= more
        wrong += also_wrong
    users = {}
    for operation, constraints in operations.items():
        for constraint in constraints:
            users.setdefault(constraint, []).append(operation)
    for constraint in users.keys() - {constraint for _, constraint in named}:
        wrong.append(f"{constraint[1]} of {' or '.join(users[constraint])}: no error case names it")
    for operation in {user for some in users.values() for user in some} - {operation for operation, _ in named}:
        wrong.append(f"{operation}: no error case is one of its own")
    return sorted(wrong), operations


def self_test():
    """Each kind of problem is found, and nothing else."""
    base = ('def NN_Dialect : Dialect {\n  - C1. All.\n}\nclass NN_InferredOp<string s> : Op<NN_Dialect, s>;\n'
            'defvar shared = "- C1. One.\\n";\n')
    add = 'def NN_AddOp : NN_InferredOp<"add"> {\n  let description = shared # "- C2. Two.\\n";\n}\n'
    sub = 'def NN_SubOp : NN_InferredOp<"sub"> {\n  let description = shared;\n}\n'

    def case(name, operation="add"):
        return f"// {name}\n// expected-error@+2 {{{{'nn.{operation}' op is wrong}}}}\n// expected-error@+1 {{{{so}}}}\n"

    shared = case("nn.add C1") + case("nn.sub C1", "sub")
    good = case("nn C1") + case("nn.add C2") + shared

    def found(td, text):
        return problems([base, td], {"a.mlir": text})[0]

    assert not found(add + sub, good), found(add + sub, good)
    for td, text, *sentences in (
            (add.replace("C2", "C3") + sub, good.replace("C2", "C3"), "nn.add: expected constraints from C1"),
            (add + sub + 'def NN_MulOp : NN_InferredOp<"mul"> {\n}\n', good, "nn.mul: expected a list"),
            (add + sub, good.replace(case("nn.add C2"), ""), "C2 of nn.add: no error case names it"),
            (add + sub, good.replace(shared, ""), "C1 of nn.add or nn.sub: no error", "nn.sub: no error case is"),
            (add + sub, good + case("nn.sub C2", "sub"), "a.mlir:14: there is no constraint nn.sub C2"),
            (add + sub, good + case("nn.pow C1", "pow"), "a.mlir:14: there is no constraint nn.pow C1"),
            (add + sub, good + case("nn.add C1", "sub"), "a.mlir:14: the error is one of nn.sub"),
            (add + sub, good + case("The dtype differs."), "a.mlir:14: expected the line before")):
        wrong = found(td, text)
        assert len(wrong) == len(sentences) and all(map(str.startswith, wrong, sentences)), wrong


def main(root):
    self_test()
    folder = root / "dialects/nn"
    files = [folder / "NNBase.td", *sorted(folder.glob("*Ops.td"))]
    tests = {str(path.relative_to(root)): path.read_text() for path in sorted((root / "tests/lit/nn").glob("*.mlir"))}
    wrong, operations = problems([file.read_text() for file in files], tests)
    if wrong:
        sys.exit("\n".join(wrong))
    constraints = {constraint for constraints in operations.values() for constraint in constraints}
    print(f"{len(constraints)} constraints in {len(operations)} descriptions; each has an error case")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
