//===- dlc/session.h - training in the process that describes the model ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Session compiles a program into the running process, and trains, evaluates and predicts there; no file is
// written. It computes the same bits as the library that `dlc compile` makes of the program. docs/sessions.md
// shows it at work.
//
// A session serves one call at a time. Errors are dlc::Error, with the line of the call, and a call that
// fails leaves the model as it was.
//===----------------------------------------------------------------------===//
#ifndef DLC_SESSION_H
#define DLC_SESSION_H

#include "dlc/array.h"
#include "dlc/device.h"
#include "dlc/program.h"

struct dlc_collectives;

namespace dlc {

namespace detail {
struct SessionState;

/// What a session holds, which moves with it. One that was moved from says so.
class DLC_API SessionPointer {
public:
  SessionPointer();
  SessionPointer(SessionPointer &&) noexcept;
  SessionPointer &operator=(SessionPointer &&) noexcept;
  ~SessionPointer();
  SessionState *operator->() const;
  SessionState &operator*() const { return *operator->(); }

private:
  std::unique_ptr<SessionState> state;
};
} // namespace detail

/// How a session compiles and begins.
struct SessionOptions {
  int threads = 0;      ///< 0: one per core
  std::string cpu = {}; ///< whose instructions are used, such as "x86-64-v3"; empty: this machine's
  /// The bytes that all the model's memory may have; where it would take more, values are computed again
  /// instead of being kept. A budget that is too small for that is an error.
  std::optional<int64_t> memory_budget = {};
  /// Training steps take any size of the named dims up to their bounds, such as an epoch's last batch.
  /// Otherwise they take the bounds alone, and compiling takes less time.
  bool any_size = true;
  /// The gradients are clipped to this norm; 0: to that of Optimizer::clip_grad_norm, if there is one.
  double max_grad_norm = 0;
  /// Each update computes the norm of the gradients, so that Session::grad_norm gives it after train_step
  /// also where nothing is clipped by it.
  bool grad_norm = false;
  /// Each step counts what an evaluation counts, so that Session::step_metrics gives the accuracy and the loss
  /// of the batches of training.
  bool step_metrics = false;
  /// What the operands of products are rounded to: "fp32" (not at all), "tf32", "bf16" or "fp16".
  std::string precision = "fp32";
  /// What the loss is multiplied by while gradients flow back; none: with fp16 a number that adjusts itself,
  /// as torch.amp.GradScaler's does (`hyperparameter("loss_scale")`), else no such factor.
  std::optional<double> loss_scale = {};
  uint64_t seed = 0;         ///< of dropout
  bool check_finite = false; ///< a NaN or infinite number in a step is an error, and nothing changes
  /// Where the model is: "cpu", "gpu" for the first NVIDIA GPU, "gpu:1" for the second one; "cuda" and
  /// "cuda:1" are other names for them. best_device() chooses.
  std::string device = "cpu";
  /// The code that a GPU gets: "ptx", or "simt", code of this machine that a stand-in for a GPU's driver
  /// runs, to check without one.
  std::string gpu_code = "ptx";
  /// How the ranks, several processes that train together, speak; null for a session alone (dlc/collectives.h). It must
  /// stay until the session ends. The program is that of all ranks, whose batch has the rows of all; each brings its own, a batch
  /// of no arrays where it has none. What trains is collective: all ranks call it, and get the loss of the whole batch.
  /// All begin as rank 0 does.
  const dlc_collectives *collectives = nullptr;
};

/// Sums over the rows of an evaluation, or of a step that trains; those of several calls can be added up.
struct DLC_API Evaluation {
  double loss_sum = 0;    ///< of the losses of all rows
  double loss_weight = 0; ///< what divides it to a mean: the number of rows, or the sum of their weights
  int64_t correct = 0;    ///< labels that had the largest score, with losses that have classes; else 0
  int64_t count = 0;      ///< labels, without those that are ignored; rows, with losses without classes

  /// The mean loss.
  double loss() const { return loss_sum / loss_weight; }
  /// The part of labels that had the largest score, or of rows on the target's side with losses of yes and
  /// no. Throws an Error with another loss, by which no prediction is right or wrong.
  double accuracy(Where where = Where::current()) const;
  /// Both together.
  Evaluation &operator+=(const Evaluation &other) {
    loss_sum += other.loss_sum, loss_weight += other.loss_weight;
    correct += other.correct, count += other.count;
    if (loss_without_classes.empty())
      loss_without_classes = other.loss_without_classes;
    return *this;
  }
  std::string loss_without_classes =
      {}; ///< its name where the loss has none: "mse"; "output": the program's own
};

/// What became of the tensors when a session took another program.
struct Reloaded {
  std::vector<std::string> kept;    ///< trained values that the new program goes on with
  std::vector<std::string> started; ///< tensors of the new program that begin as it says
  std::vector<std::string> dropped; ///< tensors of the old program that the new one does not have
};

/// What Session::profile measures.
struct ProfileOptions {
  std::string function = {}; ///< "train_step", "predict" ...; empty: the first of these that there is
  int64_t steps = 0;         ///< calls to measure; 0: a second of them, at least 20
  bool by_node = false;      ///< lines are lines of the description, in place of kernels
};

/// Where the time of a call goes.
struct Profile {
  /// A kernel of the compiled code, or a line of the description.
  struct Line {
    std::string name;        ///< as it is printed
    int64_t launches = 0;    ///< in a call
    double microseconds = 0; ///< in a call, all launches together
  };
  double microseconds = 0; ///< of a call, the median
  int64_t calls = 0;       ///< that were measured
  int threads = 0;         ///< that they ran on
  std::vector<Line> lines; ///< those that take longest first
  std::string text;        ///< a table for people, with rates and limits (docs/profiling.md)
  std::string trace;       ///< the last ten calls as a Chrome trace, a JSON text
};
/// Prints the table.
DLC_API std::ostream &operator<<(std::ostream &out, const Profile &profile);

class LBFGS;

/// A model that is trained in this process.
class DLC_API Session {
public:
  explicit Session(const Program &program, const SessionOptions &options = {},
                   Where where = Where::current());
  /// A session is not made of a model alone: program() puts it together with its loss and optimizer.
  template <typename Model, typename... More>
    requires std::derived_from<Model, nn::Module>
  explicit Session(const Model &, const More &...) = delete; // write Session(program(net, loss, adam, x))
  Session(Session &&) noexcept;
  Session &operator=(Session &&) noexcept;
  ~Session();

  /// One step of training; the mean loss of the batch before it. First come the program's inputs in their
  /// order, then the loss's targets: train_step({images, labels}).
  float train_step(const std::vector<View> &batch, Where where = Where::current());
  /// The same with one input, or two, and a target.
  ///@{
  float train_step(const View &input, const View &target, Where where = Where::current()) {
    return train_step(std::vector<View>{input, target}, where);
  }
  float train_step(const View &first, const View &second, const View &target,
                   Where where = Where::current()) {
    return train_step(std::vector<View>{first, second, target}, where);
  }
  ///@}
  /// The first half of a step: the gradients. Its second half is apply().
  float grad_step(const std::vector<View> &batch, Where where = Where::current());
  /// The same, and adds them to those that are there; with Optimizer::accumulate("mean"), makes of both the
  /// gradients of one batch that has all of their samples. The loss is that of this batch.
  float accumulate(const std::vector<View> &batch, Where where = Where::current());
  /// The second half: the optimizer's update.
  void apply(Where where = Where::current());
  /// The Euclidean norm of all gradients. Where they are clipped by it, or with the option grad_norm: of
  /// those of the last train_step or apply, before they were clipped. Else it is computed now, of the
  /// gradients that grad_step and accumulate have left; train_step leaves none, and throws then.
  double grad_norm(Where where = Where::current()) const;
  /// With the option step_metrics: the sums and counts of the last train_step, grad_step or accumulate, of its own
  /// batch and before an update; `epoch += session.step_metrics()` adds up those of an epoch. They are of the
  /// training itself, with its dropout and the statistics of the batch; `evaluate` measures without. An error
  /// before the first step, and without the option.
  Evaluation step_metrics(Where where = Where::current()) const;
  /// Updates so far.
  int64_t step_count() const;

  /// Without dropout, and with the statistics that batch normalizations have collected. Any number of rows:
  /// where the first dim of all inputs is the batch, more than its bound go through in several parts.
  Evaluation evaluate(const std::vector<View> &batch, Where where = Where::current()) const;
  /// The same with one input, or two, and a target.
  ///@{
  Evaluation evaluate(const View &input, const View &target, Where where = Where::current()) const {
    return evaluate(std::vector<View>{input, target}, where);
  }
  Evaluation evaluate(const View &first, const View &second, const View &target,
                      Where where = Where::current()) const {
    return evaluate(std::vector<View>{first, second, target}, where);
  }
  ///@}
  /// The outputs in the program's order; it takes the inputs without the targets.
  List<Array> predict(const std::vector<View> &inputs, Where where = Where::current()) const;

  /// The rate of the steps from here on.
  void set_learning_rate(double value, Where where = Where::current());
  /// What it is.
  double learning_rate(Where where = Where::current()) const;
  /// Other settings of the optimizer by name, such as "weight_decay".
  void set_hyperparameter(const std::string &name, double value, Where where = Where::current());
  /// What it is.
  double hyperparameter(const std::string &name, Where where = Where::current()) const;
  /// The names of all settings.
  std::vector<std::string> hyperparameters() const;
  /// Starts the random numbers of dropout again.
  void set_seed(uint64_t seed, Where where = Where::current());

  /// A checkpoint: all that training goes on from, with the same bits (docs/checkpoints.md).
  void save(const std::string &path, Where where = Where::current()) const;
  /// A checkpoint, or weights alone, with which training starts anew.
  void load(const std::string &path, Where where = Where::current());
  /// Parameters and buffers alone, with the names and the layouts of PyTorch.
  void save_weights(const std::string &path, Where where = Where::current()) const;

  /// Entries of the program's own, such as the epoch or the best accuracy, which save writes beside the state;
  /// load replaces all of them by those of the file. A name has up to 200 bytes, a text up to 65536, of UTF-8.
  ///@{
  void set_extra(const std::string &name, double number, Where where = Where::current());
  void set_extra(const std::string &name, const std::string &text, Where where = Where::current());
  ///@}
  /// The number of that name; an error where there is none.
  double extra_number(const std::string &name, Where where = Where::current()) const;
  /// The text of that name; an error where there is none.
  std::string extra_text(const std::string &name, Where where = Where::current()) const;
  /// The names of all entries, in the order in which they were set.
  std::vector<std::string> extras() const;
  /// Takes one out, if it is there.
  void remove_extra(const std::string &name, Where where = Where::current());

  /// Parameters and buffers, with the names and the layouts of PyTorch.
  StateDict state_dict() const;
  /// Replaces parameters and buffers; the optimizer's state stays. Where `strict`, the names must be the
  /// model's. Shapes and dtypes must always be.
  StateDifference load_state_dict(const StateDict &tensors, bool strict = true,
                                  Where where = Where::current());
  /// The same of a safetensors file.
  StateDifference load_state_dict(const std::string &path, bool strict = true,
                                  Where where = Where::current());
  /// A parameter or a buffer.
  Array parameter(const std::string &name, Where where = Where::current()) const;
  /// Replaces it by a value of its dtype and shape.
  void set_parameter(const std::string &name, const View &value, Where where = Where::current());
  /// The gradient of a trained parameter, of its dtype and shape: what grad_step computed last, and what
  /// accumulate made of it. An error before the first grad_step.
  Array gradient(const std::string &name, Where where = Where::current()) const;
  /// With Optimizer::accumulate("mean"): the weight of the labels that the gradients are the mean over, or
  /// the number of what the loss is the mean of. An error where gradients are added.
  double gradient_weight(Where where = Where::current()) const;
  /// What apply() uses in its place, such as the mean over several machines.
  void set_gradient(const std::string &name, const View &value, Where where = Where::current());
  /// What the gradients that set_gradient wrote count for where accumulate adds to them: a number of at least
  /// 0. An error where gradients are added.
  void set_gradient_weight(double weight, Where where = Where::current());

  /// Whether evaluate, predict, parameter, state_dict and save_weights have the moving averages that
  /// Optimizer::ema keeps in the places of the parameters. All that changes parameters, and save, need them
  /// off.
  void use_average(bool on = true, Where where = Where::current());

  /// How long each kernel of a call takes, at the bounds of all named dims, with random inputs; the session
  /// stays as it is. Of a CPU's kernels: a session on a GPU has none.
  Profile profile(const ProfileOptions &options = {}, Where where = Where::current()) const;

  /// All ranks go on with the state of rank 0, which has loaded a checkpoint or values.
  void join_ranks(Where where = Where::current());

  /// Goes on with another program, whose settings hold from now on. Parameters, buffers and states of the
  /// optimizer whose name, dtype and shape agree keep their values.
  Reloaded reload(const Program &program, Where where = Where::current());

private:
  friend class LBFGS;
  detail::SessionPointer state;
};

} // namespace dlc

#endif // DLC_SESSION_H
