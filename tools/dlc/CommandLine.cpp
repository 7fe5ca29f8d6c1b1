//===- CommandLine.cpp - options of dlc ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Against.h"
#include "tools/dlc/Commands.h"
#include "tools/dlc/ExportCommand.h"
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionGroups.h"
#include "tools/dlc/PredictCommand.h"
#include "tools/dlc/ProfileCommand.h"
#include "tools/dlc/ReportCommand.h"
#include "tools/dlc/TrainCommand.h"
#include "tools/dlc/TuneCommand.h"
#include "tools/dlc/VerifyCommand.h"
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace dlc::tool {
namespace {

/// One empty line, and only one, between the parts of a help text.
struct HelpFormatter : CLI::Formatter {
  std::string make_description(const CLI::App *app) const override { return app->get_description() + "\n\n"; }
  std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n");
  }
};

/// All that says what is compiled, but for the kind of machine.
void addCompilationOptions(CLI::App *app, Invocation &invocation) {
  addModelOptions(app, invocation);
  addLossOptions(app, invocation.recipe);
  addOptimizerOptions(app, invocation.recipe);
  addComputationOptions(app, invocation);
  addMachineOptions(app, invocation.options);
}

/// An option takes the value behind it and no more, however often it may be given: what follows may be FILE.
void takeOneValueEach(CLI::App &app) {
  for (CLI::App *command : app.get_subcommands([](CLI::App *) { return true; }))
    for (CLI::Option *option :
         command->get_options([](CLI::Option *each) { return !each->get_positional(); }))
      option->allow_extra_args(false);
}

/// Whether an option says what is compiled, unlike FILE, -q and the like.
bool isModelOption(const CLI::Option &option) {
  const std::string group = option.get_group();
  return group == "Model" || group == "Loss" || group == "Optimizer" || group == "Target" || group == "Reasons";
}

/// What went wrong, with the option that was probably meant.
std::string sentence(const CLI::App &app, const CLI::ParseError &error) {
  std::vector<CLI::App *> commands = const_cast<CLI::App &>(app).get_subcommands();
  if (commands.empty())
    return error.get_name() == "RequiredError" ? "expected a command: compile, train, eval, predict, check, "
                                                 "verify, inspect, profile, report, plot, tune or export"
                                               : error.what();
  // Where something is missing, it may be because of a slip in what is there.
  const bool isMissing = error.get_name() == "RequiredError";
  if (!isMissing && error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError))
    return error.what();
  bool areOptions = true; // up to --, behind which no argument is one
  for (const std::string &argument : app.remaining(/*recurse=*/true)) {
    if (argument == "--") {
      areOptions = false;
      continue;
    }
    if (!areOptions)
      return "'" + argument + "' is one argument too many: behind -- there are no options, only FILE";
    if (argument.size() < 2 || argument[0] != '-')
      continue;
    std::vector<std::string> known;
    for (const CLI::Option *option : commands.front()->get_options())
      for (const std::string &name : option->get_lnames())
        known.push_back("--" + name);
    std::string flag = argument.substr(0, argument.find('=')), near = nearest(flag, known);
    return commands.front()->get_name() + " has no option '" + flag + "'" +
           (!near.empty() ? "; did you mean '" + near + "'?"
            : isMissing   ? "; a FILE whose name begins with - stands behind --"
                          : "");
  }
  return error.what();
}

} // namespace

Parsed parseArguments(int argc, const char *const *argv, Invocation &invocation) {
  CLI::App app("dlc compiles a model to a C library that trains it.", "dlc");
  app.footer("dlc COMMAND --help lists a command's options. For example,\n"
             "  dlc compile mlp.onnx -o out --batch=64 --loss=softmax-cross-entropy --optimizer=adam\n"
             "writes out/libmlp.a, out/mlp.h, out/mlp.safetensors and out/mlp.json.");
  app.set_version_flag("--version", versionText, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(28);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  invocation.program = argc ? argv[0] : "dlc";

  CLI::App *compile = app.add_subcommand("compile", "Compile a model to a training-step library");
  compile->footer(
      "Without --loss, the library has prediction only. Nothing is printed on success but\n"
      "remarks, where training is not what the model's file says (it was exported for inference).");
  CLI::App *check = app.add_subcommand("check", "Say everything that would stop a compilation, all at once");
  CLI::App *inspect =
      app.add_subcommand("inspect", "Show inputs, parameters, kernels and memory of a model or library");
  for (CLI::App *command : {compile, check, inspect}) {
    bool inspects = command == inspect;
    command
        ->add_option("FILE", invocation.file,
                     inspects
                         ? "A model (.onnx, .pt2, .cpp, .mlir), a library (.a, .so) or its manifest (.json)"
                         : "The model: .onnx, .pt2, .cpp or .mlir")
        ->required()
        ->option_text(" ");
    command->group("Commands");
    addCompilationOptions(command, invocation);
    addTargetOption(command, invocation.options);
    addGpuOptions(command, invocation.options);
  }
  for (CLI::App *command : {compile, inspect})
    addRemarkOptions(command, invocation);
  inspect
      ->add_option(
          "--why", invocation.why,
          "Say only what was decided of this kernel, parameter, function or\nnode of the model, and why")
      ->option_text("NAME")
      ->group("Reasons");
  CLI::App *verify = addVerifyCommand(app, invocation);
  for (CLI::App *command : {check, verify})
    addAgainstOptions(command, invocation);
  addCompilationOptions(verify, invocation);
  addTargetOption(verify, invocation.options);
  addGpuOptions(verify, invocation.options);
  for (CLI::App *command : {compile, check, verify})
    addFunctionOption(command, invocation.recipe);
  CLI::App *train = addTrainCommand(app, invocation);
  addCompilationOptions(train, invocation);
  train->get_option("--swa-start")->excludes(train->get_option("--ema-decay"));
  addGpuOptions(train, invocation.options);
  CLI::App *eval = addEvalCommand(app, invocation), *predict = addPredictCommand(app, invocation);
  addLossOptions(eval, invocation.recipe);
  for (CLI::App *command : {eval, predict}) {
    addModelOptions(command, invocation);
    addComputationOptions(command, invocation);
    addMachineOptions(command, invocation.options);
    addGpuOptions(command, invocation.options);
  }
  CLI::App *profile = addProfileCommand(app, invocation);
  CLI::App *report = addReportCommand(app, invocation);
  CLI::App *plot = addPlotCommand(app, invocation);
  CLI::App *tune = addTuneCommand(app, invocation);
  CLI::App *exported = addExportCommand(app, invocation);
  addDescriptionOptions(exported, invocation);
  addCustomOptions(exported, invocation);
  addMaxTrips(exported, invocation);
  CLI::App *devices =
      app.add_subcommand("devices", "List the CPU and the GPUs of this machine, as --device names them");
  CLI::App *precompile =
      app.add_subcommand("precompile", "Compile dlc's C++ headers once: models in C++ take less time then");
  precompile->footer(
      "GCC keeps what it reads of them in a file of some 70 MB, beside dlc or in the user's cache, which\n"
      "dlc compile uses from then on. docs/cpp.md has more.");
  precompile->add_flag("-q,--quiet", invocation.quiet, "Print errors only");
  for (CLI::App *command :
       {verify, train, eval, predict, profile, report, plot, tune, exported, devices, precompile})
    command->group("Commands");
  addOutputOptions(compile, invocation.options);
  compile
      ->add_flag(
          "--verify", invocation.verify.beforeWriting,
          "Write files only if the compiled step computes what the interpreter\ndoes, as dlc verify finds "
          "out")
      ->group("Output");
  for (CLI::App *command : {compile, check, verify, train, eval, predict, exported})
    command->add_flag("-q,--quiet", invocation.quiet, "Print errors, warnings and results only");
  compile->add_flag("-v,--verbose", invocation.verbose, "Say more about the model, and what was written");
  for (CLI::App *command : {check, train, eval, predict})
    command->add_flag("-v,--verbose", invocation.verbose, "Say more about the model");
  inspect->add_flag("-v,--verbose", invocation.verbose,
                    "Show every state, every launch and what fills the memory too");
  takeOneValueEach(app);

  try {
    auto isMeant = [&](const CLI::App *command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(isMeant).empty())
      throw CLI::ValidationError("there is no command '" + std::string(argv[1]) + "'" + commandHint(argv[1]));
    for (int i = 1; i < argc && std::string(argv[i]) != "--";
         ++i) // the parser would take the next argument for the value
      if (const std::string argument = argv[i];
          argument.rfind("--", 0) == 0 && argument.find('=') == argument.size() - 1)
        throw CLI::ValidationError(argument.substr(0, argument.size() - 1),
                                   "the value behind '=' is missing");
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    const std::vector<CLI::App *> commands = app.get_subcommands();
    const std::string command = commands.empty() ? "compile" : commands.front()->get_name();
    if (error.get_exit_code() != 0)
      return {Parsed::Kind::Wrong, sentence(app, error), command};
    std::ostringstream text; // --help, --version
    app.exit(error, text, text);
    return {Parsed::Kind::Asked, text.str(), command};
  }
  for (const CLI::Option *option : app.get_subcommands().front()->get_options()) {
    if (option->count() == 0)
      continue;
    invocation.allGiven.push_back(option->get_name());
    if (isModelOption(*option))
      invocation.given.push_back(option->get_name());
  }
  if (const std::string message = bindingsMessage(invocation.options); compile->parsed() && !message.empty())
    return {Parsed::Kind::Wrong, message, "compile"};
  if (profile->parsed() && invocation.file.empty() == invocation.profile.expression.empty())
    return {Parsed::Kind::Wrong, "expected a FILE, or --expression in its place", "profile"};
  if (train->parsed())
    finishTrainOptions(*train, argc, argv, invocation);
  if (eval->parsed() || predict->parsed())
    compileForDevice(invocation);
  invocation.command = check->parsed()        ? Invocation::Command::Check
                       : inspect->parsed()    ? Invocation::Command::Inspect
                       : profile->parsed()    ? Invocation::Command::Profile
                       : report->parsed()     ? Invocation::Command::Report
                       : plot->parsed()       ? Invocation::Command::Plot
                       : train->parsed()      ? Invocation::Command::Train
                       : eval->parsed()       ? Invocation::Command::Eval
                       : predict->parsed()    ? Invocation::Command::Predict
                       : tune->parsed()       ? Invocation::Command::Tune
                       : exported->parsed()   ? Invocation::Command::Export
                       : verify->parsed()     ? Invocation::Command::Verify
                       : devices->parsed()    ? Invocation::Command::Devices
                       : precompile->parsed() ? Invocation::Command::Precompile
                                              : Invocation::Command::Compile;
  return {Parsed::Kind::Ready, "", ""};
}

std::optional<int> parseCommandLine(int argc, char **argv, Invocation &invocation) {
  const Parsed parsed = parseArguments(argc, argv, invocation);
  switch (parsed.kind) {
  case Parsed::Kind::Ready:
    return std::nullopt;
  case Parsed::Kind::Asked:
    std::cout << parsed.text;
    return 0;
  case Parsed::Kind::Wrong:
    break;
  }
  std::cerr << "dlc: error: " << parsed.text << " (dlc --help lists the commands, dlc " << parsed.command
            << " --help the options)\n";
  return 1;
}

} // namespace dlc::tool
