//===- FirstStepMain.cpp - an ONNX model's first training step, checked --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// first-step MODEL.onnx [--batch=N] [--dim NAME=N]: chooses a loss that suits an output, compiles the
// training step, runs it on random inputs and compares with the interpreter, as dlc verify does. Where there
// is nothing to train but the numbers of formulas, such as those of a GELU, these are asked for by name, as
// --train=NAME does. What cannot be trained is compared in prediction. One line on stdout says what came out;
// exit status 0 if the numbers agree, 1 if they do not, 2 if dlc refuses the model. With --choose nothing is
// compiled: below the line, which says what the model can be compiled for, stand the options for that, one in
// each line.
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/nn/Dims.h"
#include "frontends/mlir/ReadText.h"
#include "frontends/onnx/Import.h"
#include "mlir/Pass/PassManager.h"
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/FirstStep.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;
using namespace dlc;
using namespace dlc::numerics;

namespace {

cl::OptionCategory category("Options of first-step");
cl::opt<std::string> file(cl::Positional, cl::Required, cl::desc("<model.onnx or .mlir>"), cl::cat(category));
cl::opt<int64_t> batch("batch", cl::desc("Size of a symbolic batch (default: 4)"), cl::init(4),
                       cl::cat(category));
cl::opt<bool> choose("choose", cl::desc("Print the options that suit the model"), cl::cat(category));
cl::list<std::string> dims("dim", cl::desc("Size of another symbolic dim"), cl::value_desc("NAME=N"),
                           cl::cat(category));

bool usesBatch = true; ///< else the model has fixed sizes

/// The program; null with what dlc says against the model in `errors`. `train`: names as for --train.
Program import(bool predictOnly, const std::vector<std::string> &train, std::string &errors) {
  dlc::onnx::ImportOptions options;
  options.train = train;
  options.name = "model";
  options.batch = batch;
  options.predictOnly = predictOnly;
  for (llvm::StringRef dim : dims) {
    auto [name, text] = dim.rsplit('=');
    int64_t size = 0;
    text.getAsInteger(10, size);
    options.dims[name.str()] = {size, size};
  }
  takeErrors();
  bool isText = llvm::StringRef(file).ends_with(".mlir");
  auto module = isText ? text::readFile(file, context()) : dlc::onnx::importOnnx(file, options, context());
  errors = takeErrors();
  if (llvm::StringRef(errors).contains("--batch has no effect")) { // a model of fixed sizes is as good
    options.batch = 0;
    usesBatch = false;
    module = dlc::onnx::importOnnx(file, options, context());
    errors = takeErrors();
  }
  return Program(std::move(module));
}

struct Output {
  std::string name;
  mlir::RankedTensorType type;
  /// For scores of classes, cross entropy; else the square of what is left.
  std::string loss() const {
    nn::Shape shape = nn::shapeOf(type);
    bool classes = shape.size() == 2 && shape[1].isStatic() && shape[1].factor > 1;
    return classes ? "softmax-cross-entropy" : "mse";
  }
};

std::vector<Output> floatOutputs(const Program &program) {
  std::vector<Output> found;
  for (auto output : program.get().getBody().getOps<train::OutputOp>()) {
    auto type = mlir::cast<mlir::RankedTensorType>(output.getType());
    if (mlir::isa<mlir::FloatType>(type.getElementType()))
      found.push_back({output.getSymName().str(), type});
  }
  return found;
}

/// The names in messages that say --freeze=NAME.
std::vector<std::string> suggestedFreezes(llvm::StringRef reasons) {
  std::vector<std::string> names;
  llvm::SmallVector<llvm::StringRef> parts;
  reasons.split(parts, "(--freeze=");
  for (llvm::StringRef part : llvm::drop_begin(parts))
    names.push_back(part.split(')').first.str());
  return names;
}

/// The constants of one element: numbers of formulas, if they are initializers.
std::vector<std::string> numbersOf(const Program &program) {
  std::vector<std::string> names;
  program.getModule().walk([&](nn::ConstantOp constant) {
    auto type = mlir::cast<mlir::RankedTensorType>(constant.getType());
    auto name = mlir::dyn_cast<mlir::NameLoc>(constant.getLoc());
    if (name && mlir::isa<mlir::FloatType>(type.getElementType()) && type.getNumElements() == 1)
      names.push_back(name.getName().str());
  });
  return names;
}

/// Whether the passes up to the stage backward accept the program; if not, `reasons` are their errors.
bool derives(const Program &program, std::string &reasons) {
  takeErrors();
  Program copy = program.clone();
  mlir::PassManager manager(&context());
  pipeline::buildPipeline(manager, {}, pipeline::KernelTarget::of(llvm::cantFail(CpuTarget::get("", ""))),
                          pipeline::Stage::Backward);
  bool accepted = succeeded(manager.run(copy.getModule()));
  reasons = takeErrors();
  return accepted;
}

/// Whether it can be trained, perhaps without the parameters that the loss does not depend on.
bool chooseParameters(Program &program, std::vector<std::string> &frozen, std::string &reasons) {
  if (derives(program, reasons))
    return true;
  frozen = suggestedFreezes(reasons);
  train::RecipeSettings recipe;
  for (const std::string &name : frozen)
    recipe.emplace_back("freeze", name);
  program.addToRecipe(recipe);
  std::string again;
  return !frozen.empty() && derives(program, again);
}

/// The program with a loss, or nothing and the reasons.
std::optional<Program> attach(const Program &imported, const Output &output, std::vector<std::string> &frozen,
                              std::string &reasons) {
  Program program = imported.clone();
  mlir::PassManager manager(&context());
  manager.addPass(forward::createAttachLoss());
  takeErrors();
  program.addToRecipe({{"loss", output.loss()}, {"prediction", output.name}});
  if (failed(manager.run(program.getModule()))) {
    reasons = takeErrors();
    return std::nullopt;
  }
  if (!chooseParameters(program, frozen, reasons))
    return std::nullopt;
  return program;
}

std::string oneLine(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return llvm::join(lines, "; ");
}

int report(const std::string &kind, const Comparison &comparison) {
  bool isEqual = comparison.difference.empty() && !testing::Test::HasFailure();
  llvm::outs() << kind << ": "
               << oneLine(isEqual ? "equal, " + comparison.summary : "different: " + comparison.difference)
               << "\n";
  return isEqual ? 0 : 1;
}

int printChoice(const std::string &kind, const std::vector<std::string> &options) {
  llvm::outs() << kind << '\n';
  if (usesBatch && !llvm::StringRef(file).ends_with(".mlir"))
    llvm::outs() << "--batch=" << batch << '\n';
  for (const std::string &option : options)
    llvm::outs() << option << '\n';
  return 0;
}

/// Trains the first output that can be; the exit status, nullopt where none can. `train`: names as for
/// --train.
std::optional<int> trainOne(const Program &program, const std::string &kind,
                            const std::vector<std::string> &train, std::string &reasons) {
  for (const Output &output : floatOutputs(program)) {
    std::vector<std::string> frozen;
    auto attached = attach(program, output, frozen, reasons);
    if (attached && choose) {
      std::vector<std::string> texts = {"--loss=" + output.loss(), "--prediction=" + output.name};
      for (const std::string &name : frozen)
        if (!llvm::is_contained(train, name)) // which is not asked for then
          texts.push_back("--freeze=" + name);
      for (const std::string &name : train)
        if (!llvm::is_contained(frozen, name))
          texts.push_back("--train=" + name);
      return printChoice(kind, texts);
    }
    if (attached)
      return report(kind + " with " + output.loss() + " of '" + output.name + "'",
                    compareFirstStep(*attached, {}));
  }
  return std::nullopt;
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv); // its messages say what failed while a model was compiled
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "compares a model's compiled training step with the interpreter\n");
  CompiledModel::loadDialects();

  std::string reasons = "no output of floats", errors;
  if (Program program = import(/*predictOnly=*/false, {}, errors)) {
    if (std::optional<int> status = trainOne(program, "train", {}, reasons))
      return *status;
    std::vector<std::string> numbers = numbersOf(program);
    std::string others;
    if (llvm::StringRef(reasons).contains("nothing to train") && !numbers.empty())
      if (Program again = import(/*predictOnly=*/false, numbers, errors))
        if (std::optional<int> status = trainOne(again, "numbers", numbers, others))
          return *status;
  }
  if (Program prediction = import(/*predictOnly=*/true, {}, errors)) {
    const std::string kind = "predict (" + oneLine(reasons) + ")";
    return choose ? printChoice(kind, {}) : report(kind, compareFirstStep(prediction, {}));
  }
  llvm::outs() << "refused: " << oneLine(errors) << "\n";
  return 2;
}
