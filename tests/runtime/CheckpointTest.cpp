//===- CheckpointTest.cpp -------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saving and loading an instance's state.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/TinyModel.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace {

/// A safetensors file made by hand; tests change single tensors of it.
struct Content {
  struct Entry {
    std::string name, dtype, shape, bytes;
  };
  std::vector<Entry> entries;
  std::string model; ///< that the file says it is of; empty: it does not

  template <typename T>
  void add(const char *name, const char *dtype, const char *shape, std::initializer_list<T> values) {
    std::vector<T> all(values);
    entries.push_back({name, dtype, shape,
                       std::string(reinterpret_cast<const char *>(all.data()), all.size() * sizeof(T))});
  }
  Entry &operator[](const std::string &name) {
    for (Entry &entry : entries)
      if (entry.name == name)
        return entry;
    throw std::runtime_error(name);
  }
  void remove(const std::string &name) { (*this)[name].name.clear(); }

  std::string file() const {
    std::string header = "{", data;
    if (!model.empty())
      header += "\"__metadata__\":{\"dlc.model\":\"" + model + "\"}";
    for (const Entry &entry : entries) {
      if (entry.name.empty())
        continue;
      header += (header.size() == 1 ? "\"" : ",\"") + entry.name + "\":{\"dtype\":\"" + entry.dtype +
                "\",\"shape\":" + entry.shape + ",\"data_offsets\":[" + std::to_string(data.size()) + ",";
      data += entry.bytes;
      header += std::to_string(data.size()) + "]}";
    }
    header += "}";
    uint64_t length = header.size();
    return std::string(reinterpret_cast<const char *>(&length), 8) + header + data;
  }

  static Content weights() {
    Content content;
    content.add<float>("fc.weight", "F32", "[3,2]", {1, 2, 3, 4, 5, 6});
    content.add<float>("fc.bias", "F32", "[2]", {7, 8});
    content.add<float>("norm.mean", "F32", "[2]", {9, 10});
    return content;
  }
  static Content checkpoint() {
    Content content = weights();
    content.add<float>("fc.weight.momentum", "F32", "[3,2]", {1, 1, 1, 1, 1, 2});
    content.add<float>("fc.bias.momentum", "F32", "[2]", {3, 3});
    content.add<double>("learning_rate", "F64", "[]", {0.5});
    content.add<double>("momentum", "F64", "[]", {0.25});
    content.add<int64_t>("rng", "I64", "[2]", {-5, 11});
    content.add<int64_t>("step", "I64", "[]", {17});
    return content;
  }
};

TEST(Checkpoint, WhatStepsLeftIsGoneAfterLoad) {
  TempFolder folder;
  std::string path = folder.file("state");
  tiny::Instance instance;
  tiny::Batch batch(0);
  float loss = 1, gradient[6];
  ASSERT_EQ(dlc_instance_grad_step(instance, batch.pointers, &loss), DLC_OK);
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.weight", gradient, sizeof gradient), DLC_OK);
  ASSERT_EQ(dlc_instance_save(instance, path.c_str()), DLC_OK);
  ASSERT_EQ(dlc_instance_load(instance, path.c_str()), DLC_OK);
  EXPECT_EQ(dlc_instance_apply(instance), DLC_UNAVAILABLE);
  EXPECT_EQ(dlc_instance_gradient_read(instance, "fc.weight", gradient, sizeof gradient), DLC_UNAVAILABLE);
  EXPECT_EQ(dlc_instance_sync(instance, &loss), DLC_UNAVAILABLE);
}

TEST(Checkpoint, ResumingGivesTheBitsOfNoInterruption) {
  TempFolder folder;
  tiny::Instance straight, interrupted, resumed;
  for (dlc_instance *instance :
       {static_cast<dlc_instance *>(straight), static_cast<dlc_instance *>(interrupted)}) {
    ASSERT_EQ(dlc_instance_set_seed(instance, 1234), DLC_OK);
    tiny::train(instance, 0, 25);
    ASSERT_EQ(dlc_instance_set_hyperparameter(instance, "learning_rate", 0.01), DLC_OK);
  }
  ASSERT_EQ(dlc_instance_save(interrupted, folder.file("s").c_str()), DLC_OK) << interrupted.lastError();
  tiny::train(straight, 25, 25);

  ASSERT_EQ(dlc_instance_load(resumed, folder.file("s").c_str()), DLC_OK) << resumed.lastError();
  EXPECT_EQ(resumed.state(), interrupted.state());
  EXPECT_EQ(dlc_instance_step_count(resumed), 25);
  tiny::train(resumed, 25, 25);
  ASSERT_EQ(dlc_instance_save(straight, folder.file("a").c_str()), DLC_OK);
  ASSERT_EQ(dlc_instance_save(resumed, folder.file("b").c_str()), DLC_OK);
  EXPECT_EQ(TempFolder::readAll(folder.file("a")), TempFolder::readAll(folder.file("b")))
      << "random state included";
}

TEST(Checkpoint, ReadsAFileByHand) {
  TempFolder folder;
  tiny::Instance instance;
  ASSERT_EQ(dlc_instance_load(instance, folder.write("f", Content::checkpoint().file()).c_str()), DLC_OK)
      << instance.lastError();
  EXPECT_EQ(instance.read("fc.weight"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(instance.read("norm.mean"), (std::vector<float>{9, 10}));
  EXPECT_EQ(instance.read("fc.weight.momentum"), (std::vector<float>{1, 1, 1, 1, 1, 2}));
  double value;
  ASSERT_EQ(dlc_instance_get_hyperparameter(instance, "momentum", &value), DLC_OK);
  EXPECT_EQ(value, 0.25);
  EXPECT_EQ(dlc_instance_step_count(instance), 17);
  // Saved again, it says the same.
  ASSERT_EQ(dlc_instance_save(instance, folder.file("g").c_str()), DLC_OK);
  const std::string saved = TempFolder::readAll(folder.file("g"));
  for (const Content::Entry &entry : Content::checkpoint().entries)
    EXPECT_NE(
        saved.find("\"" + entry.name + "\":{\"dtype\":\"" + entry.dtype + "\",\"shape\":" + entry.shape),
        std::string::npos)
        << entry.name;
  EXPECT_NE(saved.find(Content::checkpoint()["rng"].bytes), std::string::npos);
  EXPECT_NE(saved.find("\"dlc.model\":\"tiny\""), std::string::npos);
  uint64_t length;
  memcpy(&length, saved.data(), 8);
  EXPECT_EQ(length % 8, 0u) << "the tensors lie aligned";
}

TEST(Checkpoint, WeightsAloneStartTrainingAnew) {
  TempFolder folder;
  tiny::Instance instance;
  tiny::train(instance, 0, 5);
  ASSERT_EQ(dlc_instance_set_seed(instance, 99), DLC_OK);
  ASSERT_EQ(dlc_instance_set_hyperparameter(instance, "learning_rate", 0.5), DLC_OK);
  ASSERT_EQ(dlc_instance_load(instance, folder.write("f", Content::weights().file()).c_str()), DLC_OK)
      << instance.lastError();
  EXPECT_EQ(instance.read("fc.weight"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(instance.read("fc.weight.momentum"), std::vector<float>(6, 0));
  EXPECT_EQ(dlc_instance_step_count(instance), 0);
  double rate;
  ASSERT_EQ(dlc_instance_get_hyperparameter(instance, "learning_rate", &rate), DLC_OK);
  EXPECT_EQ(rate, 0.5) << "the user's choice stays";
  EXPECT_EQ(dlc_instance_apply(instance), DLC_UNAVAILABLE) << "gradients of other weights are gone";
}

TEST(Checkpoint, CreateTakesTheWeightsOfAWeightsFileOrACheckpoint) {
  TempFolder folder;
  dlc_model model = tiny::modelWithWeightsFile();
  Content weights = Content::weights();
  weights.add<float>("table", "F32", "[2]", {1, -INFINITY}); // a constant may be infinite
  const std::string path = folder.write("tiny.safetensors", weights.file());
  tiny::Options options;
  options.model = &model;
  options.weights = path.c_str();
  tiny::Instance instance(options);
  EXPECT_EQ(instance.read("fc.weight"), (std::vector<float>{1, 2, 3, 4, 5, 6}));

  // Embedded weights give way to a file; a checkpoint's optimizer state is not taken.
  const std::string checkpoint = folder.write("c", Content::checkpoint().file());
  options = {};
  options.weights = checkpoint.c_str();
  tiny::Instance fineTuned(options);
  EXPECT_EQ(fineTuned.read("fc.bias"), (std::vector<float>{7, 8}));
  EXPECT_EQ(fineTuned.read("fc.weight.momentum"), std::vector<float>(6, 0));
  EXPECT_EQ(dlc_instance_step_count(fineTuned), 0);
}

TEST(Checkpoint, CountersOfPyTorchAreLeftOutWithARemark) {
  TempFolder folder;
  Content content = Content::weights();
  content.add<int64_t>("norm.num_batches_tracked", "I64", "[]", {12});
  const std::string one = folder.write("one", content.file());
  content.add<int64_t>("num_batches_tracked", "I64", "[]", {3});
  const std::string two = folder.write("two", content.file());
  tiny::Instance instance;
  EXPECT_STREQ(dlc_instance_last_remark(instance), "");
  ASSERT_EQ(dlc_instance_load(instance, one.c_str()), DLC_OK) << instance.lastError();
  EXPECT_EQ(instance.read("fc.weight"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(dlc_instance_last_remark(instance),
            one + ": 1 tensor named num_batches_tracked is left out: tiny has none");
  ASSERT_EQ(dlc_instance_load(instance, two.c_str()), DLC_OK) << instance.lastError();
  EXPECT_EQ(dlc_instance_last_remark(instance),
            two + ": 2 tensors named num_batches_tracked are left out: tiny has none");
  EXPECT_EQ(instance.lastError(), "");
  // As initial weights too; and a load without anything to remark says nothing.
  tiny::Options options;
  options.weights = one.c_str();
  tiny::Instance created(options);
  EXPECT_EQ(created.read("fc.bias"), (std::vector<float>{7, 8}));
  EXPECT_NE(std::string(dlc_instance_last_remark(created)), "");
  ASSERT_EQ(dlc_instance_load(created, folder.write("none", Content::weights().file()).c_str()), DLC_OK);
  EXPECT_STREQ(dlc_instance_last_remark(created), "");
  EXPECT_STREQ(dlc_instance_last_remark(nullptr), "");
}

struct BadFile {
  const char *name;
  std::function<void(Content &)> change;
  const char *sentence;
};
void PrintTo(const BadFile &file, std::ostream *stream) { *stream << file.name; }

class BadCheckpoints : public testing::TestWithParam<BadFile> {};

TEST_P(BadCheckpoints, AreRefusedAndTheStateStays) {
  TempFolder folder;
  tiny::Instance instance;
  tiny::train(instance, 0, 4);
  const std::vector<float> before = instance.state();
  Content content = Content::checkpoint();
  GetParam().change(content);
  EXPECT_EQ(dlc_instance_load(instance, folder.write("file", content.file()).c_str()), DLC_BAD_FILE);
  EXPECT_NE(instance.lastError().find(GetParam().sentence), std::string::npos) << instance.lastError();
  EXPECT_NE(instance.lastError().find(folder.file("file")), std::string::npos) << "names the file";
  EXPECT_EQ(instance.state(), before);
}

template <typename T> std::string bytesOf(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(T));
}

const BadFile badFiles[] = {
    {"shape", [](Content &c) { c["fc.weight"].shape = "[2,3]"; },
     "'fc.weight' is F32 [2, 3], expected F32 [3, 2]"},
    {"rank", [](Content &c) { c["fc.bias"].shape = "[2,1]"; }, "expected F32 [2]"},
    {"dtype", [](Content &c) { c["fc.bias"].dtype = "I32"; }, "is I32 [2], expected F32 [2]"},
    {"strangeDType", [](Content &c) { c["fc.bias"].dtype = "F8_E5M2"; }, "is F8_E5M2 [2], expected F32 [2]"},
    {"missing", [](Content &c) { c.remove("fc.bias"); }, "lacks 1 tensor of tiny: 'fc.bias'"},
    {"missingState", [](Content &c) { c.remove("fc.bias.momentum"); }, "'fc.bias.momentum'"},
    {"missingStep", [](Content &c) { c.remove("step"); }, "'step'"},
    {"unknown", [](Content &c) { c.add<float>("conv.weight", "F32", "[1]", {0}); },
     "a weights file of another model: tiny has no tensor 'conv.weight'; it has 'fc.weight', "},
    {"prefix", [](Content &c) { c["fc.bias"].name = "module.fc.bias"; },
     "tiny has no tensor 'module.fc.bias', but 'fc.bias': take the prefix 'module.' off the names of the "
     "file's "
     "tensors, in Python by {k.removeprefix('module.'): v for k, v in weights.items()}"},
    {"noPrefix", [](Content &c) { c.add<float>("block.fc.bias", "F32", "[2]", {0, 0}); },
     "tiny has no tensor 'block.fc.bias'; it has 'fc.weight', "},
    {"longPrefix", [](Content &c) { c["fc.bias"].name = std::string(300, 'p') + ".fc.bias"; },
     ", but 'fc.bias': take the prefix 'ppp"},
    {"narrowCheckpoint",
     [](Content &c) {
       c["fc.bias"].dtype = "F16";
       c["fc.bias"].bytes.resize(4);
     },
     "'fc.bias' is F16 [2], expected F32 [2]"},
    {"likeACounter", [](Content &c) { c.add<int64_t>("norm.my_num_batches_tracked", "I64", "[]", {0}); },
     "tiny has no tensor 'norm.my_num_batches_tracked'"},
    {"counterOfFloats", [](Content &c) { c.add<float>("norm.num_batches_tracked", "F32", "[]", {0}); },
     "tiny has no tensor 'norm.num_batches_tracked'"},
    {"manyCounters", [](Content &c) { c.add<int64_t>("norm.num_batches_tracked", "I64", "[2]", {0, 0}); },
     "tiny has no tensor 'norm.num_batches_tracked'"},
    {"counterAndUnknown",
     [](Content &c) {
       c.add<int64_t>("a.num_batches_tracked", "I64", "[]", {0});
       c.add<float>("z.weight", "F32", "[]", {0});
     },
     "tiny has no tensor 'z.weight'"},
    {"gradient", [](Content &c) { c.add<float>("fc.bias.grad", "F32", "[2]", {0, 0}); }, "another model"},
    {"nanRate", [](Content &c) { c["learning_rate"].bytes = bytesOf({double{NAN}}); }, "learning_rate is "},
    {"negativeRate", [](Content &c) { c["learning_rate"].bytes = bytesOf({-1.0}); }, "learning_rate is -1"},
    {"negativeSteps", [](Content &c) { c["step"].bytes = bytesOf({int64_t{-1}}); }, "'step' counts -1 steps"},
    {"negativeDraws", [](Content &c) { c["rng"].bytes = bytesOf({int64_t{1}, int64_t{-2}}); },
     "'rng' counts -2"},
};

INSTANTIATE_TEST_SUITE_P(Checkpoint, BadCheckpoints, testing::ValuesIn(badFiles),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Checkpoint, WeightsOfFewerBytesAreWidened) {
  TempFolder folder;
  Content content = Content::weights();
  content["fc.weight"].dtype = "BF16";
  content["fc.weight"].bytes =
      bytesOf<uint16_t>({0x3f80, 0xc000, 0x0000, 0x8000, 0x7f7f, 0x0001}); // the largest, the smallest
  content["fc.bias"].dtype = "F16";
  content["fc.bias"].bytes = bytesOf<uint16_t>({0x0001, 0xfbff});
  tiny::Instance instance;
  ASSERT_EQ(dlc_instance_load(instance, folder.write("file", content.file()).c_str()), DLC_OK)
      << instance.lastError();
  EXPECT_EQ(instance.read("fc.weight"), (std::vector<float>{1, -2, 0, -0.0f, 0x1.fep127f, 0x1p-133f}));
  EXPECT_EQ(instance.read("fc.bias"), (std::vector<float>{0x1p-24f, -65504}));
  content["fc.bias"].bytes = bytesOf<uint16_t>({0x3c00, 0x7c00});
  ASSERT_EQ(dlc_instance_load(instance, folder.write("file", content.file()).c_str()), DLC_OK);
  EXPECT_NE(std::string(dlc_instance_last_remark(instance)).find("the first is 'fc.bias' at position 1"),
            std::string::npos);
  content["fc.bias"].dtype = "F64"; // would lose digits
  content["fc.bias"].bytes = bytesOf<double>({1, 2});
  EXPECT_EQ(dlc_instance_load(instance, folder.write("file", content.file()).c_str()), DLC_BAD_FILE);
  EXPECT_NE(instance.lastError().find("'fc.bias' is F64 [2], expected F32 [2]"), std::string::npos)
      << instance.lastError();
}

TEST(Checkpoint, NumbersThatAreNotFiniteComeBackWithARemark) {
  TempFolder folder;
  Content content = Content::checkpoint();
  content["norm.mean"].bytes.replace(4, 4, bytesOf({-INFINITY}));
  content["fc.bias.momentum"].bytes.replace(0, 4, bytesOf({NAN}));
  content.add<int64_t>("norm.num_batches_tracked", "I64", "[]", {12});
  const std::string file = folder.write("file", content.file());
  tiny::Instance instance;
  ASSERT_EQ(dlc_instance_load(instance, file.c_str()), DLC_OK) << instance.lastError();
  EXPECT_EQ(instance.read("norm.mean")[1], -INFINITY);
  EXPECT_TRUE(std::isnan(instance.read("fc.bias.momentum")[0]));
  EXPECT_EQ(dlc_instance_last_remark(instance),
            file +
                ": 2 tensors have a NaN or infinite value, the first is 'norm.mean' at position 1; 1 tensor "
                "named num_batches_tracked is left out: tiny has none");
  // What it saves, it reads.
  const std::string saved = folder.file("saved");
  ASSERT_EQ(dlc_instance_save(instance, saved.c_str()), DLC_OK);
  tiny::Instance resumed;
  ASSERT_EQ(dlc_instance_load(resumed, saved.c_str()), DLC_OK) << resumed.lastError();
  ASSERT_EQ(dlc_instance_save(resumed, folder.file("again").c_str()), DLC_OK);
  EXPECT_EQ(TempFolder::readAll(saved), TempFolder::readAll(folder.file("again")));
  // As initial weights, too: of which only the parameters and buffers count.
  tiny::Options options;
  options.weights = saved.c_str();
  tiny::Instance created(options);
  EXPECT_EQ(dlc_instance_last_remark(created),
            saved + ": 1 tensor has a NaN or infinite value, the first is 'norm.mean' at position 1");
  // Who wants finite numbers alone gets no others.
  options.weights = nullptr;
  options.checkFinite = true;
  tiny::Instance strict(options);
  const std::vector<float> before = strict.state();
  EXPECT_EQ(dlc_instance_load(strict, saved.c_str()), DLC_NOT_FINITE);
  EXPECT_EQ(strict.lastError(), saved + ": tensor 'norm.mean' has a NaN or infinite value at position 1");
  EXPECT_EQ(strict.state(), before);
}

TEST(Checkpoint, OfAnotherOptimizerHasInitialWeights) {
  TempFolder folder;
  Content content = Content::checkpoint();
  content.remove("fc.bias.momentum");
  content.add<float>("fc.bias.exp_avg", "F32", "[2]", {1, 2});
  content.add<double>("beta1", "F64", "[]", {0.9});
  content.model = "tiny";
  auto create = [&](const Content &changed) {
    const std::string file = folder.write("file", changed.file());
    char error[512] = "";
    dlc_create_options options = {};
    options.struct_size = sizeof options;
    options.weights_path = file.c_str();
    options.error = error;
    options.error_bytes = sizeof error;
    dlc_instance *created = nullptr;
    dlc_instance_create(&tiny::model(), DLC_ABI_VERSION, tiny::fingerprint, &options, &created);
    dlc_instance_destroy(created);
    return std::string(error);
  };
  EXPECT_EQ(create(content), "");
  // A training goes on from its own checkpoints only.
  tiny::Instance instance;
  EXPECT_EQ(dlc_instance_load(instance, folder.file("file").c_str()), DLC_BAD_FILE);
  EXPECT_NE(instance.lastError().find("tiny has no tensor"), std::string::npos) << instance.lastError();
  // What belongs to no parameter is of another model.
  for (const char *other : {"conv.weight", "fc.bias2", "fc", "fc.weigh.exp_avg"}) {
    Content changed = content;
    changed.add<float>(other, "F32", "[1]", {0});
    EXPECT_NE(create(changed).find(std::string("tiny has no tensor '") + other + "'"), std::string::npos)
        << other;
  }
  // And so may be any number of a file that dlc has not written.
  content.model.clear();
  EXPECT_NE(create(content).find("tiny has no tensor '"), std::string::npos);
}

TEST(Checkpoint, RefusesFilesThatAreNone) {
  TempFolder folder;
  tiny::Instance instance;
  const std::vector<float> before = instance.state();
  auto load = [&](const std::string &path) { return dlc_instance_load(instance, path.c_str()); };
  EXPECT_EQ(load(folder.file("absent")), DLC_IO_ERROR);
  EXPECT_EQ(load(folder.path), DLC_IO_ERROR);
  EXPECT_NE(instance.lastError().find("not a regular file"), std::string::npos) << instance.lastError();
  EXPECT_EQ(load("/dev/zero"), DLC_IO_ERROR);
  EXPECT_EQ(load(""), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_load(instance, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(load(folder.write("empty", "")), DLC_BAD_FILE);
  EXPECT_EQ(load(folder.write("short", "1234567")), DLC_BAD_FILE);
  EXPECT_EQ(load(folder.write("huge", std::string(8, '\xff') + "{}")), DLC_BAD_FILE);
  EXPECT_EQ(load(folder.write("lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")),
            DLC_BAD_FILE);
  EXPECT_NE(instance.lastError().find("git lfs pull"), std::string::npos) << instance.lastError();
  const std::string whole = Content::checkpoint().file();
  for (size_t length = 0; length < whole.size(); ++length)
    ASSERT_EQ(load(folder.write("cut", whole.substr(0, length))), DLC_BAD_FILE) << length;
  EXPECT_EQ(load(folder.write("long", whole + "x")), DLC_BAD_FILE);
  EXPECT_EQ(instance.state(), before);
}

TEST(Checkpoint, ListsSomeOfManyMissingTensors) {
  TempFolder folder;
  tiny::Instance instance;
  Content content;
  content.add<int64_t>("step", "I64", "[]", {1});
  EXPECT_EQ(dlc_instance_load(instance, folder.write("f", content.file()).c_str()), DLC_BAD_FILE);
  EXPECT_NE(instance.lastError().find("lacks 8 tensors of tiny: 'fc.weight', 'fc.bias', 'norm.mean', "
                                      "'fc.weight.momentum' ..."),
            std::string::npos)
      << instance.lastError();
}

TEST(Checkpoint, NamesOfAFileArePrintable) {
  TempFolder folder;
  tiny::Instance instance;
  Content content = Content::weights();
  content.add<float>((std::string("\\u001b[31m") + std::string(500, 'x')).c_str(), "F32", "[1]", {0});
  EXPECT_EQ(dlc_instance_load(instance, folder.write("f", content.file()).c_str()), DLC_BAD_FILE);
  EXPECT_EQ(instance.lastError().find('\x1b'), std::string::npos);
  EXPECT_NE(instance.lastError().find("xxx..."), std::string::npos) << instance.lastError();
}

} // namespace
