//===- Session.cpp - training in the process that describes the model ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime does the work and has the checks; here its arrays have shapes, and its statuses become
// exceptions.
//===----------------------------------------------------------------------===//
#include "dlc/session.h"
#include "dlc/collectives.h"
#include "frontends/cpp/api/Batch.h"
#include "frontends/cpp/api/DTypes.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/PackedElements.h"
#include "frontends/cpp/api/SessionState.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>
#include <cmath>

namespace dlc {
using namespace detail;

namespace detail {

Compiled::Compiled(const Program &program, const SessionOptions &options, const Where &where) {
  if (!program.contents)
    fail("the program is empty; dlc::program makes one", where);
  record::LoadOptions wanted;
  wanted.cpu = options.cpu;
  if (options.memory_budget && *options.memory_budget < 1)
    fail("memory_budget: expected a number of bytes above 0, got " + std::to_string(*options.memory_budget),
         where);
  wanted.memoryBudget = options.memory_budget;
  wanted.anySize = options.any_size;
  if (!(options.max_grad_norm >= 0) || std::isinf(options.max_grad_norm))
    fail("max_grad_norm: expected a number of at least 0, got " + pythonNumber(options.max_grad_norm), where);
  wanted.maxGradNorm = options.max_grad_norm;
  wanted.gradNorm = options.grad_norm;
  wanted.stepMetrics = options.step_metrics;
  const std::string precisions[] = {"fp32", "tf32", "bf16", "fp16"};
  if (std::find(std::begin(precisions), std::end(precisions), options.precision) == std::end(precisions))
    fail("precision: expected \"fp32\", \"tf32\", \"bf16\" or \"fp16\", got \"" + options.precision + "\"",
         where);
  wanted.precision = options.precision;
  if (options.loss_scale && !(*options.loss_scale >= 0x1p-100 && *options.loss_scale <= 0x1p100))
    fail("loss_scale: expected a number from 2^-100 to 2^100, got " + pythonNumber(*options.loss_scale),
         where);
  if (options.loss_scale)
    wanted.lossScale = *options.loss_scale;
  wanted.seed = options.seed;
  if (options.collectives)
    wanted.ranks = options.collectives->ranks;
  // PyTorch's names of GPUs are known, too.
  const std::string device =
      options.device.starts_with("cuda") ? "gpu" + options.device.substr(4) : options.device;
  if (device != "cpu" && device != "gpu" && !device.starts_with("gpu:"))
    fail("device: expected \"cpu\", \"gpu\", or \"gpu:\" and a number, got \"" + options.device + "\"",
         where);
  wanted.isForGpus = device != "cpu";
  wanted.simt = options.gpu_code == "simt";
  if (!wanted.simt && options.gpu_code != "ptx")
    fail("gpu_code: expected \"ptx\" or \"simt\", got \"" + options.gpu_code + "\"", where);
  code = unwrap(record::loadProgram(*program.contents, wanted), where);
  char error[1024] = "";
  dlc_create_options create = {};
  create.struct_size = sizeof create;
  create.threads = options.threads;
  create.device = device.c_str();
  create.check_finite = options.check_finite;
  create.error = error;
  create.error_bytes = sizeof error;
  const dlc_model &model = *code->model();
  if (dlc_instance_create(&model, DLC_ABI_VERSION, model.fingerprint, &create, &instance) != DLC_OK)
    fail(error, where);
  training = std::make_unique<record::Training>(*program.contents,
                                                [this](const std::string &name) { return elementsOf(name); });
}

Compiled::~Compiled() {
  training.reset(); // which asks for the last values
  dlc_instance_destroy(instance);
}

record::Outcome<std::optional<record::Elements>> Compiled::elementsOf(const std::string &name) const try {
  using Result = record::Outcome<std::optional<record::Elements>>;
  const dlc_model &model = *code->model();
  for (uint32_t i = 0; i < model.symbol_count; ++i) {
    const dlc_symbol &symbol = model.symbols[i];
    if (!(parameterKinds >> symbol.kind & 1) || symbol.name != name)
      continue;
    record::Elements elements{{symbol.shape, symbol.shape + symbol.rank}, dtypeOf(symbol.dtype), {}};
    elements.bytes.resize(size_t(countOf(elements.shape) * bytesOf(elements.dtype)));
    const dlc_status status =
        dlc_instance_parameter_read(instance, symbol.name, elements.bytes.data(), elements.bytes.size());
    if (status == DLC_BUSY)
      return Result::fail("another thread is in a call of the session that trains it");
    if (status != DLC_OK)
      return Result::fail(std::string("the session that trains it has failed: ") +
                          dlc_instance_last_error(instance));
    return {std::optional(std::move(elements)), ""};
  }
  return {std::optional<record::Elements>(), ""};
} catch (const std::bad_alloc &) {
  return record::Outcome<std::optional<record::Elements>>::fail("there is no memory for its trained values");
}

void SessionState::check(dlc_status status, const Where &where) const {
  if (status == DLC_BUSY)
    fail("another thread is in a call of this session, which serves one at a time", where);
  if (status != DLC_OK)
    fail(dlc_instance_last_error(instance()), where);
}

void SessionState::requireParameters(const Where &where) const {
  if (usesAverage)
    fail("the averages are in the places of the parameters; call use_average(false) first", where);
}

} // namespace detail

namespace detail {

SessionPointer::SessionPointer() : state(std::make_unique<SessionState>()) {}
SessionPointer::SessionPointer(SessionPointer &&) noexcept = default;
SessionPointer &SessionPointer::operator=(SessionPointer &&) noexcept = default;
SessionPointer::~SessionPointer() = default;

SessionState *SessionPointer::operator->() const {
  if (!state)
    fail("the session was moved into another one, and has no model any more", Where());
  return state.get();
}

} // namespace detail

Session::Session(const Program &program, const SessionOptions &options, Where where) {
  state->options = options;
  state->compiled = std::make_unique<Compiled>(program, options, where);
  if (state->ranks())
    join_ranks(where);
}
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;
Session::~Session() = default;

namespace {

/// The forms of a call that trains.
struct Training {
  dlc_status (*atBounds)(dlc_instance *, const void *const *, float *);
  dlc_status (*anySize)(dlc_instance *, int64_t, const int64_t *, const void *const *, float *);
  dlc_status (*ofRank)(dlc_instance *, const dlc_collectives *, int64_t, const void *const *, float *,
                       dlc_metrics *);
};

} // namespace

static float train(const SessionState &state, const Training &call, const std::vector<View> &arrays,
                   const Where &where) {
  const dlc_model &model = state.model();
  if (!(model.functions & 1u << DLC_TRAIN_STEP))
    fail("the program has no loss, so that it cannot be trained", where);
  float loss = 0;
  const dlc_collectives *ranks = state.ranks();
  if (ranks && arrays.empty()) { // no row is this one's
    state.check(call.ofRank(state.instance(), ranks, 0, nullptr, &loss, nullptr), where);
    state.changed();
    return loss;
  }
  const Batch batch(model, arrays, Batch::Inputs::All, Batch::Rows::UpToBound, where);
  if (ranks)
    state.check(
        call.ofRank(state.instance(), ranks, batch.rows(), batch.pointers().data(), &loss, nullptr), where);
  else if (batch.isAtBounds())
    state.check(call.atBounds(state.instance(), batch.pointers().data(), &loss), where);
  else if (model.functions & 1u << DLC_TRAIN_STEP_N)
    state.check(
        call.anySize(state.instance(), batch.rows(), batch.otherSizes(), batch.pointers().data(), &loss),
        where);
  else
    fail("the session trains on batches of " + std::to_string(model.dims[0].bound) +
             " rows with all sizes at their bounds only, as its option any_size is off; this batch has " +
             std::to_string(batch.rows()),
         where);
  state.changed();
  return loss;
}

float Session::train_step(const std::vector<View> &batch, Where where) {
  return train(*state, {dlc_instance_train_step, dlc_instance_train_step_n, dlc_instance_rank_step}, batch, where);
}
float Session::grad_step(const std::vector<View> &batch, Where where) {
  return train(*state, {dlc_instance_grad_step, dlc_instance_grad_step_n, dlc_instance_rank_grad_step}, batch, where);
}
float Session::accumulate(const std::vector<View> &batch, Where where) {
  return train(*state, {dlc_instance_accumulate, dlc_instance_accumulate_n, dlc_instance_rank_accumulate}, batch, where);
}
void Session::apply(Where where) {
  state->check(state->ranks() ? dlc_instance_rank_apply(state->instance(), state->ranks())
                              : dlc_instance_apply(state->instance()),
               where);
  state->changed();
}

void Session::join_ranks(Where where) {
  if (!state->ranks())
    fail("join_ranks: the session is that of one process; SessionOptions::collectives says who the others are", where);
  state->check(dlc_instance_join_ranks(state->instance(), state->ranks()), where);
  state->changed();
}

double Session::grad_norm(Where where) const {
  double norm = 0;
  state->check(dlc_instance_grad_norm(state->instance(), &norm), where);
  return norm;
}
double Evaluation::accuracy(Where where) const {
  if (loss_without_classes == "output")
    fail("accuracy: by the loss that the program computes no prediction is known to be right or wrong; "
         "loss() is "
         "its mean, and predict() gives what can be counted",
         where);
  if (!loss_without_classes.empty())
    fail("accuracy: the loss " + loss_without_classes +
             " has no classes, so that no prediction is right or wrong; loss() is its mean, and "
             "dlc_mean_absolute_error and dlc_r2 of dlc/metrics.h measure what predict() gives",
         where);
  return double(correct) / double(count);
}
Evaluation Session::step_metrics(Where where) const {
  dlc_metrics metrics;
  state->check(dlc_instance_step_metrics(state->instance(), &metrics), where);
  return {metrics.loss_sum, metrics.loss_weight, metrics.correct, metrics.count,
          state->compiled->code->lossWithoutClasses()};
}
int64_t Session::step_count() const { return dlc_instance_step_count(state->instance()); }

Evaluation Session::evaluate(const std::vector<View> &arrays, Where where) const {
  const Batch batch(state->model(), arrays, Batch::Inputs::All, Batch::Rows::Any, where);
  Evaluation sum;
  for (int64_t first = 0; first < batch.rows(); first += batch.rowsAtOnce()) {
    const int64_t rows = std::min(batch.rowsAtOnce(), batch.rows() - first);
    dlc_metrics metrics;
    state->check(dlc_instance_eval_step_n(state->instance(), rows, batch.otherSizes(),
                                          batch.pointers(first).data(), &metrics),
                 where);
    sum += {metrics.loss_sum, metrics.loss_weight, metrics.correct, metrics.count,
            state->compiled->code->lossWithoutClasses()};
  }
  return sum;
}

List<Array> Session::predict(const std::vector<View> &inputs, Where where) const {
  const dlc_model &model = state->model();
  const Batch batch(model, inputs, Batch::Inputs::WithoutTargets, Batch::Rows::Any, where);
  List<Array> predictions;
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (model.outputs[i].role == DLC_OUTPUT_PREDICTION)
      predictions.emplace_back(dtypeOf(model.outputs[i].dtype), batch.shapeOf(model.outputs[i], batch.rows()),
                               where);
  for (int64_t first = 0; first < batch.rows(); first += batch.rowsAtOnce()) {
    const int64_t rows = std::min(batch.rowsAtOnce(), batch.rows() - first);
    std::vector<void *> written;
    size_t next = 0;
    for (uint32_t i = 0; i < model.output_count; ++i) {
      if (model.outputs[i].role != DLC_OUTPUT_PREDICTION) {
        written.push_back(nullptr);
        continue;
      }
      std::span<std::byte> bytes = predictions[next++].bytes();
      written.push_back(bytes.data() + (first ? bytes.size() / batch.rows() * first : 0));
    }
    state->check(dlc_instance_predict(state->instance(), rows, batch.otherSizes(),
                                      batch.pointers(first).data(), written.data()),
                 where);
  }
  return predictions;
}

void Session::set_learning_rate(double value, Where where) {
  set_hyperparameter("learning_rate", value, where);
}
double Session::learning_rate(Where where) const { return hyperparameter("learning_rate", where); }

void Session::set_hyperparameter(const std::string &name, double value, Where where) {
  state->check(dlc_instance_set_hyperparameter(state->instance(), name.c_str(), value), where);
}
double Session::hyperparameter(const std::string &name, Where where) const {
  double value = 0;
  state->check(dlc_instance_get_hyperparameter(state->instance(), name.c_str(), &value), where);
  return value;
}
std::vector<std::string> Session::hyperparameters() const {
  std::vector<std::string> names;
  state->forEach(1u << DLC_HYPERPARAMETER, [&](const dlc_symbol &symbol) { names.push_back(symbol.name); });
  return names;
}
void Session::set_seed(uint64_t seed, Where where) {
  state->check(dlc_instance_set_seed(state->instance(), seed), where);
}

Reloaded Session::reload(const Program &program, Where where) {
  state->requireParameters(where);
  auto fresh = std::make_unique<Compiled>(program, state->options, where);
  Reloaded result;
  auto visit = [](void *context, const dlc_symbol *symbol, int32_t taken) {
    auto &result = *static_cast<Reloaded *>(context);
    (taken ? result.kept : result.started).push_back(symbol->name);
  };
  const dlc_status status = dlc_instance_adopt(fresh->instance, state->instance(), visit, &result);
  if (status == DLC_BUSY)
    state->check(status, where);
  if (status != DLC_OK)
    fail(dlc_instance_last_error(fresh->instance), where);
  state->forEach(learnedKinds, [&](const dlc_symbol &symbol) {
    if (std::find(result.kept.begin(), result.kept.end(), symbol.name) == result.kept.end())
      result.dropped.push_back(symbol.name);
  });
  state->compiled = std::move(fresh);
  if (!result.kept.empty())
    state->changed();
  return result;
}

} // namespace dlc
