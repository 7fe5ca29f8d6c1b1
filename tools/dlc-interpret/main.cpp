//===- main.cpp - run a program by interpretation -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dlc-interpret: runs a function of a program with the reference interpreter and shows what it computes.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Interpreter.h"
#include "compiler/interpret/RandomInput.h"
#include "compiler/interpret/TensorFile.h"
#include "dialects/train/Train.h"
#include "frontends/mlir/ReadText.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;
using dlc::interpret::DimSizes;
using dlc::interpret::Interpreter;
using dlc::interpret::Tensor;
using Tensors = llvm::StringMap<Tensor>;

namespace {

cl::OptionCategory category("Options of dlc-interpret");
cl::opt<std::string> programFile(cl::Positional, cl::Required, cl::desc("<program.mlir>"), cl::cat(category));
cl::opt<std::string> functionName("function",
                                  cl::desc("The function to run, e.g. train_step (default: forward)"),
                                  cl::init("forward"), cl::value_desc("name"), cl::cat(category));
cl::list<std::string>
    inputs("input",
           cl::desc("Value of an input: a safetensors file that holds a tensor of the input's name, "
                    "or random (uniform in [-1, 1), or in the declared range), or zeros"),
           cl::value_desc("name=file|random|zeros"), cl::cat(category));
cl::list<std::string>
    dimSizes("dim", cl::desc("Size of a named dim (default: from the inputs' files, else the bound)"),
             cl::value_desc("name=size"), cl::cat(category));
cl::opt<std::string> stateFile("state", cl::desc("Take states, by name, from a safetensors file"),
                               cl::value_desc("file"), cl::cat(category));
cl::opt<unsigned> steps("steps", cl::desc("Run the function this many times, keeping the state (default: 1)"),
                        cl::init(1), cl::value_desc("count"), cl::cat(category));
cl::opt<unsigned> seed("seed", cl::desc("Seed of random inputs (default: 0)"), cl::init(0),
                       cl::cat(category));
cl::list<std::string>
    printed("print",
            cl::desc("Print after the last run: a state or an output, the value that an operation "
                     "computes (by its location's name, name#1 for the second result), or `all` "
                     "for all outputs (default)"),
            cl::value_desc("name"), cl::CommaSeparated, cl::cat(category));
cl::opt<std::string> outputFile("write-outputs", cl::desc("Write all outputs to a safetensors file"),
                                cl::value_desc("file"), cl::cat(category));
cl::opt<std::string> newStateFile("write-state", cl::desc("Write all states to a safetensors file"),
                                  cl::value_desc("file"), cl::cat(category));
cl::opt<bool> roundResults("round",
                           cl::desc("Round each operation's results to their dtype (default: all in double)"),
                           cl::cat(category));
cl::opt<bool> stopAtNonFinite("stop-at-nonfinite",
                              cl::desc("Stop at the first operation that makes a NaN or infinity"),
                              cl::cat(category));

bool report(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dlc-interpret") << message << "\n";
  return false;
}
bool report(llvm::Error error) { return report(llvm::toString(std::move(error))); }

/// Sizes given by --dim.
bool collectDims(DimSizes &dims) {
  for (llvm::StringRef text : dimSizes) {
    auto [name, size] = text.split('=');
    if (int64_t number; size.getAsInteger(10, number))
      return report("--dim: expected name=size, found '" + text + "'");
    else
      dims[name] = number;
  }
  return true;
}

bool collectInputs(train::ProgramOp program, DimSizes dims, Tensors &values) {
  std::mt19937_64 engine(seed);
  for (auto dim : program.getBody().getOps<train::DimOp>())
    dims.try_emplace(dim.getSymName(), dim.getBound());
  for (llvm::StringRef text : inputs) {
    auto [name, source] = text.split('=');
    auto input = mlir::dyn_cast_or_null<train::InputOp>(mlir::SymbolTable::lookupSymbolIn(program, name));
    if (!input)
      return report("--input: the program has no input '" + name + "'");
    if (source != "random" && source != "zeros") {
      auto file = dlc::interpret::readTensorFile(source);
      if (!file)
        return report(file.takeError());
      if (!file->count(name))
        return report(source + ": has no tensor '" + name + "'");
      values[name] = (*file)[name];
      continue;
    }
    auto type = mlir::cast<mlir::RankedTensorType>(input.getType());
    auto shape = dlc::interpret::concreteShape(type, dims);
    auto dtype = dlc::interpret::dtypeOf(type.getElementType());
    if (mlir::failed(shape) || !dtype)
      return report("--input: the size of '" + name + "' is not known; give --dim");
    values[name] = source == "zeros" ? Tensor::zeros(*dtype, *shape)
                                     : dlc::interpret::randomInput(input, *shape, engine);
  }
  return true;
}

bool loadState(Interpreter &interpreter) {
  if (stateFile.empty())
    return true;
  auto tensors = dlc::interpret::readTensorFile(stateFile);
  if (!tensors)
    return report(tensors.takeError());
  for (auto &entry : *tensors)
    if (interpreter.state(entry.getKey()) &&
        mlir::failed(interpreter.setState(entry.getKey(), std::move(entry.second))))
      return false;
  return true;
}

void print(llvm::StringRef name, const Tensor &tensor) {
  llvm::outs() << name << " : " << tensor.typeStr() << " =";
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.rank() > 1 && i % tensor.shape.back() == 0)
      llvm::outs() << "\n ";
    if (tensor.isFloat())
      llvm::outs() << llvm::format(" %.9g", tensor.floats[i]);
    else
      llvm::outs() << " " << tensor.ints[i];
  }
  llvm::outs() << "\n";
}

bool printValue(const Interpreter &interpreter, llvm::StringRef name) {
  const Tensor *found = interpreter.output(name);
  if (!found)
    found = interpreter.state(name);
  if (!found)
    found = interpreter.value(name);
  if (!found)
    return report("--print: no output, state or value is called '" + name + "'");
  print(name, *found);
  return true;
}

bool show(const Interpreter &interpreter) {
  std::vector<llvm::StringRef> names;
  for (llvm::StringRef name : printed)
    if (name != "all" && !printValue(interpreter, name))
      return false;
  if (printed.empty() || llvm::is_contained(printed, "all"))
    for (const auto &output : interpreter.outputs())
      names.push_back(output.getKey());
  llvm::sort(names);
  for (llvm::StringRef name : names)
    print(name, *interpreter.output(name));
  if (names.empty() && printed.empty() && interpreter.loss())
    print("loss", *interpreter.loss());
  return true;
}

bool runProgram(train::ProgramOp program) {
  DimSizes dims;
  Tensors values;
  if (!collectDims(dims) || !collectInputs(program, dims, values))
    return false;
  auto interpreter = Interpreter::create(program, {roundResults, stopAtNonFinite});
  if (mlir::failed(interpreter) || !loadState(*interpreter))
    return false;
  for (unsigned step = 0; step < steps; ++step) {
    if (mlir::failed(interpreter->run(functionName, values, dims)))
      return false;
    if (const auto &found = interpreter->firstNonFinite())
      llvm::WithColor::warning(llvm::errs(), "dlc-interpret")
          << "run " << step + 1 << ": " << found->str() << "\n";
    if (steps > 1) {
      const Tensor *loss = interpreter->loss() ? interpreter->loss() : interpreter->output("loss");
      llvm::outs() << "run " << step + 1 << (loss ? ": loss " : "");
      if (loss)
        llvm::outs() << llvm::format("%.9g", loss->number(0));
      llvm::outs() << "\n";
    }
  }
  if (!show(*interpreter))
    return false;
  if (!outputFile.empty())
    if (llvm::Error error = dlc::interpret::writeTensorFile(outputFile, interpreter->outputs()))
      return report(std::move(error));
  if (!newStateFile.empty())
    if (llvm::Error error = dlc::interpret::writeTensorFile(newStateFile, interpreter->states()))
      return report(std::move(error));
  return true;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "runs a function of a dlc program in double precision, for reference\n\n"
      "  The program is the text of the stages import, forward or backward, e.g. from\n"
      "  `dlc compile model.onnx --emit=backward`. Example:\n\n"
      "    dlc-interpret mlp.mlir --function=train_step --input=image=random "
      "--input=labels=random --steps=10\n");
  mlir::DialectRegistry registry;
  registry.insert<nn::NNDialect, train::TrainDialect>();
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module = dlc::text::readFile(programFile, context);
  if (!module)
    return 1;
  auto programs = module->getOps<train::ProgramOp>();
  if (std::distance(programs.begin(), programs.end()) != 1) {
    report(programFile + ": expected one train.program");
    return 1;
  }
  return runProgram(*programs.begin()) ? 0 : 1;
}
