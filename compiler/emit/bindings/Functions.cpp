//===- Functions.cpp - the functions of a model that take no tensors -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is not here, each language has in its own way: making and freeing a model, its errors, what is read
// and written by the name of a parameter, hyperparameters, bytes in memory, which entries there are, and what
// goes between two models.
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/Functions.h"

namespace dlc::emit::bindings {
namespace {

void addFiles(Description &description) {
  auto add = [&](const char *name, const char *about, bool changes) {
    description.functions.push_back({name, about, changes, {{Taken::Path, "path"}}, "", ""});
  };
  add("save", "Writes the whole state to a safetensors file, which appears whole or not at all.", false);
  add("save_weights", "Writes parameters and buffers alone, as state_dict of PyTorch holds them.", false);
  add("load",
      "Reads a file that save has written, after which training goes on as without an interruption,\n"
      "or one of parameters and buffers alone.",
      true);
}

/// Numbers and texts of the program's own, which files of `save` hold.
void addEntries(Description &description) {
  const Value entry{Taken::Text, "entry"};
  auto add = [&](const char *name, const std::string &about, std::vector<Value> values,
                 const char *result = "", const char *ofResult = "") {
    description.functions.push_back({name, about, *result == 0, std::move(values), result, ofResult});
  };
  auto sets = [](const std::string &what, const std::string &sizes) {
    return "Sets an entry of the program's own, a " + what +
           " by name: save writes all entries, load replaces all.\n" + sizes;
  };
  add("extra_write_number", sets("number", "A name has 1 to 200 bytes."), {entry, {Taken::Real, "number"}});
  add("extra_write_text", sets("text", "A name has 1 to 200 bytes, a text up to 65536."),
      {entry, {Taken::Text, "content"}});
  add("extra_read_number", "The number of this name; that there is none is an error.", {entry}, "f64",
      "number");
  add("extra_read_text", "The text of this name; that there is none is an error.", {entry}, "text",
      "content");
}

void addTrainingFunctions(Description &description) {
  auto add = [&](const char *name, const char *about, bool changes, std::vector<Value> values = {},
                 const char *result = "", const char *ofResult = "") {
    description.functions.push_back({name, about, changes, std::move(values), result, ofResult});
  };
  add("apply", "The optimizer's update with the gradients that the model keeps.", true);
  add("sync", "The loss of the last training step, gradient step or accumulation.", false, {}, "f32", "loss");
  add("grad_norm", "The Euclidean norm of all gradients.", false, {}, "f64", "norm");
  if (description.hasStepMetrics)
    add("step_metrics",
        "The sums and counts of the last training step, gradient step or accumulation, of its own batch and\n"
        "before an update, with its dropout and the statistics of the batch. They may be added up over "
        "batches.",
        false, {}, "metrics", "metrics");
  add("set_seed", "Starts the random numbers of dropout again.", true, {{Taken::Number, "seed"}});
  if (description.hasAverages)
    add("use_average", "Puts the moving averages into the places of the parameters for evaluation, or back.",
        true, {{Taken::Truth, "uses"}});
}

/// All parameters, or gradients, as one array.
void addAll(Description &description) {
  const AllValues &all = description.all;
  const std::string left = all.hasOthers ? "Tensors of other types than f32 and f64 are left out.\n" : "";
  const std::string array = "one array of " + all.dtype, trained = std::to_string(all.trainable),
                    order = "one tensor after the other in the order of the table, row-major";
  const std::string parameters = "all parameters and buffers as " + array + ", " + order + ":\n" +
                                 std::to_string(all.count) +
                                 " numbers; of those alone that training changes, " + trained + ".";
  auto add = [&](const char *name, const std::string &about, Taken kind, bool ofParameters) {
    Function function{
        name, left.empty() ? about : about + "\n" + left, kind == Taken::Values, {{kind, "values"}}, "", ""};
    if (!left.empty())
      function.about.pop_back();
    if (ofParameters)
      function.values.push_back({Taken::Truth, "trainable_only"});
    description.functions.push_back(std::move(function));
  };
  add("parameters_read_all", "Copies " + parameters, Taken::Place, true);
  add("parameters_write_all", "Sets " + parameters, Taken::Values, true);
  if (!description.interface.hasLoss)
    return;
  const std::string gradients =
      " as " + array + ", in the order of trained parameters:\n" + trained + " numbers.";
  add("gradients_read_all", "Copies all gradients that the model keeps" + gradients, Taken::Place, false);
  add("gradients_write_all", "Sets all gradients, which apply uses," + gradients, Taken::Values, false);
}

} // namespace

void addFunctions(Description &description) {
  if (description.interface.hasLoss)
    addTrainingFunctions(description);
  addFiles(description);
  addEntries(description);
  addAll(description);
}

} // namespace dlc::emit::bindings
