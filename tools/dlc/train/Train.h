//===- Train.h - dlc train -------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The border between the command line and the trainer, which uses exceptions, and the compiler, which does
// not: what the trainer needs of the compiler it gets as functions.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_TRAIN_H
#define DLC_TOOLS_DLC_TRAIN_TRAIN_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

struct dlc_model;

namespace dlc::tool {

/// The numbers of --optimizer=lbfgs, with PyTorch's defaults.
struct LbfgsSettings {
  bool isUsed = false;
  double rate = 1, gradientTolerance = 1e-7, changeTolerance = 1e-9;
  int32_t iterations = 20, history = 100;
  int32_t evaluations = 0; ///< 0: five quarters of the iterations
  bool strongWolfe = false;
};

/// Which process this is of those that a launcher has started to train together, and how many there are.
struct ThisRank {
  int32_t rank = 0, ranks = 1;
};

struct TrainOptions {
  std::vector<std::string> data, valid; ///< files and folders, or NAME=FILE; valid may be a part, such as 0.1
  std::vector<std::string> targets;     ///< columns of tables
  std::vector<std::string> columns;     ///< INPUT=COLUMN,...
  std::map<std::string, std::vector<std::string>> knownColumns; ///< the same, of the training before
  bool normalize = false;
  std::string augment;    ///< as written; empty: images stay as they are
  int32_t tokenBytes = 2; ///< of a token in a file of tokens
  std::vector<std::string> pads; ///< INPUT=NUMBER: with what shorter arrays of tar files are filled up
  bool streams = false;   ///< read sample by sample, also what is not large

  int64_t epochs = 5;
  int64_t steps = 0;              ///< 0: as many as the epochs have
  int64_t batchesPerStep = 1;     ///< whose gradients one update has
  std::string schedule, warmUp;   ///< as written; empty: a constant rate
  std::string swaStart, swaEvery; ///< when parameters are averaged, as written; empty: never, each epoch
  LbfgsSettings lbfgs;
  uint64_t seed = 0;              ///< of dropout and of the order of the samples
  int32_t threads = 0;            ///< 0: one per core
  std::string device = "cpu";     ///< or gpu, gpu:1
  std::vector<std::string> metrics;
  std::string prediction;       ///< of dlc eval: the output that is measured; empty: the one that fits
  std::string monitor = "loss"; ///< what is best
  int64_t earlyStopping = 0;    ///< epochs without a better one; 0: never
  bool findRate = false;

  std::string
      preprocessing;   ///< of dlc eval and predict: what dlc train did to its data; empty: beside the weights
  std::string weights; ///< a file to begin with; empty: the model's own values
  std::string reinitialized; ///< globs of the parameters that begin with other values; empty: none
  std::string output;        ///< a folder; empty: nothing is written
  std::string log;           ///< a .csv file or a folder for TensorBoard; empty: none
  bool logValues = false;    ///< what parameters and gradients are like, too
  int64_t logImages = 0;     ///< so many of what is trained with
  bool curves = false;       ///< drawn in the terminal
  std::string plot;          ///< a picture of the curves (.svg), written after each epoch; empty: none
  std::string report;        ///< a page with pictures, written after each epoch; empty: none
  bool resume = false;
  int64_t reportEvery = 0; ///< steps; 0: epochs are reported only
  int64_t saveEvery = 0;   ///< steps; 0: after each epoch only
  bool keepLibrary = false;
  int32_t launch = 0; ///< so many processes are to train together; 0: this one, or those of a launcher
  bool quiet = false; ///< no word but errors, warnings and what was measured

  ThisRank thisRank;                           ///< findRanks sets it
  std::string libraryFolder;                   ///< where libdlc-mpi.so is looked for first
  std::vector<std::string> arguments;          ///< of the command line, with the program's name
  std::string commandLine;                     ///< as it was given, and --resume: how to go on
  std::map<std::string, std::string> settings; ///< options that must be the same where training goes on
};

/// A model that was compiled into this process.
struct ModelInMemory {
  std::shared_ptr<const dlc_model> model; ///< null after errors, which were printed
  std::shared_ptr<const void> values;     ///< its initial values, until an instance has copied them
  std::string loss; ///< of --loss or of the description, or the model's own; "output": an own that is none of
                    ///< these; empty: none
  std::string digest;   ///< of the program as it was read, without the values of what is trained
  std::string manifest; ///< what was compiled, with --report
  std::set<std::string> sigmoids; ///< outputs that are a sigmoid's
  /// The rows of the batch that all ranks have together, and whether fewer are one, too; 0: this process has
  /// all.
  int64_t rowsOfAll = 0;
  bool takesFewer = false;

  bool hasClasses() const { return loss == "softmax-cross-entropy" || loss == "nll"; }
  bool isBinary() const { return loss.rfind("bce", 0) == 0; }
  /// Above which an output says yes, with a loss of yes and no.
  double threshold(const std::string &output) const {
    return loss == "bce" || sigmoids.count(output) ? 0.5 : 0;
  }
};

struct Compiler {
  /// Compiles the model; with --keep-library also to a library in the output folder, which exists.
  std::function<ModelInMemory()> compile;
  /// Writes a text file whole or not at all; a sentence about what went wrong, or "".
  std::function<std::string(const std::string &folder, const std::string &name, const std::string &text)>
      write;
};

namespace training {
/// Writes a text file whole or not at all, to a folder that is made where needed; a Failure where it cannot be.
void writeFile(const Compiler &compiler, const std::string &path, const std::string &text);
} // namespace training

/// Finds out which of several processes this one is, or starts several of it (--launch). The exit code where
/// it cannot go on: the message has been printed.
std::optional<int> findRanks(TrainOptions &options);

// Each returns the exit code of dlc. Messages have been printed.
int train(const TrainOptions &options, const Compiler &compiler);
/// Prints the loss and the metrics of the data.
int evaluate(const TrainOptions &options, const Compiler &compiler);
/// Writes what the model predicts of the data to `output`, or prints it.
int predict(const TrainOptions &options, const Compiler &compiler);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_TRAIN_TRAIN_H
