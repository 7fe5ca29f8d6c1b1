# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changed MLIR programs, through a few passes of dlc-opt and through dlc compile."""
import re

from .core import Part, Skipped, Wrong, check_ending, ended

TOKEN = re.compile(r"%[\w#.-]+|@[\w.\"]+|![\w.]+|#[\w.]+|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[\w.]+|\s+|.", re.S)
# One of an operation's results. MLIR's reader makes a list that long, whatever the operation is; dlc refuses it before
# (frontends/mlir), and dlc-opt is MLIR's own program with our passes.
RESULT = re.compile(rb"%[\w$.-]+#\d{6,}")
NUMBERS = ["0", "1", "-1", "2", "3", "7", "4294967296", "9223372036854775807", "-9223372036854775808", "1.0", "1e38"]
LARGEST = 30000
PASS = re.compile(r"^\s+--(dlc-[\w-]+)", re.M)


class Mlir(Part):
    name = "mlir"

    def prepare(self):
        self.dlc, self.opt = self.tool("dlc"), self.tool("dlc-opt")
        self.passes = sorted(set(PASS.findall(ended([self.opt, "--help"]).output)))
        texts = [path.read_text(errors="replace") for path in sorted((self.soak.root / "tests").rglob("*.mlir"))]
        # Tests have several programs in a file.
        self.programs = [part for text in texts for part in re.split(r"^// -----.*$", text, flags=re.M)
                         if "train." in part and len(part) <= LARGEST]
        if not self.programs or not self.passes:
            raise Skipped("there are no programs, or no passes")

    def mutate(self, text, random):
        text = "\n".join(line for line in text.splitlines() if not re.match(r"\s*//", line))
        for _ in range(random.choice([1, 1, 2, 3])):
            way = random.random()
            if way < 0.15:
                lines = text.split("\n")
                place = random.randrange(len(lines))
                lines[place:place + 1] = random.choice([[], [lines[place]] * 2, [random.choice(lines), lines[place]]])
                text = "\n".join(lines)
            elif way < 0.2:
                place = random.randrange(len(text) + 1)
                text = text[:place] + random.choice(["", "\0", "\xff", "{", ">", '"']) + text[place + random.randrange(2):]
            else:
                text = self.change_token(text, random)
        return text

    def change_token(self, text, random):
        tokens = TOKEN.findall(text)
        places = [i for i, token in enumerate(tokens) if token.strip() and len(token) > 0]
        if not places:
            return text
        place = random.choice(places)
        token = tokens[place]
        alike = [other for other in tokens if other[0] == token[0] or other[0].isdigit() and token[0].isdigit()]
        if re.match(r"-?\d", token):
            tokens[place] = random.choice(NUMBERS + alike)
        elif re.match(r"[%@!#]", token) or random.random() < 0.5:
            tokens[place] = random.choice(alike)
        elif "." in token:  # an operation, perhaps: one of another program
            others = [other for other in TOKEN.findall(random.choice(self.programs)) if "." in other[1:]]
            tokens[place] = random.choice(others or [token])
        else:
            tokens[place] = random.choice(tokens)
        return "".join(tokens)

    def case(self, number, random):
        folder = self.clean("case")
        file = folder / "changed.mlir"
        file.write_bytes(self.mutate(random.choice(self.programs), random).encode(errors="surrogateescape"))
        passes = [f"--{name}" for name in random.sample(self.passes, random.choice([0, 1, 2, 4]))]
        try:
            if not RESULT.search(file.read_bytes()):
                end = ended([self.opt, file, *passes, "-o", "/dev/null"])
                if self.plant("crash"):
                    end = end._replace(status=-6)
                check_ending(f"dlc-opt {' '.join(passes)}", end)
                self.counts["taken by dlc-opt"] += end.status == 0
            end = ended([self.dlc, "compile", file, "-o", folder / "out", "--name=model"])
            check_ending("dlc compile", end)
            self.counts["compiled"] += end.status == 0
            left = sorted(path.name for path in folder.iterdir()) + sorted(
                path.name for path in (folder / "out").glob("*"))
            if end.status == 1 and (left != [file.name] or "error: " not in end.output):
                raise Wrong(f"refused, with the files {left}: {end.output[-500:]}")
        except Wrong as wrong:
            raise Wrong(str(wrong), file) from None
