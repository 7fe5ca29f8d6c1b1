//===- dlc/data.hpp - data sets in C++ -------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dlc/data.h and the loaders of dlc/runtime.h as classes of C++17: what they open they close, and what fails
// is an exception. A data set is a class with a function `get`; what changes samples are functions of this
// header. Nothing here is in a library: a program that includes it needs the runtime alone.
//===----------------------------------------------------------------------===//
#ifndef DLC_DATA_HPP
#define DLC_DATA_HPP

#include "dlc/data.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dlc::data {

/// What the runtime refuses; the text is its sentence.
class Error : public std::runtime_error {
public:
  Error(dlc_status status, const std::string &text)
      : std::runtime_error(text.empty() ? dlc_status_string(status) : text), status(status) {}
  const dlc_status status; ///< which kind of refusal
};

namespace detail {
/// The dlc_dtype whose elements a T is.
template <typename T> constexpr int32_t dtypeOf() {
  constexpr bool isFloat = std::is_same_v<T, float>, isDouble = std::is_same_v<T, double>,
                 isBool = std::is_same_v<T, bool>, isByte = std::is_same_v<T, uint8_t>,
                 isInteger = std::is_integral_v<T> && std::is_signed_v<T>;
  static_assert(isFloat || isDouble || isBool || isByte || (isInteger && sizeof(T) >= 4),
                "elements are float, double, int32_t, int64_t, uint8_t or bool");
  return isFloat          ? DLC_F32
         : isDouble       ? DLC_F64
         : isBool         ? DLC_BOOL
         : isByte         ? DLC_U8
         : sizeof(T) == 4 ? DLC_I32
                          : DLC_I64;
}
inline const char *nameOf(int32_t dtype) {
  constexpr const char *names[] = {"?",    "float32",  "float64", "int32", "int64",
                                   "bool", "bfloat16", "float16", "uint8"};
  return names[dtype >= 0 && dtype <= DLC_U8 ? dtype : 0];
}
} // namespace detail

/// Elements one behind the other, which are somebody else's; a std::span is made of it, too.
template <typename T> class Elements {
public:
  Elements(const T *first, size_t count) : first(first), count(count) {}
  /// The first one.
  const T *data() const { return first; }
  /// How many there are.
  size_t size() const { return count; }
  /// For loops: the first one.
  const T *begin() const { return first; }
  /// For loops: behind the last one.
  const T *end() const { return first + count; }
  /// The element at a place from 0 on, which must be below size().
  const T &operator[](size_t place) const { return first[place]; }

private:
  const T *first;
  size_t count;
};

/// Where the elements of a tensor are, what they are, and its shape: a session of dlc/dlc.h takes it for a
/// dlc::View.
struct Values {
  const void *data = nullptr; ///< the first element, row-major
  int32_t dtype = DLC_F32;    ///< a dlc_dtype
  std::vector<int64_t> shape; ///< the sizes of all dims

  /// The elements: y.values<int64_t>() of labels. Throws Error where they are of another type. They live as
  /// long as what they are of: in a loop over a loader, until its next batch.
  template <typename T> Elements<T> values() const {
    if (dtype != detail::dtypeOf<T>())
      throw Error(DLC_INVALID_ARGUMENT, std::string("the elements are ") + detail::nameOf(dtype) + ", not " +
                                            detail::nameOf(detail::dtypeOf<T>()));
    size_t count = 1;
    for (int64_t size : shape)
      count *= static_cast<size_t>(size);
    return {static_cast<const T *>(data), count};
  }
};

/// A dlc_array with an owner.
class Array {
public:
  Array() = default;
  Array(Array &&other) noexcept : value(std::exchange(other.value, {})) {}
  Array &operator=(Array &&other) noexcept {
    std::swap(value, other.value);
    return *this;
  }
  ~Array() { dlc_array_free(&value); }

  /// The array itself.
  const dlc_array *get() const & { return &value; }
  /// Give the array a name: what the pointer to one without points at would be gone.
  const dlc_array *get() const && = delete;
  /// All of it, for a session.
  Values values() const & { return {value.data, value.dtype, {value.shape, value.shape + value.rank}}; }
  /// Give the array a name: the elements of one without would be gone.
  Values values() const && = delete;
  /// The size of its first axis.
  int64_t samples() const { return value.rank > 0 ? value.shape[0] : 0; }
  /// Its elements, which must be of the type T.
  template <typename T> T *data() & { return static_cast<T *>(value.data); }
  /// Its elements, which must be of the type T.
  template <typename T> const T *data() const & { return static_cast<const T *>(value.data); }
  /// Give the array a name: the elements of one without would be gone.
  template <typename T> const T *data() const && = delete;

  /// Makes one by a function of the runtime, which gets the array and a buffer for its sentence.
  template <typename Read> static Array from(Read read) {
    Array array;
    char error[512] = "";
    if (const dlc_status status = read(&array.value, error, sizeof error); status != DLC_OK)
      throw Error(status, error);
    return array;
  }

private:
  dlc_array value = {};
};

/// An IDX file; numbers are scaled where it is said how.
inline Array read_idx(const std::string &path, const dlc_scaling *scaling = nullptr) {
  return Array::from([&](auto... to) { return dlc_read_idx(path.c_str(), scaling, to...); });
}
/// A file of NumPy likewise.
inline Array read_npy(const std::string &path, const dlc_scaling *scaling = nullptr) {
  return Array::from([&](auto... to) { return dlc_read_npy(path.c_str(), scaling, to...); });
}

/// Bytes as they are, of an IDX file or of one of NumPy: for an input of uint8.
inline Array read_bytes(const std::string &path) {
  return Array::from([&](auto... to) { return dlc_read_bytes(path.c_str(), to...); });
}

/// A file that numpy.savez or numpy.savez_compressed wrote.
class Npz {
public:
  explicit Npz(const std::string &path) : npz(nullptr, dlc_npz_close) {
    dlc_npz *opened = nullptr;
    char error[512] = "";
    if (const dlc_status status = dlc_npz_open(path.c_str(), &opened, error, sizeof error); status != DLC_OK)
      throw Error(status, error);
    npz.reset(opened);
  }
  /// Of the arrays, in the file's order.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (int64_t i = 0; i < dlc_npz_count(npz.get()); ++i)
      all.push_back(dlc_npz_name(npz.get(), i));
    return all;
  }
  /// One of them; numbers are scaled where it is said how.
  Array read(const std::string &name, const dlc_scaling *scaling = nullptr) const {
    return Array::from([&](auto... to) { return dlc_npz_read(npz.get(), name.c_str(), scaling, to...); });
  }

private:
  std::unique_ptr<dlc_npz, decltype(&dlc_npz_close)> npz;
};

/// A CSV file.
class Table {
public:
  explicit Table(const std::string &path, char separator = ',') : table(nullptr, dlc_table_free) {
    dlc_table_options options = {};
    options.struct_size = sizeof options;
    options.separator = separator;
    dlc_table *read = nullptr;
    char error[512] = "";
    if (const dlc_status status = dlc_table_read(path.c_str(), &options, &read, error, sizeof error);
        status != DLC_OK)
      throw Error(status, error);
    table.reset(read);
  }
  /// The table itself.
  const dlc_table *get() const & { return table.get(); }
  /// The number of rows.
  int64_t rows() const { return dlc_table_rows(table.get()); }
  /// The columns of these names, as [rows][columns].
  Array numbers(const std::vector<std::string> &names, dlc_dtype dtype = DLC_F32) const {
    std::vector<int32_t> columns;
    for (const std::string &name : names) {
      columns.push_back(dlc_table_find(table.get(), name.c_str()));
      if (columns.back() < 0)
        throw Error(DLC_NOT_FOUND, "there is no column '" + name + "'");
    }
    return Array::from([&](auto... to) {
      return dlc_table_numbers(table.get(), columns.data(), static_cast<int32_t>(columns.size()), dtype,
                               to...);
    });
  }
  /// The text of a cell; "" where there is none.
  std::string cell(int64_t row, int32_t column) const {
    const char *text = dlc_table_cell(table.get(), row, column);
    return text ? text : "";
  }

private:
  std::unique_ptr<dlc_table, decltype(&dlc_table_free)> table;
};

/// Random numbers that are the same on all machines (splitmix64).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  /// Any number.
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  /// From 0 to bound - 1; the bias of the remainder is below bound / 2^64.
  int64_t below(int64_t bound) { return static_cast<int64_t>(next() % static_cast<uint64_t>(bound)); }

private:
  uint64_t state;
};

/// Where a data set writes a sample.
class Sample {
public:
  explicit Sample(const dlc_sample &to) : random(to.random), to(to) {}
  /// Where the elements of a field go, which are of the type T.
  template <typename T> T *field(int index) const { return static_cast<T *>(to.fields[index]); }
  /// Of a padded field.
  void set_length(int index, int64_t length) const { to.lengths[index] = length; }

  Random random; ///< follows from the loader's seed, the epoch and the sample

private:
  const dlc_sample &to;
};

/// Samples by their number. `get` is called by several threads at the same time; what it throws is the
/// loader's error.
class Dataset {
public:
  virtual ~Dataset() = default;
  /// The number of samples.
  virtual int64_t size() const = 0;
  /// What each sample consists of.
  virtual std::vector<dlc_field> fields() const = 0;
  /// Writes a sample's fields.
  virtual void get(int64_t sample, Sample &to) const = 0;
};

/// A field of that shape of one sample; padded: of at most shape[0].
inline dlc_field field(dlc_dtype dtype, std::initializer_list<int64_t> shape = {}, bool padded = false,
                       double padding = 0) {
  dlc_field result = {};
  if (shape.size() > sizeof result.shape / sizeof result.shape[0])
    throw Error(DLC_INVALID_ARGUMENT, "a field has at most 8 axes");
  result.dtype = dtype;
  result.rank = static_cast<int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), result.shape);
  result.padded = padded;
  result.padding = padding;
  return result;
}

/// Batches of arrays or of a data set, which must outlive it. struct_size, error and error_bytes of the
/// options are set here.
///
///     for (auto [x, y] : loader)
///       loss += session.train_step(x, y);
///
/// is an epoch of samples with two fields; each further one is in another order.
class Loader {
public:
  Loader(std::initializer_list<const Array *> arrays, dlc_loader_options options)
      : loader(nullptr, dlc_loader_destroy) {
    std::vector<const dlc_array *> pointers;
    for (const Array *array : arrays) {
      const dlc_array &whole = *array->get();
      pointers.push_back(&whole);
      dlc_field &one = fields.emplace_back();
      one.dtype = whole.dtype;
      one.rank = std::max(whole.rank - 1, 0);
      std::copy_n(whole.shape + 1, one.rank, one.shape);
    }
    batch.resize(pointers.size());
    create(options, [&](dlc_loader **out) {
      return dlc_loader_create(pointers.data(), static_cast<int32_t>(pointers.size()), &options, out);
    });
  }
  /// A data set without a name would be gone.
  Loader(const Dataset &&, dlc_loader_options) = delete;
  Loader(const Dataset &dataset, dlc_loader_options options) : loader(nullptr, dlc_loader_destroy) {
    fields = dataset.fields();
    dlc_dataset made = {};
    made.samples = dataset.size();
    made.field_count = static_cast<int32_t>(fields.size());
    made.fields = fields.data();
    made.get = getSample;
    made.context = const_cast<Dataset *>(&dataset);
    batch.resize(fields.size());
    create(options, [&](dlc_loader **out) { return dlc_loader_create_dataset(&made, &options, out); });
  }

  /// How many an epoch has.
  int64_t batches() const { return dlc_loader_batches(loader.get()); }
  /// Begins an epoch, from batch `first` on.
  void start(int64_t epoch, int64_t first = 0) {
    if (const dlc_status status = dlc_loader_start_at(loader.get(), epoch, first); status != DLC_OK)
      throw Error(status, "an epoch of " + std::to_string(batches()) + " batches has no batch " +
                              std::to_string(first));
  }
  /// The rows of the next batch, 0 at the end of the epoch, and with ranks for a batch of which this one has
  /// no rows: has_ended() tells them apart.
  int64_t next() {
    int64_t rows = 0;
    if (const dlc_status status = dlc_loader_next(loader.get(), &rows, batch.data()); status != DLC_OK)
      throw Error(status, dlc_loader_last_error(loader.get()));
    return rowsNow = rows;
  }
  /// Whether the last next() found the end of the epoch.
  bool has_ended() const { return !batch[0]; }
  /// A field of the batch, until the next one.
  Values values(size_t index) const {
    const dlc_field &one = fields.at(index);
    Values result{batch[index], one.dtype, {one.shape, one.shape + one.rank}};
    if (one.padded && one.rank > 0)
      result.shape[0] = length();
    result.shape.insert(result.shape.begin(), rowsNow);
    return result;
  }

  /// The batches of an epoch of samples with `Fields` fields, for a loop:
  /// for (auto [image, text, label] : loader.epoch<3>(0)).
  template <size_t Fields> class Epoch {
  public:
    explicit Epoch(Loader &loader) : loader(loader) {}
    /// A batch, and the next one.
    class Iterator {
    public:
      explicit Iterator(Loader *loader) : loader(loader) { ++*this; }
      Iterator() = default;
      /// The fields of the batch, until the next one.
      std::array<Values, Fields> operator*() const {
        std::array<Values, Fields> all;
        for (size_t i = 0; i < Fields; ++i)
          all[i] = loader->values(i);
        return all;
      }
      /// Takes the next batch.
      Iterator &operator++() {
        loader->next();
        if (loader->has_ended())
          loader = nullptr;
        return *this;
      }
      /// Whether there is another batch.
      bool operator!=(const Iterator &other) const { return loader != other.loader; }

    private:
      Loader *loader = nullptr; ///< null behind the last batch
    };
    /// The first batch.
    Iterator begin() const { return Iterator(&loader); }
    /// Behind the last one.
    Iterator end() const { return Iterator(); }

  private:
    Loader &loader;
  };
  /// The batches of epoch `number`; an error where a sample has another number of fields.
  template <size_t Fields> Epoch<Fields> epoch(int64_t number) {
    if (fields.size() != Fields)
      throw Error(DLC_INVALID_ARGUMENT, "a sample has " + std::to_string(fields.size()) +
                                            " fields, and the loop takes " + std::to_string(Fields) +
                                            ": write for (auto [a, b, ...] : loader.epoch<" +
                                            std::to_string(fields.size()) + ">(number))");
    start(number);
    nextEpoch = number + 1;
    return Epoch<Fields>(*this);
  }
  /// The next epoch, of samples with two fields.
  Epoch<2>::Iterator begin() { return epoch<2>(nextEpoch).begin(); }
  /// Behind its last batch.
  Epoch<2>::Iterator end() { return {}; }
  /// Which epoch the next loop has, such as that of a checkpoint.
  void set_epoch(int64_t number) { nextEpoch = number; }

  /// The elements of a field of the batch, which are of the type T.
  template <typename T> const T *field(int index) const {
    return static_cast<const T *>(batch[static_cast<size_t>(index)]);
  }
  /// The length of the batch's padded fields.
  int64_t length() const { return dlc_loader_length(loader.get()); }

private:
  template <typename Create> void create(dlc_loader_options &options, Create make) {
    char error[512] = "";
    options.struct_size = sizeof options;
    options.error = error;
    options.error_bytes = sizeof error;
    dlc_loader *made = nullptr;
    if (const dlc_status status = make(&made); status != DLC_OK)
      throw Error(status, error);
    loader.reset(made);
  }
  /// The runtime knows no exceptions.
  static dlc_status getSample(void *context, int64_t sample, const dlc_sample *to) {
    auto tell = [&](const char *text) { std::string(text).copy(to->error, to->error_bytes - 1); };
    try {
      Sample target(*to);
      static_cast<const Dataset *>(context)->get(sample, target);
      return DLC_OK;
    } catch (const Error &error) {
      tell(error.what());
      return error.status;
    } catch (const std::exception &error) {
      tell(error.what());
    } catch (...) {
      tell("an exception that is no std::exception");
    }
    return DLC_BAD_FILE;
  }

  std::unique_ptr<dlc_loader, decltype(&dlc_loader_destroy)> loader;
  std::vector<dlc_field> fields;
  std::vector<const void *> batch;
  int64_t rowsNow = 0, nextEpoch = 0;
};

/// All samples, shuffled: parts of the result are data sets for training, validation and tests.
inline std::vector<int64_t> split(int64_t samples, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(std::max<int64_t>(samples, 0)));
  if (const dlc_status status = dlc_split(samples, seed, order.data()); status != DLC_OK && samples != 0)
    throw Error(status, "there are no " + std::to_string(samples) + " samples");
  return order;
}

// ---- what changes samples -------------------------------------------------------------------------

/// Bytes become numbers from 0 to 1.
inline void to_float(const uint8_t *bytes, int64_t count, float *values) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(bytes[i]) / 255.0f;
}

/// (value - mean) / deviation, for each channel of an image.
inline void normalize(float *image, int64_t pixels, const std::vector<float> &mean,
                      const std::vector<float> &deviation) {
  for (size_t channel = 0; channel < mean.size(); ++channel)
    for (int64_t i = 0; i < pixels; ++i, ++image)
      *image = (*image - mean[channel]) / deviation[channel];
}

/// Random changes of images from black, 0, to white, 1, as a text names them:
/// "crop:4,flip,rotate:15,color:0.4/0.4". dlc_changes_create in dlc/data.h says which there are.
class Changes {
public:
  Changes(const std::string &text, int64_t channels, int64_t height, int64_t width)
      : changes(nullptr, dlc_changes_free) {
    dlc_changes *made = nullptr;
    char error[512] = "";
    if (const dlc_status status = dlc_changes_create(text.c_str(), channels, height, width, nullptr, nullptr,
                                                     &made, error, sizeof error);
        status != DLC_OK)
      throw Error(status, error);
    changes.reset(made);
  }
  /// Writes the image `from`, changed at random, to `to`, which is another place.
  void apply(Random &random, const float *from, float *to) const {
    if (const dlc_status status = dlc_changes_apply(changes.get(), random.next(), from, to); status != DLC_OK)
      throw Error(status,
                  status == DLC_INVALID_ARGUMENT
                      ? "the image is NULL or its own result, or the changes mix images (mixup, cutmix)"
                      : "");
  }

private:
  std::unique_ptr<dlc_changes, decltype(&dlc_changes_free)> changes;
};

/// Mirrors an image of `channels` times `height` rows left to right, for one half of the samples.
inline void random_flip(Random &random, float *image, int64_t channels, int64_t height, int64_t width) {
  if (random.below(2) == 0)
    return;
  for (int64_t row = 0; row < channels * height; ++row, image += width)
    std::reverse(image, image + width);
}

/// Writes a part of height x width of a larger image, each place equally likely.
inline void random_crop(Random &random, const float *image, int64_t channels, int64_t from_height,
                        int64_t from_width, int64_t height, int64_t width, float *to) {
  const int64_t top = random.below(from_height - height + 1), left = random.below(from_width - width + 1);
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t y = 0; y < height; ++y, to += width)
      std::copy_n(image + (channel * from_height + top + y) * from_width + left, width, to);
}

} // namespace dlc::data

#endif // DLC_DATA_HPP
