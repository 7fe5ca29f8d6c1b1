//===- dlc/nn/ctc.h - sequences without an alignment -----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connectionist temporal classification, Graves et al. 2006: the probability of a sequence of classes is the
// sum over all alignments, in which each place has one class or a blank.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_CTC_H
#define DLC_NN_CTC_H

#include "dlc/nn/module.h"

namespace dlc::nn {

/// What the probabilities stand for.
struct CTCLossOptions {
  int64_t blank = 0;              ///< the class of a place that has none
  const char *reduction = "mean"; ///< of each sequence's loss divided by its number of classes
  bool zero_infinity = false;     ///< a sequence that is longer than its input has the loss 0, not infinity
};

namespace functional {
/// `log_probs` [places, batch, classes] are logarithms of probabilities, `targets` [batch, longest] classes,
/// with any class behind a sequence's end; the lengths are integers [batch]. Without a batch: [places,
/// classes], [longest] and one number each. At most 512 places: a copy of the recursion is made for each.
DLC_API Tensor ctc_loss(const Tensor &log_probs, const Tensor &targets, const Tensor &input_lengths,
                        const Tensor &target_lengths, CTCLossOptions options = {},
                        Where where = Where::current());
} // namespace functional

/// functional::ctc_loss() as a module.
class DLC_API CTCLoss : public Module {
public:
  explicit CTCLoss(CTCLossOptions options = {});
  ~CTCLoss() override;
  using Module::forward;
  /// The loss.
  virtual Tensor forward(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths);
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &log_probs, const Tensor &targets, const Tensor &input_lengths,
                    const Tensor &target_lengths, Where where = Where::current());

private:
  CTCLossOptions options;
};

} // namespace dlc::nn

#endif // DLC_NN_CTC_H
