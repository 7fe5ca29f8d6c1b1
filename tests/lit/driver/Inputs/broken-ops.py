"""Breaks the example's file of custom operations in one place after the other and prints what dlc check says.

usage: broken-ops.py EXAMPLE FOLDER
"""
import copy
import json
import os
import shutil
import subprocess
import sys

example, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
with open(os.path.join(example, "custom-ops.json")) as file:
    whole = file.read()
with open(os.path.join(example, "bias_swish.c")) as file:
    source = file.read()
shutil.copy(os.path.join(example, "bias_swish.cu"), folder)
model = os.path.join(example, "swish.onnx")


def check(text, code=source):
    path = os.path.join(folder, "ops.json")
    with open(path, "w") as out:
        out.write(text)
    with open(os.path.join(folder, "bias_swish.c"), "w") as out:
        out.write(code)
    ran = subprocess.run(["dlc", "check", model, "--batch=4", "--loss=softmax-cross-entropy", "--custom-ops=" + path],
                         capture_output=True, text=True)
    return ran.returncode, ran.stderr.replace(folder + "/", "")


def case(name, change):
    """`change` gets the file, its first operation and the gradient's."""
    file = json.loads(whole)
    new = change(file, file["ops"][0], file["ops"][1])
    code, message = check(json.dumps(file if new is None else new))
    print(f"{name}: {code} {message.strip()}")


def source_case(name, old, new):
    assert old in source
    code, message = check(whole, source.replace(old, new))
    print(f"{name}: {code} {message.strip()}")


def setting(place, key, value):
    def change(file, op, gradient):
        target = {"file": file, "op": op, "gradient": gradient, "input": op["inputs"][0], "output": op["outputs"][0],
                  "beta": op["inputs"][2], "cuda": op["cuda"]}[place]
        if value is None:
            del target[key]
        else:
            target[key] = copy.deepcopy(value)
    return change


case("no object", lambda *_: [1])
case("no domain", setting("file", "domain", None))
case("own domain", setting("file", "domain", "ai.onnx"))
case("unknown key", setting("op", "grad", "x"))
case("no name", setting("op", "name", None))
case("dots", setting("op", "name", "a.b"))
case("twice", setting("gradient", "name", "BiasSwish"))
case("no list", setting("op", "inputs", 3))
case("no tensor", setting("op", "inputs", [3]))
case("no shape", setting("input", "shape", None))
case("half", setting("input", "shape", ["rows...", 1.5]))
case("type", setting("input", "type", "float16"))
case("keyword", setting("beta", "name", "while"))
case("constant", setting("input", "constant", "yes"))
case("new size", setting("output", "shape", ["other"]))
case("rows", setting("op", "rows", "channels"))
case("no rows", setting("op", "rows", "lines"))
case("inplace", setting("op", "inplace", [["x"]]))
case("inplace shapes", setting("op", "inplace", [["bias", "y"]]))
case("no such gradient", setting("op", "gradient", "Nothing"))
case("attribute", setting("op", "attributes", [{"name": "a", "type": "text"}]))
case("missing attribute", setting("op", "attributes", [{"name": "a", "type": "int"}]))
case("default", setting("op", "attributes", [{"name": "a", "type": "int", "default": 0.5}]))
case("no gradient", setting("op", "gradient", None))
case("constant with gradient", setting("beta", "constant", True))
case("gradient lacks one", lambda file, op, gradient: gradient["outputs"].pop() and None)
case("gradient's shape", lambda file, op, gradient: gradient["outputs"][1].update(shape=["rows...", "channels"]))
case("wrong dims", setting("input", "shape", ["rows", "channels", 2]))
case("wrong size", setting("beta", "shape", [7]))
case("cuda", setting("op", "cuda", 3))
case("cuda key", setting("cuda", "grid", [1]))
case("cuda source", setting("cuda", "source", None))
case("cuda function", setting("cuda", "function", "while"))
case("cuda outside", setting("cuda", "source", "../bias_swish.cu"))
case("cuda block", setting("cuda", "block", 0.5))
case("cuda large block", setting("cuda", "block", 1 << 40))
case("cuda threads", setting("cuda", "threads", ["rows", None]))
case("cuda size", setting("cuda", "threads", ["lines"]))
case("cuda number", setting("cuda", "threads", [-1]))
case("cuda both", setting("cuda", "blocks", ["rows"]))
case("no code", lambda file, op, gradient: [op.pop(key) for key in ("source", "function", "cuda")] and None)
case("half a code", setting("op", "source", None))
case("outside", setting("op", "source", "../bias_swish.c"))
case("absolute", setting("op", "source", "/etc/passwd"))
case("no source", setting("op", "source", "nothing.c"))
os.makedirs(os.path.join(folder, "folder.c"), exist_ok=True)
case("a folder", setting("op", "source", "folder.c"))
os.path.lexists(os.path.join(folder, "link.c")) or os.symlink("/etc/passwd", os.path.join(folder, "link.c"))
case("a link", setting("op", "source", "link.c"))

source_case("syntax", "const float z = x[i] + bias[c], s", "const float z = x[i] + bias[c] s")
source_case("signature", "const float *beta, float *y,", "float *y,")
source_case("missing", "void bias_swish(", "void other(")
source_case("not static", "static float sigmoid", "float sigmoid")

code, message = check("[" * 100000)
print(f"nested: {code} {message.strip()}")
code, message = check(whole + " " * (1 << 20))
print(f"long: {code} {message.strip()}")
cut = [check(whole[:length])[0] for length in range(0, len(whole.rstrip()) - 1, 41)]
print("cut off:", "all refused" if set(cut) == {1} else cut)
