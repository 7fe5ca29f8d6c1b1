#include "mlir/IR/Value.h" // a public header: whoever describes a model needs no MLIR
