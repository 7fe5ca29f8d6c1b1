// RUN: dlc-opt %s -split-input-file -verify-diagnostics

// nn.dims C2
// expected-error@+1 {{#nn.dims expects one entry per dim, 2 in all, got 1}}
func.func private @count(tensor<?x4xf32, #nn.dims<batch>>)

// -----

// nn.dims C3
// expected-error@+1 {{#nn.dims names exactly the dynamic dims: expects a name for dim 0, got "_"}}
func.func private @no_name(tensor<?x4xf32, #nn.dims<_, _>>)

// -----

// nn.dims C3
// expected-error@+1 {{#nn.dims names exactly the dynamic dims: expects _ for dim 1, got "sequence"}}
func.func private @name_of_static(tensor<?x4xf32, #nn.dims<batch, sequence>>)

// -----

// nn.dims C1
// expected-error@+1 {{#nn.dims expects _, a name, or a product such as "32*batch" (factor first, names in order), got "batch*32"}}
func.func private @factor_last(tensor<?xf32, #nn.dims<"batch*32">>)

// -----

// nn.dims C1
// expected-error@+1 {{got "sequence*batch"}}
func.func private @names_in_order(tensor<?xf32, #nn.dims<"sequence*batch">>)

// -----

// nn.dims C1
// expected-error@+1 {{got "1*batch"}}
func.func private @factor_of_one(tensor<?xf32, #nn.dims<"1*batch">>)

// -----

// nn.dims C1
// expected-error@+1 {{got "0*batch"}}
func.func private @factor_of_zero(tensor<?xf32, #nn.dims<"0*batch">>)

// -----

// nn.dims C1
// expected-error@+1 {{got "64"}}
func.func private @only_a_number(tensor<?xf32, #nn.dims<"64">>)

// -----

// nn.dims C1
// expected-error@+1 {{got "a b"}}
func.func private @not_a_word(tensor<?xf32, #nn.dims<"a b">>)

// -----

// nn.dims C1
// expected-error@+1 {{expected valid keyword or string}}
func.func private @syntax(tensor<?xf32, #nn.dims<?>>)
