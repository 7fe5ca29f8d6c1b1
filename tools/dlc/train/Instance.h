//===- Instance.h - a model in training ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_INSTANCE_H
#define DLC_TOOLS_DLC_TRAIN_INSTANCE_H

#include "tools/dlc/train/Arrays.h"
#include "tools/dlc/train/Ranks.h"
#include "tools/dlc/train/Train.h"

namespace dlc::tool::training {

struct Metric {
  std::string name;
  double value;
};

/// A dlc_instance; what fails is a Failure with the instance's sentence.
class Instance {
public:
  /// An instance of the model with the file of `weights`, if it is not "". The options say where it is, its
  /// seed and its threads.
  Instance(const dlc_model &model, const std::string &weights, const TrainOptions &options);
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;
  ~Instance() { dlc_instance_destroy(handle); }

  /// Whether batches may have fewer rows than a full one.
  bool trainsAnyRows() const {
    return (model.functions >> DLC_TRAIN_STEP_N & 1) != 0 && !model.fixed_batch && model.dim_count > 0;
  }
  /// Whether evaluation and prediction may.
  bool evaluatesAnyRows() const { return model.dim_count > 0; }

  /// Gives the parameters with these names (GLOB|GLOB...) values like those before, drawn anew.
  void reinitialize(const std::string &names, uint64_t seed);

  /// With the same bits, whether the gradients are kept or not: numbersOfStep looks at those that are.
  float trainStep(int64_t rows, const void *const *inputs, bool keepsGradients = false);
  /// The gradients of a batch alone, or joined with those that are there; `apply` updates with them. The loss
  /// is that of all these batches: the mean of theirs, weighed as their gradients are.
  float addGradients(int64_t rows, const void *const *inputs, bool isFirst);
  /// The same on the rows that each of several ranks has; the loss and the sums are of all.
  float addRankGradients(const Ranks &ranks, int64_t rows, const void *const *inputs, bool isFirst,
                         dlc_metrics &metrics);
  void applyOfRanks(const Ranks &ranks);
  /// Sees that all ranks have the same model, and gives them the state of rank 0.
  void joinRanks(const Ranks &ranks);
  void apply() { check(dlc_instance_apply(handle)); }
  /// What trainStep or addGradients counted of its batch.
  dlc_metrics stepMetrics();
  /// What the last update tells of itself, whose gradients were kept, and the names of that before the first:
  /// the gradients' norm, before they were clipped, if they are; the scale of the loss. `withValues`: also
  /// the mean and the deviation of each trained parameter and of its gradient.
  std::vector<Metric> numbersOfStep(bool withValues);
  std::vector<std::string> namesOfNumbers(bool withValues);
  /// Trained parameters, and their gradients where the last update kept them.
  using Visit = std::function<void(const std::string &name, const std::vector<float> &values,
                                   const std::vector<float> &gradient)>;
  void forEachTrained(const Visit &visit);
  /// What the optimizer is set to.
  std::vector<Metric> hyperparameters();

  /// While it lives, the averages of the parameters are in their places, where the model keeps some
  /// (--ema-decay).
  class Averages {
  public:
    explicit Averages(Instance &instance);
    Averages(const Averages &) = delete;
    ~Averages();

  private:
    dlc_instance *handle;
  };

  dlc_metrics evaluate(int64_t rows, const void *const *inputs);
  void predict(int64_t rows, const void *const *inputs, void *const *outputs);
  /// The scale of the loss; 0 where there is none.
  double lossScale();
  /// Updates done.
  int64_t steps() const { return dlc_instance_step_count(handle); }
  /// All numbers of what is trained, in a row: how many, and their values and gradients.
  int64_t trainedCount();
  void readTrained(double *values);
  void writeTrained(const double *values);
  void readGradients(double *values);
  double rate();
  void setRate(double rate);
  bool has(const char *hyperparameter);
  /// Sets another hyperparameter than the rate. Failure where the model has none of this name.
  void setNumber(const char *hyperparameter, double value) {
    check(dlc_instance_set_hyperparameter(handle, hyperparameter, value));
  }
  /// What checkpoints say of themselves.
  void setExtra(const std::string &name, double number) {
    check(dlc_instance_extra_write_number(handle, name.c_str(), number));
  }
  void save(const std::string &path) { check(dlc_instance_save(handle, path.c_str())); }
  void saveWeights(const std::string &path) { check(dlc_instance_save_weights(handle, path.c_str())); }
  void load(const std::string &path);
  /// Where a checkpoint has averages of parameters (--ema-decay), which a training measures: these for
  /// parameters.
  void useSavedAverages(const std::string &path);

  const dlc_model &model;

private:
  void check(dlc_status status);
  /// Calls with each parameter that is trained and its numbers as the model has them.
  template <typename Visit> void visitTrained(Visit visit);
  void printRemark();
  std::vector<std::string> namesOfTrained();
/// The loss of all batches whose gradients are there, of which the last one has this loss.
  float joined(float loss, bool isFirst);
  /// What all gradients that are there weigh together; without labels to weigh, the number of their batches.
  double weightOfGradients(bool isFirst);

  const bool quiet;
  dlc_instance *handle = nullptr;
  double joinedLoss = 0, joinedWeight = 0; ///< of the gradients that are there
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_INSTANCE_H
