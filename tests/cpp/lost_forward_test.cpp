//===- lost_forward_test.cpp - modules that are copied as a base of their class ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ makes such copies without a word; each road to one ends in an error, and what only looks like one goes
// on.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "tests/cpp/Expect.h"

using namespace dlc;

namespace {

struct Scaled : nn::Linear {
  Scaled() : nn::Linear(2, 2) {}
  Tensor forward(Tensor x) override { return nn::Linear::forward(x) * 3; }
};
struct Block : nn::Module {
  nn::Linear fc = register_module("fc", nn::Linear(2, 2));
  Tensor forward(Tensor x) override { return fc(x); }
};
struct Special : Block {
  Tensor forward(Tensor x) override { return Block::forward(x) * 3; }
};
/// Computes with its own parameter alone.
struct Gain : nn::Module {
  Tensor gain = register_parameter("gain", ones({2}));
  Tensor forward(Tensor x) override { return x * gain; }
};
struct SpecialGain : Gain {
  Tensor forward(Tensor x) override { return Gain::forward(x) * 3; }
};

const char *const advice =
    "it computes what Linear computes, without what Scaled adds; write Scaled instead of "
    "Linear where it is declared, also in a ModuleList; a function takes it as Linear &";

template <typename Net> Program programOf(Net &&net) {
  return program(net, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 2}));
}

TEST(LostForward, OfWhatRegisterModuleGives) {
  struct Net : nn::Module {
    nn::Linear first = register_module("first", Scaled());
    Tensor forward(Tensor x) override { return first(x); }
  } net;
  Error error = errorOf([&] { programOf(net); });
  EXPECT_EQ(error.line(), unsigned(__LINE__ - 3));
  EXPECT_NE(error.file().find("lost_forward_test.cpp"), std::string::npos);
  EXPECT_NE(error.message().find("the module that is called is a copy as Linear of 'first', which is of "
                                 "class Scaled and registered at "),
            std::string::npos)
      << error.what();
  EXPECT_NE(error.message().find("lost_forward_test.cpp:" + std::to_string(__LINE__ - 11) + ": " + advice),
            std::string::npos)
      << error.what();
}

TEST(LostForward, OfCopiesAndAssignments) {
  Tensor x = ones({1, 2});
  Scaled scaled;
  nn::Linear copy = scaled, assigned(2, 2), again = copy;
  assigned = scaled;
  EXPECT_MESSAGE(copy(x),
                 std::string("the module that is called is a copy as Linear of a module of class Scaled: ") +
                     advice);
  EXPECT_MESSAGE(assigned(x), advice);
  EXPECT_MESSAGE(again(x), advice);
  EXPECT_MESSAGE(copy.forward(x), advice);
  EXPECT_NE(errorOf([&] { nn::call(copy, x); }).message().find(advice), std::string::npos);
  EXPECT_MESSAGE(std::make_shared<nn::Linear>(Scaled())->forward(x), advice);
  assigned = nn::Linear(2, 2);
  EXPECT_NO_THROW(assigned(x));
}

TEST(LostForward, OfWhatIsRegisteredAsABase) {
  struct Net : nn::Module {
  } net;
  Special special;
  Block block = special;
  EXPECT_MESSAGE(net.register_module("block", block),
                 "register_module: the module is a copy as Block of a module of class Special");
  nn::ModuleList<Block> list;
  EXPECT_MESSAGE(list.push_back(block),
                 "register_module: the module is a copy as Block of a module of class Special");
  nn::Sequential layers;
  EXPECT_MESSAGE(layers.push_back(block),
                 "register_module: the module is a copy as Block of a module of class Special");
  nn::ModuleDict named;
  EXPECT_MESSAGE(named.insert("a", block),
                 "register_module: the module is a copy as Block of a module of class Special");
}

TEST(LostForward, OfArgumentsOfFunctions) {
  Tensor x = ones({1, 2});
  auto compute = [](Block block, const Tensor &x) { return block(x); };
  auto forward = [](Block block, const Tensor &x) { return block.forward(x); };
  Special special;
  EXPECT_NE(errorOf([&] { compute(special, x); }).message().find("a copy as Block of a module of class Special"),
            std::string::npos);
  // The forward of a user's class is called without the library; the layers in it are not.
  EXPECT_NE(errorOf([&] { forward(special, x); }).message().find("a copy as Block of a module of class Special"),
            std::string::npos);
  auto computeRef = [](Block &block, const Tensor &x) { return block(x); };
  EXPECT_EQ(computeRef(special, x).values(), special(x).values());
}

TEST(LostForward, OfForwardsThatAreCalledByThemselves) {
  struct Net : nn::Module {
    Gain gain = register_module("gain", SpecialGain());
    nn::Linear fc = register_module("fc", nn::Linear(2, 2));
    Tensor forward(Tensor x) override { return fc(gain.forward(x)); }
  } net;
  EXPECT_NE(errorOf([&] { programOf(net); })
                .message()
                .find("a part of the model is a copy as Gain of 'gain', which is of "
                      "class SpecialGain and registered at "),
            std::string::npos);
}

TEST(LostForward, OfCopiesAsPlainModules) {
  nn::ModuleList<nn::Module> list;
  list.push_back(nn::Module(Scaled()));
  EXPECT_MESSAGE(list[0](ones({1, 2})),
                 "the module that is called is a copy as Module of '0', which is of class Scaled");
}

TEST(LostForward, OfLayersThatAreCloned) {
  struct Own : nn::TransformerEncoderLayer {
    Own() : nn::TransformerEncoderLayer(4, 2) {}
  };
  struct OwnDecoder : nn::TransformerDecoderLayer {
    OwnDecoder() : nn::TransformerDecoderLayer(4, 2) {}
  };
  EXPECT_MESSAGE(
      nn::TransformerEncoder(Own(), 2),
      "the layer is of class Own, and copies of it as TransformerEncoderLayer would be made, without what "
      "it adds; make the layers in a ModuleList<Own>");
  EXPECT_MESSAGE(nn::TransformerDecoder(OwnDecoder(), 2), "the layer is of class OwnDecoder");
}

TEST(LostForward, IsKeptByModulesOfTheirClass) {
  struct Net : nn::Module {
    Scaled first = register_module("first", Scaled());
    nn::ModuleList<Special> blocks = register_module("blocks", nn::ModuleList<Special>());
    nn::Sequential layers = register_module("layers", nn::Sequential{Scaled(), Special()});
    Net() { blocks.push_back(Special()); }
    Tensor forward(Tensor x) override {
      Scaled copy = first;
      std::function<Tensor(Tensor)> held = first;
      Tensor y = copy(x);
      EXPECT_EQ(y.values(), (copy.computed(x) * 3).values());
      EXPECT_EQ(held(x).values(), y.values());
      EXPECT_EQ(std::vector<Scaled>(3, first)[1](x).values(), y.values());
      return [copy](Tensor x) mutable { return copy.forward(x); }(layers(blocks[0](x)));
    }
  };
  Net net;
  Net copy = net;
  Tensor x = tensor({{1.0, 2.0}});
  EXPECT_EQ(net(x).values(), copy(x).values());
}

TEST(LostForward, IsNotWhatHandlesNeed) {
  struct Net : nn::Module {
    Special special = register_module("special", Special());
    Scaled scaled = register_module("scaled", Scaled());
    Tensor forward(Tensor x) override { return special(scaled(x)); }
  } net;
  auto initialize = [](nn::Linear layer) { nn::init::zeros_(layer.bias); };
  initialize(net.scaled);
  std::vector<nn::Module> handles{net.special, net.scaled};
  for (nn::Module &handle : handles)
    handle.requires_grad_(true);
  Block parameters = net.special; // whose forward nobody calls
  nn::init::zeros_(parameters.fc.bias);
  EXPECT_NO_THROW(programOf(net));
}

TEST(LostForward, IsNotWhatABaseIsMadeOf) {
  struct Own : Block {
    explicit Own(const Block &block) : Block(block) {}
    Tensor forward(Tensor x) override { return Block::forward(x) + 1; }
  };
  Block block;
  Own own(block), copy = own;
  EXPECT_EQ(copy(ones({1, 2})).values(), (block(ones({1, 2})) + 1).values());
}

/// What a class overrides is called for several tensors as for one.
TEST(LostForward, OfSeveralTensors) {
  struct Doubled : nn::Bilinear {
    Doubled() : nn::Bilinear(2, 2, 1) {}
    Tensor forward(Tensor a, Tensor b) override { return nn::Bilinear::forward(a, b) * 2; }
  } doubled;
  Tensor x = ones({1, 2});
  nn::Bilinear &base = doubled;
  EXPECT_EQ(doubled(x, x).values(), doubled.forward(x, x).values());
  EXPECT_EQ(nn::call(base, x, x).values(), doubled.forward(x, x).values());
  nn::Bilinear copy = doubled;
  EXPECT_MESSAGE(copy(x, x), "a copy as Bilinear of a module of class Doubled");
}

template <int Factor> struct Times : nn::Linear {
  Times() : nn::Linear(2, 2) {}
  Tensor forward(Tensor x) override {
    auto base = [&](const Tensor &of) { return nn::Linear::forward(of); };
    return base(x) * Factor;
  }
};
struct Low : Scaled {
  Tensor forward(Tensor x) override { return Scaled::forward(x) + 1; }
};
struct Sized : nn::Linear {
  Sized() : nn::Linear(2, 2) {}
};

/// As a Linear & a module computes what its class does, by whichever name it is called.
TEST(LostForward, IsCalledByAReferenceToABase) {
  Tensor x = ones({1, 2});
  auto expectAllEqual = [&](auto module) {
    nn::Linear &base = module;
    const auto expected = module(x).values();
    EXPECT_EQ(base.forward(x).values(), expected);
    EXPECT_EQ(module.forward(x).values(), expected);
    EXPECT_EQ(base(x).values(), expected);
    EXPECT_EQ(nn::call(base, x).values(), expected);
  };
  expectAllEqual(Scaled());
  expectAllEqual(Times<3>());
  expectAllEqual(Low());
  expectAllEqual(Sized());
  Scaled scaled;
  EXPECT_EQ(scaled.forward(x).values(), (scaled.computed(x) * 3).values());
  Low low;
  EXPECT_EQ(low.forward(x).values(), (low.computed(x) * 3 + 1).values());
}

} // namespace
