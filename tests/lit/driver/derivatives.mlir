// What --function adds to the header, and what it refuses.
// RUN: rm -rf %t && dlc compile %s --function=vjp --function=jvp -o %t && FileCheck %s --check-prefix=HEADER < %t/derived.h
// HEADER: The vector-Jacobian product of the prediction: the gradient by each input of the sum of all outputs times their
// HEADER: x: float[4][3]
// HEADER: ids: int64_t[4]
// HEADER: y_cotangent: float[4][3]; the cotangent of 'y'
// HEADER: x_gradient: receives float[4][3]
// HEADER: dlc_status derived_vjp(derived *model, int64_t rows,
// HEADER-NEXT: const float *x,
// HEADER-NEXT: const int64_t *ids,
// HEADER-NEXT: const float *y_cotangent,
// HEADER-NEXT: float *x_gradient);
// HEADER: x_tangent: float[4][3]; the tangent of 'x'
// HEADER: dlc_status derived_jvp(derived *model, int64_t rows,
// HEADER-NEXT: const float *x,
// HEADER-NEXT: const int64_t *ids,
// HEADER-NEXT: const float *x_tangent,
// HEADER-NEXT: float *y_tangent);

// With a loss, functions that train take what they take without derivatives, and the interpreter agrees with all.
// RUN: dlc compile %s --function=vjp --loss=mse -o %t.mse && FileCheck %s --check-prefix=TRAINS < %t.mse/derived.h
// TRAINS: dlc_status derived_train_step(derived *model,
// TRAINS-NEXT: const float *x,
// TRAINS-NEXT: const int64_t *ids,
// TRAINS-NEXT: const float *target,
// TRAINS-NEXT: float *loss);
// TRAINS: dlc_status derived_vjp(
// RUN: dlc inspect %t.mse/derived.json | FileCheck %s --check-prefix=INSPECT
// INSPECT: vjp {{.*}} launches

// A Jacobian is made of rows by vjp or of columns by jvp, which are declared, too.
// RUN: dlc compile %s --function=jacobian -o %t.all && FileCheck %s --check-prefix=JACOBIAN < %t.all/derived.h
// JACOBIAN: dlc_status derived_vjp(
// JACOBIAN: The Jacobian of the prediction: how each element of an output changes with each element of an input, other rows
// JACOBIAN: y_by_x: receives float[4][3][4][3], of 'y' by 'x'
// JACOBIAN: dlc_status derived_jacobian(derived *model, int64_t rows,
// JACOBIAN-NEXT: const float *x,
// JACOBIAN-NEXT: const int64_t *ids,
// JACOBIAN-NEXT: float *y_by_x);
// RUN: dlc compile %s --function=jvp:x --function=jacobian -o %t.columns && FileCheck %s --check-prefix=COLUMNS < %t.columns/derived.h
// COLUMNS-NOT: derived_vjp
// COLUMNS: dlc_status derived_jacobian(
// RUN: not dlc compile %s --function=jacobian:ids -o %t.no 2>&1 | FileCheck %s --check-prefix=BY-INTEGERS
// BY-INTEGERS: error: --function=jacobian: input 'ids' is 'i64', and only floating-point inputs have gradients
// RUN: not dlc compile %s --function=jacobian:x --function=vjp -o %t.no 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: error: --function=jacobian:x: vjp or jvp is asked for as well, and names the inputs of both: leave them out here

// RUN: dlc compile %s --function=hvp --loss=mse -o %t.hvp && FileCheck %s --check-prefix=HVP < %t.hvp/derived.h
// HVP: The Hessian-vector product: how the gradients that training computes for these rows change when the trained
// HVP: x: float[4][3]
// HVP: target: float[4][3]; the target
// HVP: vector: float[15]; the vector
// HVP: product: receives float[15]
// HVP: dlc_status derived_hvp(derived *model, int64_t rows,
// HVP-NEXT: const float *x,
// HVP-NEXT: const int64_t *ids,
// HVP-NEXT: const float *target,
// HVP-NEXT: const float *vector,
// HVP-NEXT: float *product);
// RUN: not dlc compile %s --function=hvp -o %t.no 2>&1 | FileCheck %s --check-prefix=LOSS
// LOSS: error: --function=hvp: 'derived' has no loss, whose Hessian it would be: say which (--loss)
// RUN: not dlc compile %s --function=hvp:x --loss=mse -o %t.no 2>&1 | FileCheck %s --check-prefix=HVP-NAME
// HVP-NAME: --function: hvp is by all trained parameters, and takes no names: got 'hvp:x'

// RUN: not dlc compile %s --function=vjp:ids -o %t.no 2>&1 | FileCheck %s --check-prefix=INTEGER
// INTEGER: error: --function=vjp: input 'ids' is 'i64', and only floating-point inputs have gradients
// RUN: not dlc compile %s --function=jvp:z -o %t.no 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --function=jvp: 'z' is no input of the model; its inputs are 'x' 'ids'
// RUN: not dlc compile %s --function=hessian -o %t.no 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: --function: expected vjp, jvp, jacobian or hvp; got 'hessian'
// RUN: not dlc compile %s --function=vjp --function=vjp:x -o %t.no 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: --function: gives vjp twice
// RUN: not dlc compile %s --function=vjp: -o %t.no 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: --function: expected names of inputs after 'vjp:'
// RUN: not dlc train %s --function=vjp --loss=mse 2>&1 | FileCheck %s --check-prefix=TRAIN
// TRAIN: --function
train.program @derived {
  train.dim @batch = 4
  train.state parameter @table : tensor<5x3xf32> = dense<0.5>
  train.input @x : tensor<?x3xf32, #nn.dims<batch, _>>
  train.input @ids range [0, 5) : tensor<?xi64, #nn.dims<batch>>
  train.output prediction @y : tensor<?x3xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x3xf32, #nn.dims<batch, _>>
    %ids = train.read @ids : tensor<?xi64, #nn.dims<batch>>
    %table = train.read @table : tensor<5x3xf32>
    %0 = nn.gather %table, %ids axis 0 : tensor<5x3xf32>, tensor<?xi64, #nn.dims<batch>>
    %1 = nn.mul %x, %0 : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<?x3xf32, #nn.dims<batch, _>>
    %y = nn.mul %1, %x : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<?x3xf32, #nn.dims<batch, _>>
    train.write %y, @y : tensor<?x3xf32, #nn.dims<batch, _>>
  }
}
