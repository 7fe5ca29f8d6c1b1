//===- dlc/nn/module.h - layers with parameters --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module is a handle: copies share parameters and children. Who derives from it registers what it consists
// of, and has a function forward:
//
//     struct Net : dlc::nn::Module {
//       dlc::nn::Linear fc1 = register_module("fc1", dlc::nn::Linear(784, 128));
//       dlc::nn::Linear fc2 = register_module("fc2", dlc::nn::Linear(128, 10));
//       dlc::Tensor forward(dlc::Tensor x) override { return fc2(relu(fc1(x))); }
//     };
//
// Parameters have the names of PyTorch's state_dict ("fc1.weight"), its layouts and its initial values: with
// dlc::manual_seed(n), and layers made in the same order, those of torch.manual_seed(n).
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_MODULE_H
#define DLC_NN_MODULE_H

#include "dlc/array.h"
#include "dlc/ops.h"
#include <memory>
#include <typeinfo>

namespace dlc::nn {

struct ModuleState;
class Module;

/// Sees what a module computed, and the tensors that it was called with. What it gives takes the result's
/// place; a tensor without a value leaves it.
using ForwardHook =
    std::function<Tensor(const Module &module, const std::vector<Tensor> &inputs, const Tensor &output)>;

/// Sees the gradients of what a module was called with, and of what it gave: each has a shape, and elements
/// in training steps only; a tensor without a value where there is none. What it gives are gradients for the
/// inputs, each computed of this input's gradient, or nothing.
using BackwardHook = std::function<std::vector<Tensor>(
    const Module &module, const std::vector<Tensor> &grad_input, const std::vector<Tensor> &grad_output)>;

/// A parameter as a member of a module. It stands for one state, so that nothing can be assigned to it:
/// Module::load_state_dict() and dlc::nn::init give it other values, Module::tie_parameter() makes it
/// another's.
class DLC_API Parameter : public Tensor {
public:
  /// None.
  Parameter() = default;
  /// Handles to one state.
  Parameter(const Parameter &) = default;
  /// None can be assigned.
  template <typename T>
  Parameter &
  operator=(const T &) = delete; // write net.tie_parameter("weight", x) or nn::init::constant_(net.weight, 1)

private:
  friend class Module;
  explicit Parameter(const Tensor &tensor) : Tensor(tensor) {}
  Parameter &operator=(const Parameter &) = default;
};

/// The base of all layers and models.
class DLC_API Module {
public:
  /// Parameters "weight" and "bias" of this module itself; without a value where it has none. Others are
  /// parameter("weight_ih_l0").
  ///@{
  Parameter weight, bias;
  ///@}

  Module();
  virtual ~Module();
  /// Handles to one module. A copy as a base of its class computes something else: it is refused where it is
  /// called or registered.
  ///@{
  Module(const Module &);
  Module &operator=(const Module &);
  ///@}

  /// What the module computes of one tensor. Modules of several tensors have a forward of their own, which
  /// dlc::nn::call calls.
  virtual Tensor forward(Tensor x);
  /// forward(x) and its hooks; errors in it name this module.
  Tensor operator()(const Tensor &x, Where where = Where::current());
  /// Other arguments.
  Tensor operator()(...) = delete; // write nn::call(net, a, b) for modules of several tensors
  /// What libtorch's holders have.
  const Module *operator->() const = delete; // write fc(x) or fc.forward(x): a module is a handle, and no pointer

  /// Makes `child` a part of this module; gives it back. A module is part of one other.
  template <typename Child>
    requires std::derived_from<Child, Module>
  Child register_module(std::string_view name, Child child, Where where = Where::current()) {
    attach(name, child, where);
    return child;
  }
  /// Other arguments.
  void register_module(...) = delete; // write register_module("fc", nn::Linear(4, 2))
  /// register_module().
  void add_module(...) = delete; // write register_module("fc", nn::Linear(4, 2))
  /// A trained tensor; `initial` has elements.
  Tensor register_parameter(std::string_view name, const Tensor &initial, Where where = Where::current());
  /// State that is not trained, but saved.
  Tensor register_buffer(std::string_view name, const Tensor &initial, Where where = Where::current());
  /// What a buffer of this module becomes with each training step, for a forward that moves it in PyTorch:
  /// there, `value` is what the buffer is from here on. No gradient goes through it, and evaluation,
  /// prediction and a module in eval() leave the buffer alone. Once in a program.
  void update_buffer(std::string_view name, const Tensor &value, Where where = Where::current());
  /// Uses a parameter of another module for this module's `name`: both are trained as one.
  void tie_parameter(std::string_view name, const Tensor &parameter, Where where = Where::current());

  /// The parameters of this module and all below it with their paths from here, in order of registration;
  /// one that modules share is there once.
  std::vector<std::pair<std::string, Tensor>> named_parameters() const;
  /// The buffers of this module and all below it with their paths from here, in order of registration.
  std::vector<std::pair<std::string, Tensor>> named_buffers() const;
  /// named_parameters() without names.
  std::vector<Tensor> parameters() const;
  /// named_buffers() without names.
  std::vector<Tensor> buffers() const;
  /// Number of elements of all trained parameters.
  int64_t parameter_count() const;
  /// The parameter, or buffer, of this module itself. Throws where there is none.
  Tensor parameter(std::string_view name, Where where = Where::current()) const;
  /// The parameter of this module or of one below it at a path from here, "encoder.layers.0.weight". Throws
  /// where there is none.
  Tensor get_parameter(const std::string &path, Where where = Where::current()) const;
  /// The buffer at a path from here. Throws where there is none.
  Tensor get_buffer(const std::string &path, Where where = Where::current()) const;

  /// Parameters and buffers by PyTorch's names, a parameter that is shared once: what they begin with, and
  /// after training in a session what they have become.
  StateDict state_dict(Where where = Where::current()) const;
  /// Replaces it, for programs that are made from here on. Where `strict`, the names must be the module's.
  /// Shapes must always be; floating-point numbers become those of the parameter's dtype.
  StateDifference load_state_dict(const StateDict &tensors, bool strict = true,
                                  Where where = Where::current());
  /// The same of a safetensors file.
  StateDifference load_state_dict(const std::string &path, bool strict = true,
                                  Where where = Where::current());

  /// Whether all parameters of this module and those below it are trained. Others keep their values.
  void requires_grad_(bool on = true, Where where = Where::current());
  /// The same of those with such names, as shell patterns: "encoder.*".
  void freeze(std::string_view pattern = "*", Where where = Where::current());
  /// Parameters and buffers of floating-point numbers become float32 or float64, before anything is computed
  /// of them; set_default_dtype() is for modules that are made later.
  void to(DType dtype, Where where = Where::current());
  /// Other arguments: a machine.
  ///@{
  void to(...) = delete;         // write SessionOptions{.device = "cuda"}: a session has a machine
  void cuda(...) const = delete; // write SessionOptions{.device = "cuda"}: a session has a machine
  ///@}
  /// Dropout and batch normalization: as a training step has them (the default; evaluation changes them by
  /// itself), or as evaluation has them, also in training steps.
  void train(bool on = true);
  /// train(false).
  void eval() { train(false); }
  /// What train() and eval() said last.
  bool is_training() const;

  /// The modules below this one by their paths from here, and, before them, itself by the name "". They are
  /// handles to parameters and settings; what a class adds, its forward, they do not have.
  std::vector<std::pair<std::string, Module>> named_modules() const;
  /// The modules directly below this one, by the names that they were registered with.
  std::vector<std::pair<std::string, Module>> named_children() const;
  /// named_modules() without names.
  std::vector<Module> modules() const;
  /// named_children() without names.
  std::vector<Module> children() const;
  /// The module at a path from here, "encoder.layers.0", as such a handle.
  Module get_submodule(const std::string &path, Where where = Where::current()) const;
  /// PyTorch's apply(): calls `visit` with each module below this one, the innermost first, and then with
  /// this one.
  void for_each(const std::function<void(Module &)> &visit) const;

  /// From here on, `hook` is called with each result of this module, in the order of registration: of calls
  /// as of a function, and of dlc::nn::call, which give one tensor. Others are refused then. It may give
  /// nothing.
  template <typename Hook>
    requires std::invocable<Hook, const Module &, const std::vector<Tensor> &, const Tensor &>
  RemovableHandle register_forward_hook(Hook hook) {
    using Result = std::invoke_result_t<Hook, const Module &, const std::vector<Tensor> &, const Tensor &>;
    if constexpr (std::is_void_v<Result>)
      return addForwardHook(
          [=](const Module &module, const std::vector<Tensor> &inputs, const Tensor &output) mutable {
            return hook(module, inputs, output), Tensor();
          });
    else
      return addForwardHook(std::move(hook));
  }
  /// From here on, `hook` is called with the gradients of each such call, once, when the module is called: of
  /// inputs and results that require gradients. It may give nothing.
  template <typename Hook>
    requires std::invocable<Hook, const Module &, const std::vector<Tensor> &, const std::vector<Tensor> &>
  RemovableHandle register_full_backward_hook(Hook hook) {
    using Gradients = const std::vector<Tensor> &;
    if constexpr (std::is_void_v<std::invoke_result_t<Hook, const Module &, Gradients, Gradients>>)
      return addBackwardHook([=](const Module &module, Gradients inputs, Gradients outputs) mutable {
        return hook(module, inputs, outputs), std::vector<Tensor>();
      });
    else
      return addBackwardHook(std::move(hook));
  }
  /// Forgets what Tensor::backward() has added up for all parameters.
  void zero_grad() const;

  /// "encoder.layers.3.attn"; "" of a module that is no part of another.
  std::string path() const;
  /// The name of the module's class, without namespaces: "Linear".
  std::string type_name() const;
  /// What is printed between the parentheses: "in_features=784, out_features=128, bias=True".
  void set_description(std::string_view text);

  /// What all copies share; for the library itself.
  ModuleState &state() const;
  /// The class whose forward this copy has lost, as it is one of a base of that class; null where it is what
  /// it was made as. For the library itself.
  const std::type_info *lost() const;

protected:
  /// register_module() of a child that a container calls by its place: "0", "1" ...
  void attach(size_t place, const Module &child, Where where);
  void attach(std::string_view name, const Module &child, Where where);

  /// Where the user called the module that is being computed: the place of what the library's modules
  /// compute.
  static Where caller();

  /// What library's modules compute, whose forward has a line (Layer).
  virtual Tensor computed(Tensor x);
  /// Makes `child` a part of this module that is a part of another one, too.
  void share(const std::string &name, const Module &child);

private:
  explicit Module(std::shared_ptr<ModuleState> shared);
  RemovableHandle addForwardHook(const ForwardHook &hook);
  RemovableHandle addBackwardHook(const BackwardHook &hook);
  std::shared_ptr<ModuleState> shared;
  const std::type_info *made = nullptr; ///< the class that this is a copy of
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual" // it calls what the other one calls
/// The base of the library's modules of one tensor: their forward knows the line that calls it.
class DLC_API Layer : public Module {
public:
  ~Layer() override;
  /// What the module computes of x, without its hooks; errors in it name this module. A class that overrides
  /// forward(x) asks by it for what its base computes; others get what the module's class computes, also through
  /// a reference to a base.
  Tensor forward(const Tensor &x, Where where = Where::current());
};
#pragma GCC diagnostic pop

/// As PyTorch prints modules.
DLC_API std::ostream &operator<<(std::ostream &out, const Module &module);

/// While it lives, what is computed belongs to the module.
class DLC_API Scope {
public:
  [[nodiscard]] Scope(const Module &module, Where where);
  ~Scope();
  Scope(const Scope &) = delete;
};

} // namespace dlc::nn

namespace dlc::detail {
/// What the hooks of the module that is being computed make of its result.
DLC_API Tensor hooked(const nn::Module &module, std::initializer_list<const Tensor *> arguments,
                      const Tensor &output);
/// An input as the module that is being computed sees it.
DLC_API Tensor entered(const nn::Module &module, const Tensor &input);
template <typename T> void enter(const nn::Module &module, T &argument) {
  if constexpr (std::derived_from<T, Tensor>)
    static_cast<Tensor &>(argument) = entered(module, argument);
}
/// Throws where the module has hooks, which a call of this kind does not have.
DLC_API void refuseHooks(const nn::Module &module, const Where &where);

/// module.forward(arguments...) and its hooks; errors in it name the module.
template <typename M, typename... Arguments>
auto called(M &module, const Where &where, Arguments... arguments) {
  nn::Scope scope(module, where);
  (enter(module, arguments), ...);
  auto forward = [&] {
    if constexpr (requires { module.forward(arguments..., where); })
      return module.forward(arguments..., where);
    else
      return module.forward(arguments...);
  };
  auto result = forward();
  if constexpr (std::same_as<decltype(result), Tensor>) {
    return hooked(module, {tensorIn(arguments)...}, result);
  } else {
    refuseHooks(module, where);
    return result;
  }
}
} // namespace dlc::detail

namespace dlc::nn {

/// module.forward(arguments...), for modules of several tensors; errors in it name the module.
template <typename M, typename... Arguments> auto call(M &&module, Arguments &&...arguments) {
  return dlc::detail::called(module, Where::current(), arguments...);
}

} // namespace dlc::nn

#endif // DLC_NN_MODULE_H
