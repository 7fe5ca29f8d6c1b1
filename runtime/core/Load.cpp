//===- Load.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an instance's state from a safetensors file, or from its bytes in memory: a checkpoint with
// everything that save writes, or a weights file with parameters and buffers alone. The whole file is checked
// before any state changes. docs/checkpoints.md describes the file.
//===----------------------------------------------------------------------===//
#include "runtime/core/Instance.h"
#include "runtime/core/Layout.h"
#include "runtime/core/TensorFile.h"
#include "runtime/core/Widen.h"

#include <cinttypes>
#include <cstdio>

namespace dlc::runtime {

namespace {

constexpr uint32_t bit(uint32_t kind) { return 1u << kind; }
constexpr uint32_t weightKinds = bit(DLC_PARAMETER) | bit(DLC_BUFFER);
constexpr uint32_t trainingKinds =
    bit(DLC_OPTIMIZER_STATE) | bit(DLC_HYPERPARAMETER) | bit(DLC_RNG) | bit(DLC_STEP_COUNT);

enum class Purpose { Create, Load };

/// What a model has in place of a name that it does not have: the same without a prefix, such as the
/// "module." of PyTorch's DataParallel, or the first five.
struct Expected {
  char text[640] = "";

  Expected(const dlc_model &model, const TensorTable &table, const char *name) {
    const size_t length = strlen(name);
    size_t listed = 0;
    for (uint32_t i = 0; i < model.symbol_count; ++i) {
      const dlc_symbol &symbol = model.symbols[i];
      const size_t suffix = strlen(symbol.name);
      if (!(bit(symbol.kind) & weightKinds))
        continue;
      if (!table.find(symbol.name) && suffix + 1 < length && name[length - suffix - 1] == '.' &&
          strcmp(name + length - suffix, symbol.name) == 0) {
        Printable prefix(name);
        const size_t kept =
            sizeof prefix.text - 1 < length - suffix ? sizeof prefix.text - 1 : length - suffix;
        prefix.text[kept] = 0;
        snprintf(text, sizeof text,
                 ", but '%s': take the prefix '%s' off the names of the file's tensors, in Python by "
                 "{k.removeprefix('%s'): v for k, v in weights.items()}",
                 Printable(symbol.name).text, prefix.text, prefix.text);
        return;
      }
      const size_t used = strlen(text);
      if (++listed <= 5)
        snprintf(text + used, sizeof text - used, "%s'%s'", used ? ", " : "; it has ",
                 Printable(symbol.name).text);
      else if (listed == 6)
        snprintf(text + used, sizeof text - used, ", ...");
    }
  }
};

class StateReader {
public:
  StateReader(dlc_instance &instance, const char *path, Error &error)
      : instance(instance), model(*instance.model), path(path), error(error) {}

  dlc_status readFile(Purpose purpose) {
    if (dlc_status status = file.open(path, error))
      return status;
    return read(purpose);
  }

  /// The bytes of a file; messages have `path` for its name.
  dlc_status readMemory(const void *data, size_t bytes) {
    if (dlc_status status = file.openMemory(path, data, bytes, error))
      return status;
    return read(Purpose::Load);
  }

private:
  dlc_status read(Purpose purpose) {
    if (dlc_status status = matchNames(purpose))
      return status;
    if (dlc_status status = stage())
      return status;
    commit(purpose);
    return instance.deviceStatus(error);
  }

  /// A tensor of the file that becomes a symbol's value.
  struct Match {
    const dlc_symbol *symbol;
    const Tensor *tensor;
    size_t place; ///< in `staged`
  };

  /// Pairs the model's symbols with the file's tensors; every one that must be there is, and nothing else.
  dlc_status matchNames(Purpose purpose) {
    uint32_t present = 0;
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (table.find(model.symbols[i].name))
        present |= bit(model.symbols[i].kind);
    isCheckpoint = (present & trainingKinds) != 0;
    bool anyInFile = false;
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      anyInFile |= model.symbols[i].in_weights_file != 0;

    size_t known = 0, missing = 0;
    char names[512] = "";
    for (uint32_t i = 0; i < model.symbol_count; ++i) {
      const dlc_symbol &symbol = model.symbols[i];
      const Tensor *tensor = symbol.kind == DLC_GRADIENT ? nullptr : table.find(symbol.name);
      if (tensor) {
        ++known;
        if (!isTaken(symbol, purpose))
          continue;
        if (dlc_status status = checkType(symbol, *tensor))
          return status;
        if (!matches.append({&symbol, tensor, 0}))
          return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read it", path);
      } else if (isNeeded(symbol, purpose, anyInFile)) {
        size_t used = strlen(names);
        if (missing++ < 4)
          snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "",
                   Printable(symbol.name).text);
      }
    }
    size_t ofTraining = 0;
    for (const Tensor &tensor : table.tensors) {
      ignored += isIgnored(tensor);
      ofTraining += isOfTraining(tensor, purpose);
    }
    if (known + ignored + ofTraining < table.tensors.size())
      return refuseUnknown(purpose);
    if (missing)
      return error.fail(DLC_BAD_FILE, "%s: lacks %zu tensor%s of %s: %s%s", path, missing,
                        missing == 1 ? "" : "s", model.name, names, missing > 4 ? " ..." : "");
    return DLC_OK;
  }

  /// A state_dict of PyTorch has a count for each batch normalization, which its training reads only where
  /// the layer has no momentum. No other tensor that the model does not have is passed over.
  bool isIgnored(const Tensor &tensor) const {
    constexpr char counter[] = "num_batches_tracked";
    const size_t length = strlen(tensor.name), suffix = sizeof counter - 1;
    if (length < suffix || strcmp(tensor.name + length - suffix, counter) != 0)
      return false;
    if (length > suffix && tensor.name[length - suffix - 1] != '.')
      return false;
    return tensor.dtype == DLC_I64 && tensor.rank == 0 && !findSymbol(model, tensor.name, ~0u);
  }

  /// The state of a training in a checkpoint, which was another one than this model's, such as one with
  /// another optimizer: single numbers, and what belongs to a parameter ("fc.weight.exp_avg"). A new instance
  /// does not need it.
  bool isOfTraining(const Tensor &tensor, Purpose purpose) const {
    if (purpose != Purpose::Create || !table.model || findSymbol(model, tensor.name, ~0u) ||
        isIgnored(tensor))
      return false;
    if (tensor.rank == 0 || strcmp(tensor.name, "rng") == 0)
      return true;
    for (uint32_t i = 0; i < model.symbol_count; ++i) {
      const dlc_symbol &symbol = model.symbols[i];
      const size_t length = strlen(symbol.name);
      if ((bit(symbol.kind) & weightKinds) && strncmp(tensor.name, symbol.name, length) == 0 &&
          tensor.name[length] == '.')
        return true;
    }
    return false;
  }

  /// A new instance takes weights only: it starts training, it does not resume it.
  bool isTaken(const dlc_symbol &symbol, Purpose purpose) const {
    if (purpose == Purpose::Create)
      return bit(symbol.kind) & (weightKinds | bit(DLC_CONSTANT));
    return symbol.kind != DLC_CONSTANT;
  }

  bool isNeeded(const dlc_symbol &symbol, Purpose purpose, bool anyInFile) const {
    if (purpose == Purpose::Load && isCheckpoint)
      return bit(symbol.kind) & (weightKinds | trainingKinds);
    if (symbol.kind == DLC_CONSTANT)
      return purpose == Purpose::Create && symbol.in_weights_file;
    // What the compiler wrote to the weights file, or all of them where it embedded everything.
    return (bit(symbol.kind) & weightKinds) && (symbol.in_weights_file || !anyInFile);
  }

  dlc_status refuseUnknown(Purpose purpose) {
    for (const Tensor &tensor : table.tensors) {
      const dlc_symbol *symbol = findSymbol(model, tensor.name, ~bit(DLC_GRADIENT));
      if (symbol || isIgnored(tensor) || isOfTraining(tensor, purpose))
        continue;
      return error.fail(DLC_BAD_FILE, "%s: a weights file of another model%s%s%s: %s has no tensor '%s'%s",
                        path, table.model ? " ('" : "", table.model ? Printable(table.model).text : "",
                        table.model ? "')" : "", model.name, Printable(tensor.name).text,
                        Expected(model, table, tensor.name).text);
    }
    return error.fail(DLC_BAD_FILE, "%s: a weights file of another model", path);
  }

  /// Weights may be kept in fewer bytes than they are trained in. A checkpoint has what was trained.
  bool isWidened(const dlc_symbol &symbol, const Tensor &tensor) const {
    return !isCheckpoint && (bit(symbol.kind) & weightKinds) && isWidening(tensor.dtype, symbol.dtype);
  }

  dlc_status checkType(const dlc_symbol &symbol, const Tensor &tensor) {
    bool same = (symbol.dtype == tensor.dtype || isWidened(symbol, tensor)) && symbol.rank == tensor.rank;
    for (uint32_t i = 0; same && i < symbol.rank; ++i)
      same = symbol.shape[i] == tensor.shape[i];
    if (same)
      return DLC_OK;
    return error.fail(DLC_BAD_FILE, "%s: tensor '%s' is %s %s, expected %s %s", path,
                      Printable(tensor.name).text, Printable(tensor.dtypeText).text,
                      ShapeText(tensor.rank, tensor.shape).text, dtypeName(symbol.dtype),
                      ShapeText(symbol.rank, symbol.shape).text);
  }

  dlc_status stage() {
    size_t total = 0;
    for (Match &match : matches) {
      match.place = total;
      total += (logicalBytes(*match.symbol) + 7) / 8 * 8;
    }
    if (!staged.allocate(total))
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its %zu bytes", path, total);
    for (const Match &match : matches) {
      void *values = staged.data() + match.place;
      if (dlc_status status = readValues(match, values))
        return status;
      if (dlc_status status = checkValues(*match.symbol, values))
        return status;
    }
    return DLC_OK;
  }

  dlc_status readValues(const Match &match, void *values) {
    const dlc_symbol &symbol = *match.symbol;
    const Tensor &tensor = *match.tensor;
    if (tensor.dtype == symbol.dtype)
      return file.read(tensor, values, error);
    Array<unsigned char> narrow;
    const size_t bytes = tensor.end - tensor.begin;
    if (!narrow.allocate(bytes))
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for '%s'", path, symbol.name);
    if (dlc_status status = file.read(tensor, narrow.data(), error))
      return status;
    widen(tensor.dtype, narrow.data(), symbol.dtype, values, bytes / dtypeBytes(tensor.dtype));
    return DLC_OK;
  }

  dlc_status checkValues(const dlc_symbol &symbol, const void *values) {
    const size_t count = logicalBytes(symbol) / dtypeBytes(symbol.dtype);
    size_t firstBad = 0;
    if (symbol.kind == DLC_HYPERPARAMETER) {
      double value;
      memcpy(&value, values, sizeof value);
      if (!isAllowed(symbol, value))
        return error.fail(DLC_BAD_FILE, "%s: %s is %g, expected at least %g and less than %g", path,
                          symbol.name, value, symbol.low, symbol.limit);
      return DLC_OK;
    }
    if (symbol.kind == DLC_RNG || symbol.kind == DLC_STEP_COUNT) {
      int64_t steps; // the last value; any seed is good
      memcpy(&steps, static_cast<const unsigned char *>(values) + (count - 1) * sizeof steps, sizeof steps);
      if (steps < 0)
        return error.fail(DLC_BAD_FILE, "%s: '%s' counts %" PRId64 " steps", path, symbol.name, steps);
    }
    // A constant of the program may be infinite on purpose, such as an attention mask.
    if (symbol.kind != DLC_CONSTANT && !allFinite(symbol.dtype, values, count, firstBad)) {
      if (instance.checkFinite)
        return error.fail(DLC_NOT_FINITE, "%s: tensor '%s' has a NaN or infinite value at position %zu", path,
                          symbol.name, firstBad);
      if (notFinite++ == 0)
        firstNotFinite = {&symbol, firstBad};
    }
    if (symbol.dtype == DLC_BOOL)
      for (size_t i = 0; i < count; ++i)
        if (static_cast<const unsigned char *>(values)[i] > 1)
          return error.fail(DLC_BAD_FILE, "%s: tensor '%s' has a value that is no boolean at position %zu",
                            path, symbol.name, i);
    return DLC_OK;
  }

  void commit(Purpose purpose) {
    if (purpose == Purpose::Load) {
      if (!isCheckpoint)
        resetTraining();
      for (uint32_t i = 0; i < model.symbol_count; ++i)
        if (model.symbols[i].kind == DLC_GRADIENT)
          initializeSymbol(instance, model.symbols[i]);
      instance.hasGradients = instance.keepsGradients = instance.hasLoss = false;
      instance.hasGradNorm = instance.hasMetrics = false;
      instance.newLoss = instance.newNorm = instance.newMetrics = false;
      instance.extras.swap(file.table.extras);
    }
    for (const Match &match : matches)
      instance.store(*match.symbol, staged.data() + match.place);
    instance.remark = remark();
  }

  /// A diverged training can be saved, so it can be read as well, as in PyTorch; but who reads it should
  /// know.
  Remark remark() const {
    Remark result;
    size_t used = 0;
    auto add = [&](const char *format, auto... values) {
      used += static_cast<size_t>(snprintf(result.text + used, sizeof result.text - used, format, values...));
      used = used < sizeof result.text ? used : sizeof result.text - 1;
    };
    if (ignored || notFinite)
      add("%s: ", Printable(path).text);
    if (notFinite)
      add("%zu tensor%s a NaN or infinite value, the first is '%s' at position %zu%s", notFinite,
          notFinite == 1 ? " has" : "s have", Printable(firstNotFinite.symbol->name).text,
          firstNotFinite.position, ignored ? "; " : "");
    if (ignored)
      add("%zu tensor%s named num_batches_tracked %s left out: %s has none", ignored, ignored == 1 ? "" : "s",
          ignored == 1 ? "is" : "are", Printable(model.name).text);
    return result;
  }

  /// Training starts anew from other weights; seed and hyperparameters stay what the user made them.
  void resetTraining() {
    for (uint32_t i = 0; i < model.symbol_count; ++i) {
      const dlc_symbol &symbol = model.symbols[i];
      if (bit(symbol.kind) & (weightKinds | bit(DLC_OPTIMIZER_STATE) | bit(DLC_STEP_COUNT)))
        initializeSymbol(instance, symbol);
      if (symbol.kind == DLC_RNG) {
        int64_t state[2];
        instance.fetch(symbol, state);
        state[1] = 0; // steps drawn
        instance.store(symbol, state);
      }
    }
  }

  dlc_instance &instance;
  const dlc_model &model;
  const char *path;
  Error &error;
  TensorFile file;
  const TensorTable &table = file.table;
  Array<Match> matches;
  Array<unsigned char> staged;
  bool isCheckpoint = false;
  size_t ignored = 0;   ///< tensors that nothing is done with
  size_t notFinite = 0; ///< tensors with a NaN or infinite value, which constants may have
  struct {
    const dlc_symbol *symbol;
    size_t position;
  } firstNotFinite = {};
};

} // namespace

dlc_status readInitialWeights(dlc_instance &instance, const char *path, Error &error) {
  return StateReader(instance, path, error).readFile(Purpose::Create);
}

} // namespace dlc::runtime

extern "C" dlc_status dlc_instance_load(dlc_instance *instance, const char *path) {
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  if (!path || !*path)
    return instance->error.fail(DLC_INVALID_ARGUMENT, "%s: no path to load from", instance->model->name);
  if (dlc_status status = dlc::runtime::refuseAverage(*instance))
    return status;
  return dlc::runtime::StateReader(*instance, path, instance->error).readFile(dlc::runtime::Purpose::Load);
}

extern "C" dlc_status dlc_instance_load_from_memory(dlc_instance *instance, const void *data, size_t bytes) {
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  if (!data)
    return instance->error.fail(DLC_INVALID_ARGUMENT, "%s: the memory to load from is NULL",
                                instance->model->name);
  if (dlc_status status = dlc::runtime::refuseAverage(*instance))
    return status;
  return dlc::runtime::StateReader(*instance, "the memory to load from", instance->error)
      .readMemory(data, bytes);
}
