//===- ReadModel.cpp - from what was asked for to a program ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/ReadModel.h"
#include "compiler/pipeline/ChosenTarget.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/train/Recipe.h"
#include "frontends/mlir/ReadText.h"
#include "frontends/onnx/Import.h"
#include "frontends/pt2/Import.h"
#include "frontends/stablehlo/Import.h"
#include "tools/dlc/Describe.h"
#include "tools/dlc/OptionRules.h"
#include "tools/dlc/OtherKinds.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::tool {

std::string versionText() { return ("dlc " + pipeline::version() + ", LLVM " LLVM_VERSION_STRING).str(); }

static DialectRegistry allDialects() {
  DialectRegistry registry;
  pipeline::registerDialects(registry);
  return registry;
}

bool wantsRemarks(const Invocation &invocation) {
  return !invocation.quiet && invocation.command != Invocation::Command::Inspect;
}

Reading::Reading(const Invocation &invocation, pipeline::Diagnostics::Sink sink)
    : context(allDialects()), sink(std::move(sink)),
      diagnostics(context, invocation.file, wantsRemarks(invocation), this->sink) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // messages are for users of the model, not of its IR
}

/// MLIR texts are dlc's programs or StableHLO's.
static bool isText(StringRef file) { return file.ends_with(".mlir") || file.ends_with(".stablehlo"); }

bool isStablehlo(const Invocation &invocation) {
  if (invocation.contents)
    return stablehlo::isStablehlo(*invocation.contents);
  return isText(invocation.file) && stablehlo::isStablehloFile(invocation.file);
}

bool isMlir(const Invocation &invocation) {
  return StringRef(invocation.file).ends_with(".mlir") && !isStablehlo(invocation);
}
bool isCpp(const Invocation &invocation) {
  StringRef extension = llvm::sys::path::extension(invocation.file);
  return extension == ".cpp" || extension == ".cc" || extension == ".cxx";
}

bool isPt2(const Invocation &invocation) {
  return invocation.contents ? pt2::isArchive(*invocation.contents)
                             : StringRef(invocation.file).ends_with(".pt2");
}

bool hasLoss(ModuleOp module) {
  return module.walk([](train::LossOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

std::string lossNameOf(ModuleOp module) {
  std::string name;
  for (auto program : module.getOps<train::ProgramOp>())
    name = train::lossNameOf(program);
  return name;
}

namespace {

/// What graphs of all kinds have.
frontend::ImportOptions graphOptions(const Invocation &invocation) {
  frontend::ImportOptions result;
  result.contents = invocation.contents;
  result.name = invocation.options.name;
  result.batch = invocation.batch;
  result.openBatch = invocation.openBatch;
  result.dims = invocation.dims;
  result.predictOnly = train::lastOf(invocation.recipe, "loss").empty();
  result.anySizes =
      invocation.command == Invocation::Command::Export || invocation.command == Invocation::Command::Inspect;
  result.train = train::allOf(invocation.recipe, "train");
  result.freeze = train::allOf(invocation.recipe, "freeze");
  result.verbose = invocation.verbose;
  result.staysMapped = invocation.staysMapped;
  return result;
}

stablehlo::ImportOptions stablehloOptions(const Invocation &invocation) {
  stablehlo::ImportOptions result;
  static_cast<frontend::ImportOptions &>(result) = graphOptions(invocation);
  result.parameters = invocation.parameters;
  return result;
}

onnx::ImportOptions importOptions(const Invocation &invocation) {
  onnx::ImportOptions result;
  static_cast<frontend::ImportOptions &>(result) = graphOptions(invocation);
  result.keepTies = invocation.keepTies;
  result.maxTrips = invocation.maxTrips;
  result.customOps = invocation.customOps;
  if (!invocation.runningVariance.empty())
    result.runningVariance = invocation.runningVariance == "unbiased" ? onnx::RunningVariance::Unbiased
                                                                      : onnx::RunningVariance::Population;
  return result;
}

/// A file of another kind than models, such as a checkpoint of PyTorch, gets a sentence of its own: what it
/// is, and how a model comes out of it.
bool mayBeModel(const Invocation &invocation, MLIRContext &context) {
  std::string problem = findOtherKind(invocation.file);
  if (!problem.empty())
    emitError(UnknownLoc::get(&context)) << problem;
  return problem.empty();
}

bool isLbfgs(const Invocation &invocation) {
  return train::lastOf(invocation.recipe, "optimizer") == "lbfgs";
}

/// What the command line asks for: of a graph, which says nothing itself.
ChosenTraining chosenIn(const train::RecipeSettings &settings) {
  ChosenTraining chosen;
  double momentum = 0;
  StringRef(train::lastOf(settings, "momentum")).getAsDouble(momentum);
  chosen.loss = train::lastOf(settings, "loss");
  chosen.optimizer = train::lastOf(settings, "optimizer", chosen.optimizer);
  chosen.labelType = train::lastOf(settings, "label_type", chosen.labelType);
  chosen.hasMomentum = momentum != 0;
  return chosen;
}

/// What a program's recipe says, and in its place the command line: another loss or optimizer comes without the
/// settings of the program's own.
ChosenTraining chosenIn(ModuleOp module, const Invocation &invocation) {
  ChosenTraining chosen;
  chosen.loss = lossNameOf(module);
  module.walk([&](train::RecipeOp recipe) {
    train::OptimizerAttr optimizer = recipe.getOptimizerOrDefault();
    chosen.optimizer = optimizer.getName().str();
    auto momentum = optimizer.getSettings().getAs<FloatAttr>("momentum");
    chosen.hasMomentum = momentum && momentum.getValueAsDouble() != 0;
    if (train::LossAttr loss = recipe.getLossAttr())
      chosen.labelType = stringifyLabelType(loss.getLabelType()).str();
  });
  const train::RecipeSettings &settings = invocation.recipe;
  if (std::string loss = train::lastOf(settings, "loss", chosen.loss); loss != chosen.loss) {
    chosen.loss = loss;
    chosen.labelType = ChosenTraining().labelType;
  }
  if (std::string optimizer = train::lastOf(settings, "optimizer", chosen.optimizer);
      optimizer != chosen.optimizer) {
    chosen.optimizer = optimizer;
    chosen.hasMomentum = false;
  }
  chosen.labelType = train::lastOf(settings, "label_type", chosen.labelType);
  if (double momentum; !StringRef(train::lastOf(settings, "momentum")).getAsDouble(momentum))
    chosen.hasMomentum = momentum != 0;
  return chosen;
}

/// What a program's own recipe may have, and options may not with this optimizer (OptionRules.cpp).
LogicalResult fitsLbfgs(train::RecipeOp recipe) {
  const char *unused = recipe.getClipAttr()     ? "clip"
                       : recipe.getGroupsAttr()  ? "groups"
                       : recipe.getNoDecayAttr() ? "no_decay"
                                                 : nullptr;
  if (!unused)
    return success();
  return recipe.emitError() << "'" << unused
                            << "' has no effect with --optimizer=lbfgs, whose steps follow from losses and "
                               "gradients of one batch alone";
}

/// Writes the command line's settings into the model's recipe. L-BFGS is a loop around gradients: what is compiled for
/// it has an update that moves nothing.
LogicalResult writeRecipe(ModuleOp module, Invocation &invocation) {
  train::RecipeSettings settings = invocation.recipe;
  if (isLbfgs(invocation)) {
    LbfgsSettings &lbfgs = invocation.train.lbfgs;
    lbfgs.isUsed = true;
    StringRef(train::lastOf(settings, "learning_rate")).getAsDouble(lbfgs.rate);
    llvm::erase_if(settings, [](const auto &each) {
      return each.first == "optimizer" || train::isOptimizerSetting(each.first);
    });
  }
  for (auto program : module.getOps<train::ProgramOp>()) {
    if (failed(train::addToRecipe(program, settings)))
      return failure();
    if (isLbfgs(invocation)) {
      if (failed(fitsLbfgs(train::getOrAddRecipe(program))))
        return failure();
      Builder builder(program.getContext());
      auto rate = builder.getNamedAttr("learning_rate", builder.getF64FloatAttr(0));
      train::getOrAddRecipe(program).setOptimizerAttr(
          train::OptimizerAttr::get(program.getContext(), "sgd", builder.getDictionaryAttr(rate)));
    }
  }
  return success();
}

/// Reports an option that changes nothing.
bool allHaveEffect(const Invocation &invocation, bool trains, const ChosenTraining &training,
                   const Reading &reading) {
  std::string problem = findOptionWithoutEffect(invocation, trains, training);
  if (!problem.empty())
    reading.sink({DiagnosticSeverity::Error, "dlc", problem});
  return problem.empty();
}

/// The words that name machines, of all commands that compile for some: a typo in them is answered before a
/// model is read.
bool areMachines(const Invocation &invocation, MLIRContext &context) {
  if (invocation.command == Invocation::Command::Export)
    return true;
  pipeline::Options options = invocation.options;
  if (!options.isFor("cpu")) // that it has no effect is said before what is wrong with its file
    options.tune.clear();
  return succeeded(pipeline::report(&context, pipeline::ChosenTarget::of(options).takeError()));
}

/// A seed where nothing is random is no error: scripts may give one for all their models. dlc train shuffles.
void warnOfSeed(const Invocation &invocation, ModuleOp module) {
  if (invocation.command == Invocation::Command::Train)
    return;
  bool isRandom = false;
  module.walk([&](train::StateOp state) { isRandom |= state.getKind() == train::StateKind::Rng; });
  if (!isRandom && llvm::is_contained(invocation.given, "--seed"))
    emitWarning(UnknownLoc::get(module.getContext())) << "--seed has no effect: the model has no dropout";
}

/// What kind of model it is, where an option is not for it.
const char *kindOf(const Invocation &invocation) {
  return isCpp(invocation)   ? "a C++ description"
         : isPt2(invocation)       ? "a program of torch.export (.pt2)"
         : isStablehlo(invocation) ? "a program of StableHLO"
                             : "an .mlir program";
}

/// Options that say about an ONNX file what files of other kinds say themselves.
bool areOfItsKind(const Invocation &invocation, MLIRContext &context) {
  Location nowhere = UnknownLoc::get(&context);
  if (!invocation.parameters.empty() && !isStablehlo(invocation)) {
    emitError(nowhere) << "--parameters is for programs of StableHLO; models of other kinds hold the values of "
                          "their parameters";
    return false;
  }
  if (!isMlir(invocation) && !isCpp(invocation) && !isPt2(invocation) && !isStablehlo(invocation))
    return true;
  const bool isOfFile = invocation.keepTies || !invocation.runningVariance.empty() || invocation.maxTrips;
  if (isOfFile)
    emitError(nowhere) << "--keep-ties, --running-variance and --max-trips are for ONNX models; "
                       << kindOf(invocation) << " says what it shares and keeps, and how often it runs, itself";
  else if (!invocation.customOps.empty())
    emitError(nowhere) << "--custom-ops is for ONNX models"
                       << (isMlir(invocation)  ? "; an .mlir program has train.custom_function"
                           : isCpp(invocation) ? "; a C++ description names their file itself, in dlc::custom"
                                               : "");
  return !isOfFile && invocation.customOps.empty();
}

/// Whether the settings fit a model that may have a recipe of its own, into which they are written.
bool fitsRecipe(ModuleOp module, Invocation &invocation, const Reading &reading) {
  const ChosenTraining training = chosenIn(module, invocation);
  return allHaveEffect(invocation, !training.loss.empty() || hasLoss(module), training, reading) &&
         succeeded(writeRecipe(module, invocation));
}

/// The model as a program; null after errors.
OwningOpRef<ModuleOp> importModel(Invocation &invocation, Reading &reading) {
  MLIRContext &context = reading.context;
  if (!mayBeModel(invocation, context))
    return {};
  const ChosenTraining asked = chosenIn(invocation.recipe);
  if (!areOfItsKind(invocation, context) || !areMachines(invocation, context))
    return {};
  if (isCpp(invocation)) {
    OwningOpRef<ModuleOp> module = describeModel(invocation, context);
    if (module && !fitsRecipe(*module, invocation, reading))
      return {};
    return module;
  }
  if (!isMlir(invocation)) {
    if (!allHaveEffect(invocation, !asked.loss.empty(), asked, reading))
      return {};
    OwningOpRef<ModuleOp> module =
        isStablehlo(invocation)
            ? stablehlo::importStablehlo(invocation.file, stablehloOptions(invocation), context)
        : isPt2(invocation) ? pt2::importPt2(invocation.file, graphOptions(invocation), context)
                            : onnx::importOnnx(invocation.file, importOptions(invocation), context);
    if (module && failed(writeRecipe(*module, invocation)))
      return {};
    return module;
  }
  if (invocation.batch || !invocation.dims.empty()) {
    emitError(UnknownLoc::get(&context))
        << "--batch and --dim are for ONNX models and programs of torch.export; an .mlir program says its "
           "sizes itself, with train.dim";
    return {};
  }
  OwningOpRef<ModuleOp> module = text::readFile(invocation.file, context);
  if (module && !fitsRecipe(*module, invocation, reading))
    return {};
  return module;
}

} // namespace

OwningOpRef<ModuleOp> readModel(Invocation &invocation, Reading &reading) {
  OwningOpRef<ModuleOp> module = importModel(invocation, reading);
  if (module)
    warnOfSeed(invocation, *module);
  return module;
}

OwningOpRef<ModuleOp> checkModel(Invocation &invocation, Reading &reading) {
  if (isMlir(invocation) || isCpp(invocation))
    return readModel(invocation, reading);
  const ChosenTraining asked = chosenIn(invocation.recipe);
  if (!mayBeModel(invocation, reading.context) || !areOfItsKind(invocation, reading.context) ||
      !areMachines(invocation, reading.context) ||
      !allHaveEffect(invocation, !asked.loss.empty(), asked, reading))
    return {};
  OwningOpRef<ModuleOp> module;
  const std::vector<std::string> reasons =
      isStablehlo(invocation)
          ? stablehlo::checkStablehlo(invocation.file, stablehloOptions(invocation), reading.context, &module)
      : isPt2(invocation)
          ? pt2::checkPt2(invocation.file, graphOptions(invocation), reading.context, &module)
          : onnx::checkOnnx(invocation.file, importOptions(invocation), reading.context, &module);
  for (const std::string &reason : reasons)
    emitError(UnknownLoc::get(&reading.context)) << reason;
  if (module && failed(writeRecipe(*module, invocation)))
    return {};
  if (module)
    warnOfSeed(invocation, *module);
  return module;
}

} // namespace dlc::tool
