#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What C++ compilers say of the likeliest slips: at most 15 lines, and near the end what to write. Clang goes on with all
other functions of the name: of it, the advice is among the first 15 lines.

usage: compiler_messages.py INCLUDE_FOLDER COMPILER...

What PyTorch's programs have there compiles as well, where that is listed without an advice.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

include, *compilers = [str(Path(sys.argv[1]).resolve()), *sys.argv[2:]]
PROGRAM = """#include <dlc/dlc.h>
#include <dlc/session.h>
#include <iostream>
using namespace dlc;
struct Net : nn::Module {
  nn::Linear fc = register_module("fc", nn::Linear(4, 2));
  Tensor forward(Tensor x) override { return fc(x); }
};
void f(Tensor x, Tensor y, Net net, Session &session, optim::Adam optimizer) {
  %s
}
"""
MOST = 15
SLIPS = {  # the line, and what the message says to write
    "optim::Adam adam(net.parameters(), 1e-3);": "write optim::Adam({.lr = 1e-3})",
    "optim::SGD sgd(0.1);": "write optim::SGD({.lr = 1e-3})",
    "program(net, loss::MSE(), x);": "write program(net, loss, optimizer, input)",
    "program(net, nn::CrossEntropyLoss(), x, optim::SGD({.lr = 0.1}));": "write program(net, loss, optimizer, input)",
    'Tensor image = input("image", 64, 784);': 'write input("x", {Dim("batch", 64), 784})',
    'x = x.to("cuda");': "write x.to(dlc::float64)",
    "x[0] = 1;": "write where(), masked_fill(), cat() or scatter()",
    "x[x > 0] = y;": "write where(), masked_fill(), cat() or scatter()",
    "net.fc.weight = y;": 'write net.tie_parameter("weight", x)',
    "net.register_module(nn::Linear(2, 2));": 'write register_module("fc", nn::Linear(4, 2))',
    "net(x, y);": "write nn::call(net, a, b)",
    'net.to("cuda");': 'write SessionOptions{.device = "cuda"}',
    "x = x.cuda();": 'write SessionOptions{.device = "cuda"}',
    "auto numbers = x.numpy();": "write x.values()",
    "optimizer.zero_grad();": "write session.train_step(x, y)",
    "optimizer.step();": "write session.train_step(x, y)",
    "Tensor value = loss::CrossEntropy()(x, y);": "write nn::CrossEntropyLoss()(x, y)",
    "session.train_step(x, y);": "write View(vector, {64, 784})",
    "Session other(net, loss::MSE(), optimizer);": "write Session(program(net, loss, adam, x))",
    "Tensor numbers = tensor(1, 2, 3);": "write tensor({1, 2, 3})",
    "Tensor none = zeros(3, 4, int64);": "write zeros(3, 4) or zeros({3, 4}, dlc::int64)",
    "Tensor power = x ** y;": "write pow(x, 2)",
    "for (Tensor row : x) std::cout << row;": "write for (Tensor row : x.split(1))",
    'net.add_module("fc", nn::Linear(2, 2));': 'write register_module("fc", nn::Linear(4, 2))',
    'nn::Linear fc(4, 2, "float64");': "write nn::Linear(4, 2, {.bias = false})",
    "nn::Linear fc(4, 2, false);": "write nn::Linear(4, 2, {.bias = false})",
    "nn::Bilinear both(4, 4, 2, false);": "write nn::Bilinear(4, 4, 2, {.bias = false})",
    'nn::LSTMCell cell(4, 8, "float64");': "write nn::LSTMCell(4, 8, {.bias = false})",
    'nn::RNNCell cell(4, 8, true, "relu");': 'write nn::RNNCell(4, 8, {.nonlinearity = "relu"})',
    "optim::Adam adam({.lr = 0.1, .betas = {0.9, 0.99}});": "write optim::Adam({.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999})",
    "optim::NAdam adam({.betas = {0.9, 0.99}});": "write optim::Adam({.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999})",
    "struct Own : nn::Linear { using Linear::Linear; }; nn::ModuleList<nn::Linear> list{Own(4, 2)};": "write ModuleList<Other>, or a Sequential",
    "nn::Linear fc{nullptr};": 'write nn::Linear fc = register_module("fc", nn::Linear(4, 2))',
    "nn::Linear fc;": 'write nn::Linear fc = register_module("fc", nn::Linear(4, 2))',
    "nn::Conv2d conv{nullptr};": ' conv = register_module("conv", nn::',
    "nn::BatchNorm2d norm;": ' norm = register_module("norm", nn::',
    "nn::Embedding words{nullptr};": 'write nn::Embedding words = register_module("words", nn::Embedding(50, 8))',
    "nn::LSTM lstm{nullptr};": 'write nn::LSTM lstm = register_module("lstm", nn::LSTM(4, 8))',
    'Tensor image = input("image", {Dim("batch"), 784});': 'write Dim("batch", 64)',
    "struct Own : nn::Linear { using Linear::Linear; }; nn::ModuleList<nn::Linear> list; list.push_back(Own(4, 2));": "write ModuleList<Other>, or a Sequential",
    "net.fc->forward(x);": "write fc(x) or fc.forward(x)",
    "program(std::make_shared<Net>(), loss::MSE(), optimizer, x);": "write program(*net, loss, optimizer, input)",
}
UNUSED = {  # what is compiled, with a warning
    "x.relu();": "nodiscard",
    "x.view(-1, 4);": "nodiscard",
    "x.masked_fill(x > 0, 1);": "nodiscard",
    "NoGrad();": "write NoGrad off; it ends with the block",
    "program(net, loss::MSE(), optimizer, x);": "nodiscard",
}
LINES = ["max_pool2d(conv2d(x, y), 2) + dropout(layer_norm(x, {4}), 0.1) + cosine_similarity(x, y);",
         "namespace F = nn::functional; using namespace nn::functional; max_pool2d(F::max_pool2d(x, 2), 2);",
         "auto made = std::make_shared<Net>(); (void)program(*made, loss::MSE(), optimizer, x.view({-1, 4}));",
         "(void)program(Net(), loss::MSE(), optimizer, x); (void)program(Net(), nn::CrossEntropyLoss(), optimizer, x);",
         "(void)program(nn::Sequential{nn::Linear(4, 2)}, loss::MSE(), optim::SGD({.lr = 0.1}), x);",
         "nn::ModuleList list{nn::Linear(4, 4), nn::Linear(4, 2)}; nn::ModuleList copy{list}; nn::ModuleList<nn::Linear> one{net.fc}; copy[0];",
         "std::vector<int64_t> sizes{3, 4}; zeros(sizes) + ones(sizes, float32) + x.reshape(sizes);", "net(x); nn::Linear(4, 2, {.bias = false}); nn::Linear(4, 2, {});", "for (auto size : x.size()) std::cout << size << session.step_count();", "zeros(3, 4) + randn(3, 4);", "y = x.view(x.size(0), -1).permute(0, 1);", "if (x.mean() > 0) std::cout << x.shape();",
         "for (auto [name, p] : net.named_parameters()) std::cout << name << p.shape() << p.dtype() << '\\n';"]


def precompiled(compiler, is_clang, folder):
    """The options with which a compiler takes dlc/dlc.h as it was compiled once: a slip then costs a quarter of the time."""
    Path(folder, "dlc").mkdir()
    made = Path(folder, "dlc", "dlc.h.pch" if is_clang else "dlc.h.gch")
    subprocess.run([compiler, "-std=c++20", f"-I{include}", "-x", "c++-header", f"{include}/dlc/dlc.h", "-o", made], check=True)
    return ["-include-pch", str(made)] if is_clang else [f"-I{folder}"]


def messages(compiler, options, line, folder):
    source = Path(folder, "slip.cpp")
    source.write_text(PROGRAM % line)
    result = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", *options, f"-I{include}", source.name], cwd=folder, text=True,
                            capture_output=True, env={**os.environ, "LC_ALL": "C"})
    return result.returncode, result.stderr.splitlines()


def main():
    problems = []
    isClang = {each: "clang" in subprocess.run([each, "--version"], capture_output=True, text=True).stdout
               for each in compilers}
    for compiler in compilers:
        with tempfile.TemporaryDirectory() as folder:
            options = precompiled(compiler, isClang[compiler], folder)
            for line, advice in SLIPS.items():
                code, said = messages(compiler, options, line, folder)
                if code == 0:
                    problems.append(f"{compiler} compiles {line}")
                elif len(said) > MOST and not isClang[compiler]:
                    problems.append(f"{compiler} says {len(said)} lines of {line}, at most {MOST} are expected:")
                elif not any(advice in text for text in (said[:MOST] if isClang[compiler] else said[-4:])):
                    problems.append(f"{compiler} does not say '{advice}' where it is seen, of {line}:")
                else:
                    continue
                problems += ["  " + text for text in said]
            for line, advice in UNUSED.items():
                code, said = messages(compiler, options, line, folder)
                if code or not any(advice in text for text in said):
                    problems += [f"{compiler} does not warn with '{advice}' of {line}:", *said]
            for line in LINES:
                code, said = messages(compiler, options, line, folder)
                if code or any("nodiscard" in text for text in said):
                    problems += [f"{compiler} does not compile {line}, or warns:", *said]
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(SLIPS) + len(UNUSED)} slips and {len(LINES)} lines, by {' and '.join(compilers)}")


main()
