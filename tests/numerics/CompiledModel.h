//===- CompiledModel.h - a program compiled and loaded --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a program through the whole pipeline to a static library, links it with a few lines of C that
// call its header's functions with arrays of pointers, and loads it into the test. All memory that it is
// given is guarded: an element too many, read or written, ends the test program. With an emulator in the
// environment (Emulator.h) the program is compiled for another machine and held by the emulator; with
// DLC_TEST_DEVICE=simt it is compiled for GPUs, which the stand-in driver plays; DLC_TEST_GPU=sm_90a names
// one.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_COMPILEDMODEL_H
#define DLC_TESTS_NUMERICS_COMPILEDMODEL_H

#include "compiler/pipeline/Options.h"
#include "runtime/include/dlc/runtime.h"
#include "tests/numerics/Call.h"
#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"

namespace dlc::numerics {

class CompiledModel {
public:
  /// Of everything that a program may become; before programs are parsed.
  static void loadDialects();
  /// Whether this machine has the instructions of a CPU (an emulator is told which CPU to be).
  static bool runsHere(llvm::StringRef cpu);
  /// The CPUs to compile a case for, of `all`: an emulator is told one CPU for all cases, so that the second
  /// would repeat the first there.
  static std::vector<const char *> cpus(std::initializer_list<const char *> all);
  /// `options` with the machine that the tests are run for: an emulated one, or a GPU's stand-in.
  static pipeline::Options forTestedMachine(pipeline::Options options);
  /// Null, with a test failure, where the program cannot be compiled. Inputs and outputs are those of
  /// the program in the order of their declaration.
  static std::unique_ptr<CompiledModel> compile(const Program &program, pipeline::Options options = {},
                                                int threads = 2);
  ~CompiledModel();

  /// Another instance of the same model beside this one, which must live as long. Null, with a test failure,
  /// where there can be none.
  std::unique_ptr<CompiledModel> another(int threads);
  /// Another instance of the same model in place of this one, as new, with so many threads.
  bool startAnew(int threads);
  bool write(const std::string &parameter, const Tensor &value);
  /// `value` comes with its shape and dtype.
  bool read(const std::string &parameter, Tensor &value) { return readWith("test_read", parameter, value); }
  /// `outputs` come with their shapes and dtypes and receive the numbers.
  /// `sizes` are those of the dims after the first.
  bool predict(int64_t rows, llvm::ArrayRef<Tensor> inputs, llvm::MutableArrayRef<Tensor> outputs,
               llvm::ArrayRef<int64_t> sizes = {});
  /// Computes the gradients of all parameters, and the loss.
  bool gradStep(llvm::ArrayRef<Tensor> inputs, float &loss) { return step("test_grad_step", inputs, loss); }
  bool readGradient(const std::string &parameter, Tensor &gradient) {
    return readWith("test_gradient", parameter, gradient);
  }
  /// Gradients and the update.
  bool trainStep(llvm::ArrayRef<Tensor> inputs, float &loss) { return step("test_train_step", inputs, loss); }
  /// `inputs` are all inputs of the program, targets too.
  bool evalStep(int64_t rows, llvm::ArrayRef<Tensor> inputs, dlc_metrics &metrics);

  /// The status that a training step returns, and what the model says about its last error.
  int statusOfGradStep(llvm::ArrayRef<Tensor> inputs, float &loss) {
    return statusOf("test_grad_step", inputs, loss);
  }
  std::string lastError();

private:
  CompiledModel() = default;
  bool load(const std::string &library, int threads);
  bool create(int threads);
  /// Whether a call went well; a test failure with the model's own sentence if not.
  bool check(int status);
  int statusOf(const char *name, llvm::ArrayRef<Tensor> inputs, float &loss);
  bool step(const char *name, llvm::ArrayRef<Tensor> inputs, float &loss) {
    return check(statusOf(name, inputs, loss));
  }
  bool readWith(const char *name, const std::string &parameter, Tensor &value);
  template <typename Result> Call<Result> call(const char *name);

  std::string folder, path; ///< of the library; `another` has no folder of its own
  void *library = nullptr, *model = nullptr;
  std::unique_ptr<Emulator> emulator; ///< in place of the library
};

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_COMPILEDMODEL_H
