//===- Lbfgs.cpp - L-BFGS around a session ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a session as one row of doubles, for the runtime's dlc_lbfgs_step.
//===----------------------------------------------------------------------===//
#include "dlc/lbfgs.hpp"
#include "dlc/lbfgs.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/SessionState.h"
#include <exception>

namespace dlc {
using namespace detail;

namespace {

/// The parameters of a session that are trained.
struct Trained {
  Session &session;
  const std::vector<View> &batch;
  const Where &where;
  std::vector<std::string> names = {};
  std::vector<Array> values = {}; ///< of the parameters; they keep dtypes and shapes
  std::exception_ptr error = {};

  void write(const double *numbers) {
    for (size_t i = 0; i < names.size(); ++i) {
      auto put = [&](auto elements) {
        for (auto &element : elements)
          element = std::remove_reference_t<decltype(element)>(*numbers++);
      };
      values[i].dtype() == DType::Float64 ? put(values[i].values<double>()) : put(values[i].values<float>());
      session.set_parameter(names[i], values[i], where);
    }
  }

  static void append(const Array &array, double *&to) {
    auto get = [&](auto elements) { to = std::copy(elements.begin(), elements.end(), to); };
    array.dtype() == DType::Float64 ? get(array.values<double>()) : get(array.values<float>());
  }

  void ask(const double *numbers, double *loss, double *gradient) {
    write(numbers);
    *loss = session.grad_step(batch, where);
    for (const std::string &name : names)
      append(session.gradient(name, where), gradient);
  }
};

/// The loss and its gradient at `values`, for dlc_lbfgs. Nothing may be thrown through a C function: what was
/// is kept in `context`.
dlc_status evaluate(void *context, const double *values, double *loss, double *gradient) {
  Trained &trained = *static_cast<Trained *>(context);
  try {
    trained.ask(values, loss, gradient);
    return DLC_OK;
  } catch (...) {
    trained.error = std::current_exception();
    return DLC_INVALID_ARGUMENT;
  }
}

} // namespace

LBFGS::LBFGS(const Options &options) : options(options) {}
LBFGS::~LBFGS() { dlc_lbfgs_destroy(lbfgs); }

/// With the first step or file the number of values is known.
void LBFGS::begin(size_t numbers, Where where) {
  if (numbers == 0)
    fail("L-BFGS has nothing to do: no parameter of the program is trained", where);
  if (lbfgs && numbers != count)
    fail("this LBFGS has begun with a model of " + std::to_string(count) +
             " trained numbers; the session has " + std::to_string(numbers) +
             ": each model needs an LBFGS of its own",
         where);
  if (lbfgs)
    return;
  const dlc_lbfgs_options wanted = {options.lr,
                                    options.tolerance_grad,
                                    options.tolerance_change,
                                    options.max_iter,
                                    options.max_eval.value_or(std::max(options.max_iter * 5 / 4, 1)),
                                    options.history_size,
                                    options.strong_wolfe};
  const dlc_status status = dlc_lbfgs_create(int64_t(numbers), &wanted, &lbfgs);
  if (status == DLC_OUT_OF_MEMORY)
    fail("there is no memory for the history of L-BFGS, " + std::to_string(options.history_size) +
             " times twice the parameters in double precision; choose a smaller history_size",
         where);
  if (status != DLC_OK)
    fail("the options of LBFGS are not possible: lr, max_iter, max_eval and history_size must be above 0, "
         "tolerances at least 0",
         where);
  count = numbers;
}

void LBFGS::save(const std::string &path, Where where) const {
  char error[1024] = "LBFGS: nothing can be saved before the first step";
  if (!lbfgs || dlc_lbfgs_save(lbfgs, path.c_str(), error, sizeof error) != DLC_OK)
    fail(error, where);
}

void LBFGS::load(Session &session, const std::string &path, Where where) {
  size_t numbers = 0;
  session.state->forEach(1u << DLC_PARAMETER, [&](const dlc_symbol &symbol) {
    if (symbol.trainable)
      numbers += session.parameter(symbol.name, where).size();
  });
  begin(numbers, where);
  char error[1024];
  if (dlc_lbfgs_load(lbfgs, path.c_str(), error, sizeof error) != DLC_OK)
    fail(error, where);
}

double LBFGS::step(Session &session, const std::vector<View> &batch, Where where) {
  Trained trained{session, batch, where};
  size_t now = 0;
  session.state->forEach(1u << DLC_PARAMETER, [&](const dlc_symbol &symbol) {
    if (!symbol.trainable)
      return;
    trained.names.push_back(symbol.name);
    trained.values.push_back(session.parameter(symbol.name, where));
    now += trained.values.back().size();
  });
  begin(now, where);
  std::vector<double> numbers(now);
  double *next = numbers.data(), loss = 0;
  for (const Array &array : trained.values)
    Trained::append(array, next);
  const dlc_status status = dlc_lbfgs_step(lbfgs, numbers.data(), evaluate, &trained, &loss);
  trained.write(numbers.data());
  if (trained.error)
    std::rethrow_exception(trained.error);
  if (status != DLC_OK)
    fail("the loss or a gradient is not finite: try a smaller lr, or strong_wolfe = true; the parameters are "
         "as "
         "before the step",
         where);
  return loss;
}

} // namespace dlc
