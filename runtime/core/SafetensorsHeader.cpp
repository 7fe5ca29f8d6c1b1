//===- SafetensorsHeader.cpp ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and checks a safetensors header; trusts nothing in it.
//===----------------------------------------------------------------------===//
#include "runtime/core/SafetensorsHeader.h"

#include "runtime/core/JsonReader.h"

#include <algorithm>
#include <cinttypes>

namespace dlc::runtime {

namespace {

class HeaderParser {
public:
  HeaderParser(const char *path, uint64_t dataBytes, TensorTable &table, Error &error)
      : path(path), dataBytes(dataBytes), table(table), error(error),
        json(table.text.data(), table.text.size()) {}

  dlc_status parse() {
    if (!json.accept('{'))
      return unexpected("'{'");
    if (!json.accept('}')) {
      do {
        if (dlc_status status = parseEntry())
          return status;
      } while (json.accept(','));
      if (!json.accept('}'))
        return unexpected("',' or '}'");
    }
    if (!json.atEnd())
      return unexpected("the end of the header");
    if (dlc_status status = checkPlaces())
      return status;
    return checkNames();
  }

private:
  dlc_status unexpected(const char *expected) {
    return error.fail(DLC_BAD_FILE, "%s: byte %zu of the header: expected %s", path, json.position(),
                      expected);
  }

  dlc_status parseEntry() {
    const char *name;
    if (!json.string(name))
      return unexpected("the name of a tensor");
    if (!json.accept(':'))
      return unexpected("':'");
    if (strcmp(name, "__metadata__") == 0)
      return parseMetadata();
    Tensor tensor = {};
    tensor.name = name;
    if (dlc_status status = parseTensor(tensor))
      return status;
    if (dlc_status status = checkSize(tensor))
      return status;
    if (!table.tensors.append(tensor))
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its table of tensors", path);
    return DLC_OK;
  }

  dlc_status parseMetadata() {
    if (hasMetadata)
      return error.fail(DLC_BAD_FILE, "%s: __metadata__ appears twice", path);
    hasMetadata = true;
    if (!json.accept('{'))
      return unexpected("'{'");
    if (json.accept('}'))
      return DLC_OK;
    do {
      const char *key, *value;
      if (!json.string(key))
        return unexpected("a key of __metadata__");
      if (!json.accept(':'))
        return unexpected("':'");
      if (!json.string(value))
        return unexpected("a string in __metadata__");
      if (strcmp(key, "dlc.model") == 0)
        table.model = value;
      if (strcmp(key, "dlc.format") == 0 && strtoll(value, nullptr, 10) > checkpointFormat)
        return error.fail(DLC_BAD_FILE,
                          "%s: written by a newer dlc (format %s, this runtime knows %" PRId64 ")", path,
                          Printable(value).text, checkpointFormat);
      if (dlc_status status = takeExtra(key, value))
        return status;
    } while (json.accept(','));
    return json.accept('}') ? DLC_OK : unexpected("',' or '}'");
  }

  dlc_status takeExtra(const char *key, const char *value) {
    Extras::Kind kind;
    const char *name = Extras::nameIn(key, kind);
    if (!name)
      return DLC_OK;
    double number;
    bool isSet = true;
    const bool isSound =
        Extras::isName(name) &&
        (kind == Extras::Kind::Number ? Extras::parse(value, number, isSet) : Extras::isText(value));
    if (!table.extras.hasRoom(value))
      return error.fail(DLC_BAD_FILE, "%s: its __metadata__ has more entries of its own than there may be",
                        path);
    if (isSet && !isSound)
      return error.fail(DLC_BAD_FILE, "%s: the entry '%s' of __metadata__ is no %s of a name", path,
                        Printable(key).text, kind == Extras::Kind::Number ? "number" : "text");
    if (!isSet || !table.extras.set(kind, name, value))
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the entries of its __metadata__", path);
    return DLC_OK;
  }

  /// {"dtype":"F32","shape":[784,256],"data_offsets":[0,802816]}, in any order, each exactly once.
  dlc_status parseTensor(Tensor &tensor) {
    unsigned seen = 0;
    if (!json.accept('{'))
      return unexpected("'{'");
    do {
      const char *key;
      if (!json.string(key))
        return unexpected("dtype, shape or data_offsets");
      if (!json.accept(':'))
        return unexpected("':'");
      unsigned field = strcmp(key, "dtype") == 0 ? 1 : strcmp(key, "shape") == 0 ? 2 : 4;
      if (field == 4 && strcmp(key, "data_offsets") != 0)
        return error.fail(DLC_BAD_FILE, "%s: tensor '%s': unknown field '%s'", path,
                          Printable(tensor.name).text, Printable(key).text);
      if (seen & field)
        return error.fail(DLC_BAD_FILE, "%s: tensor '%s': %s appears twice", path,
                          Printable(tensor.name).text, key);
      seen |= field;
      dlc_status status = field == 1   ? parseDType(tensor)
                          : field == 2 ? parseShape(tensor)
                                       : parseOffsets(tensor);
      if (status != DLC_OK)
        return status;
    } while (json.accept(','));
    if (!json.accept('}'))
      return unexpected("',' or '}'");
    if (seen != 7)
      return error.fail(DLC_BAD_FILE, "%s: tensor '%s' lacks its %s", path, Printable(tensor.name).text,
                        !(seen & 1)   ? "dtype"
                        : !(seen & 2) ? "shape"
                                      : "data_offsets");
    return DLC_OK;
  }

  dlc_status parseDType(Tensor &tensor) {
    if (!json.string(tensor.dtypeText))
      return unexpected("a dtype");
    tensor.dtype = dtypeFromName(tensor.dtypeText);
    return DLC_OK;
  }

  dlc_status parseShape(Tensor &tensor) {
    if (!json.accept('['))
      return unexpected("'['");
    if (json.accept(']'))
      return DLC_OK;
    do {
      if (tensor.rank == maxRank)
        return error.fail(DLC_BAD_FILE, "%s: tensor '%s' has more than %u dimensions", path,
                          Printable(tensor.name).text, maxRank);
      if (!json.integer(tensor.shape[tensor.rank]))
        return unexpected("a size");
      ++tensor.rank;
    } while (json.accept(','));
    return json.accept(']') ? DLC_OK : unexpected("',' or ']'");
  }

  dlc_status parseOffsets(Tensor &tensor) {
    int64_t begin, end;
    if (!json.accept('['))
      return unexpected("'['");
    if (!json.integer(begin))
      return unexpected("an offset");
    if (!json.accept(','))
      return unexpected("','");
    if (!json.integer(end))
      return unexpected("an offset");
    tensor.begin = static_cast<uint64_t>(begin);
    tensor.end = static_cast<uint64_t>(end);
    return json.accept(']') ? DLC_OK : unexpected("']'");
  }

  dlc_status checkSize(const Tensor &tensor) {
    Printable name(tensor.name);
    if (tensor.begin > tensor.end || tensor.end > dataBytes)
      return error.fail(DLC_BAD_FILE,
                        "%s: tensor '%s' lies at bytes %" PRIu64 " to %" PRIu64 " of %" PRIu64
                        ": the file is truncated or damaged",
                        path, name.text, tensor.begin, tensor.end, dataBytes);
    int64_t count;
    uint64_t bytes;
    bool fits = elementCount(tensor.rank, tensor.shape, count) &&
                !__builtin_mul_overflow(static_cast<uint64_t>(count), dtypeBytes(tensor.dtype), &bytes);
    // A dtype that dlc does not have is refused where the tensor is used.
    if (!fits || (tensor.dtype && bytes != tensor.end - tensor.begin))
      return error.fail(DLC_BAD_FILE, "%s: tensor '%s' is %s %s but has %" PRIu64 " bytes", path, name.text,
                        Printable(tensor.dtypeText).text, ShapeText(tensor.rank, tensor.shape).text,
                        tensor.end - tensor.begin);
    return DLC_OK;
  }

  /// Every byte of the file belongs to exactly one tensor.
  dlc_status checkPlaces() {
    std::sort(table.tensors.begin(), table.tensors.end(), [](const Tensor &a, const Tensor &b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    uint64_t place = 0;
    for (const Tensor &tensor : table.tensors) {
      if (tensor.begin != place)
        return error.fail(DLC_BAD_FILE,
                          "%s: tensor '%s' begins at byte %" PRIu64 ", expected %" PRIu64 ": %s", path,
                          Printable(tensor.name).text, tensor.begin, place,
                          tensor.begin < place ? "tensors overlap" : "there is a hole");
      place = tensor.end;
    }
    if (place != dataBytes)
      return error.fail(DLC_BAD_FILE, "%s: %" PRIu64 " bytes of tensors, expected %" PRIu64, path, dataBytes,
                        place);
    return DLC_OK;
  }

  dlc_status checkNames() {
    std::sort(table.tensors.begin(), table.tensors.end(),
              [](const Tensor &a, const Tensor &b) { return strcmp(a.name, b.name) < 0; });
    for (size_t i = 1; i < table.tensors.size(); ++i)
      if (strcmp(table.tensors[i - 1].name, table.tensors[i].name) == 0)
        return error.fail(DLC_BAD_FILE, "%s: tensor '%s' appears twice", path,
                          Printable(table.tensors[i].name).text);
    return DLC_OK;
  }

  const char *path;
  uint64_t dataBytes;
  TensorTable &table;
  Error &error;
  JsonReader json;
  bool hasMetadata = false;
};

} // namespace

const Tensor *TensorTable::find(const char *name) const {
  const Tensor *found =
      std::lower_bound(tensors.begin(), tensors.end(), name,
                       [](const Tensor &tensor, const char *n) { return strcmp(tensor.name, n) < 0; });
  return found != tensors.end() && strcmp(found->name, name) == 0 ? found : nullptr;
}

dlc_status parseHeader(const char *path, uint64_t dataBytes, TensorTable &table, Error &error) {
  return HeaderParser(path, dataBytes, table, error).parse();
}

} // namespace dlc::runtime
