//===- TensorMessage.cpp - TensorProto to HostTensor
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor's elements are in `raw_data`, in a field of their type, or in another file.
//===----------------------------------------------------------------------===//
#include "compiler/support/Elements.h"
#include "frontends/onnx/HostTensor.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/ModelFile.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::onnx {

/// Names of TensorProto::DataType by number.
static constexpr llvm::StringLiteral dataTypeNames[] = {
    "undefined",      "float32",    "uint8",          "int8",       "uint16",   "int16",
    "int32",          "int64",      "string",         "bool",       "float16",  "float64",
    "uint32",         "uint64",     "complex64",      "complex128", "bfloat16", "float8e4m3fn",
    "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",     "float4e2m1"};

std::string dataTypeName(int64_t dataType) {
  if (dataType >= 0 && size_t(dataType) < std::size(dataTypeNames))
    return dataTypeNames[dataType].str();
  return "number " + std::to_string(dataType);
}

std::string unsupportedType(int64_t dataType) {
  return "tensors of type " + dataTypeName(dataType) + " are not supported";
}

bool isNarrowFloat(int64_t dataType) {
  return dataType == ::onnx::TensorProto::FLOAT16 || dataType == ::onnx::TensorProto::BFLOAT16;
}

Type elementTypeOf(int64_t dataType, MLIRContext *context) {
  Builder b(context);
  switch (dataType) {
  case ::onnx::TensorProto::FLOAT:
  case ::onnx::TensorProto::FLOAT16:
  case ::onnx::TensorProto::BFLOAT16:
    return b.getF32Type();
  case ::onnx::TensorProto::DOUBLE:
    return b.getF64Type();
  case ::onnx::TensorProto::INT32:
    return b.getI32Type();
  case ::onnx::TensorProto::INT64:
    return b.getI64Type();
  case ::onnx::TensorProto::UINT8:
    return b.getIntegerType(8, /*isSigned=*/false);
  case ::onnx::TensorProto::BOOL:
    return b.getI1Type();
  default:
    return {};
  }
}

std::string typeName(Type type) {
  if (type.isInteger(1))
    return "bool";
  return (isa<FloatType>(type)       ? "float"
          : type.isUnsignedInteger() ? "uint"
                                     : "int") +
         std::to_string(type.getIntOrFloatBitWidth());
}

template <typename To, typename Field>
static llvm::Error copyField(const Field &field, HostTensor &tensor, int64_t count) {
  if (field.size() != count)
    return llvm::createStringError("it has " + Twine(field.size()) + " elements, its shape needs " +
                                   Twine(count));
  tensor.data = frontend::TensorBytes::allocate(count * sizeof(To));
  char *out = tensor.data.mutableData();
  for (auto value : field) {
    To element = To(value);
    std::memcpy(out, &element, sizeof(To));
    out += sizeof(To);
  }
  return llvm::Error::success();
}

/// Elements in the field of their type.
static llvm::Error copyTypedField(const ::onnx::TensorProto &message, HostTensor &tensor, int64_t count) {
  switch (message.data_type()) {
  case ::onnx::TensorProto::UINT8:
  case ::onnx::TensorProto::INT8: // bits
    return copyField<uint8_t>(message.int32_data(), tensor, count);
  case ::onnx::TensorProto::UINT16:
  case ::onnx::TensorProto::INT16:
    return copyField<uint16_t>(message.int32_data(), tensor, count);
  case ::onnx::TensorProto::FLOAT:
    return copyField<float>(message.float_data(), tensor, count);
  case ::onnx::TensorProto::DOUBLE:
    return copyField<double>(message.double_data(), tensor, count);
  case ::onnx::TensorProto::INT32:
    return copyField<int32_t>(message.int32_data(), tensor, count);
  case ::onnx::TensorProto::INT64:
    return copyField<int64_t>(message.int64_data(), tensor, count);
  case ::onnx::TensorProto::FLOAT16:
  case ::onnx::TensorProto::BFLOAT16: // bits
    return copyField<uint16_t>(message.int32_data(), tensor, count);
  default:
    return copyField<bool>(message.int32_data(), tensor, count);
  }
}

static llvm::Error takeBytes(frontend::TensorBytes bytes, HostTensor &tensor, uint64_t size) {
  if (bytes.size() != size)
    return llvm::createStringError("it has " + Twine(bytes.size()) + " bytes, its shape and type need " +
                                   Twine(size));
  tensor.data = std::move(bytes);
  if (tensor.type.getElementType().isInteger(1)) {
    tensor.data = frontend::TensorBytes::copy(tensor.data);
    for (size_t i = 0; i < size; ++i)
      tensor.data.mutableData()[i] = tensor.data[i] != 0;
  }
  return llvm::Error::success();
}

/// Reads the elements, from wherever they are.
static llvm::Error takeElements(const ::onnx::TensorProto &message, const ModelFile &file, HostTensor &tensor,
                                int64_t count) {
  Type element = tensor.type.getElementType();
  uint64_t size = uint64_t(count) * elementBytes(element);
  if (message.data_location() == ::onnx::TensorProto::EXTERNAL) {
    auto bytes = file.externalData(message, size);
    if (!bytes)
      return bytes.takeError();
    return takeBytes(std::move(*bytes), tensor, size);
  }
  if (std::optional<frontend::TensorBytes> bytes = file.rawData(message))
    return takeBytes(std::move(*bytes), tensor, size);
  return copyTypedField(message, tensor, count);
}

IntegerType narrowInteger(int64_t dataType, MLIRContext *context) {
  switch (dataType) {
  case ::onnx::TensorProto::UINT8:
  case ::onnx::TensorProto::UINT16:
    return IntegerType::get(context, dataType == ::onnx::TensorProto::UINT8 ? 8 : 16, IntegerType::Unsigned);
  case ::onnx::TensorProto::INT8:
  case ::onnx::TensorProto::INT16:
    return IntegerType::get(context, dataType == ::onnx::TensorProto::INT8 ? 8 : 16, IntegerType::Signed);
  default:
    return {};
  }
}

/// int32 elements for those of 8 or 16 bits (little endian) that tensors of programs have not.
static void widenIntegers(HostTensor &tensor, IntegerType stored) {
  size_t bytes = stored.getWidth() / 8;
  auto wide = frontend::TensorBytes::allocate(tensor.data.size() / bytes * sizeof(int32_t));
  for (size_t i = 0; i < tensor.data.size() / bytes; ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, tensor.data.data() + i * bytes, bytes);
    int32_t number = stored.isSigned() ? int32_t(llvm::SignExtend32(bits, stored.getWidth())) : int32_t(bits);
    std::memcpy(wide.mutableData() + i * sizeof number, &number, sizeof number);
  }
  tensor.data = std::move(wide);
  tensor.type = RankedTensorType::get(tensor.type.getShape(), IntegerType::get(stored.getContext(), 32));
}

/// float32 elements for the bits of narrow ones.
static void widen(HostTensor &tensor, int64_t dataType, Type element) {
  const llvm::fltSemantics &format =
      dataType == ::onnx::TensorProto::FLOAT16 ? APFloat::IEEEhalf() : APFloat::BFloat();
  auto wide = frontend::TensorBytes::allocate(tensor.data.size() * 2);
  for (size_t i = 0; i < tensor.data.size() / 2; ++i) {
    uint16_t bits;
    std::memcpy(&bits, tensor.data.data() + i * sizeof bits, sizeof bits);
    float number = APFloat(format, APInt(16, bits)).convertToFloat();
    std::memcpy(wide.mutableData() + i * sizeof number, &number, sizeof number);
  }
  tensor.data = std::move(wide);
  tensor.type = RankedTensorType::get(tensor.type.getShape(), element);
}

llvm::Expected<HostTensor> readTensor(const ::onnx::TensorProto &message, const ModelFile &file,
                                      MLIRContext *context) {
  Type element = elementTypeOf(message.data_type(), context);
  IntegerType integer = narrowInteger(message.data_type(), context);
  if (!element && !integer)
    return llvm::createStringError(unsupportedType(message.data_type()));
  SmallVector<int64_t> shape(message.dims().begin(), message.dims().end());
  std::optional<int64_t> count = countElements(shape);
  if (!count)
    return llvm::createStringError(
        "its shape [" +
        llvm::join(llvm::map_range(shape, [](int64_t d) { return std::to_string(d); }), ", ") +
        "] has a negative dim or is too large");
  bool isNarrow = isNarrowFloat(message.data_type());
  Type stored = isNarrow ? IntegerType::get(context, 16) : integer ? Type(integer) : element;
  HostTensor tensor{RankedTensorType::get(shape, stored), {}, false};
  if (llvm::Error error = takeElements(message, file, tensor, *count))
    return error;
  if (isNarrow)
    widen(tensor, message.data_type(), element);
  if (integer && !element)
    widenIntegers(tensor, integer);
  tensor.stored = integer;
  return tensor;
}

} // namespace dlc::onnx
