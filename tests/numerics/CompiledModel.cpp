//===- CompiledModel.cpp - a program compiled and loaded ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"

#include "compiler/interpret/Raw.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Pipeline.h"
#include "tests/guarded.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>

namespace dlc::numerics {
namespace {

/// The C functions that make calls of any number of arguments out of arrays.
std::string wrapper(train::ProgramOp program) {
  std::string name = program.getSymName().str(), sizes, inputs, predictInputs, outputs;
  size_t dim = 0, input = 0, output = 0;
  bool trains = false;
  for (mlir::Operation &op : program.getBody().front()) {
    if (auto declared = mlir::dyn_cast<train::InputOp>(op)) {
      std::string argument = ", in[" + std::to_string(input++) + "]";
      inputs += argument;
      if (!declared.getTarget())
        predictInputs += argument;
    } else if (auto declared = mlir::dyn_cast<train::OutputOp>(op)) {
      if (declared.getRole() == train::OutputRole::Prediction)
        outputs += ", out[" + std::to_string(output++) + "]";
    } else if (mlir::isa<train::DimOp>(op)) {
      if (dim++ > 0) // the first is the rows
        sizes += ", sizes[" + std::to_string(dim - 2) + "]";
    }
  }
  program.walk([&](train::LossOp) { trains = true; });
  std::string text = "#include \"" + name + ".h\"\n" +
                     "void *test_create(long threads, char *error, size_t size) {\n"
                     "  dlc_create_options options = {sizeof options};\n"
                     "  options.threads = threads; options.error = error; options.error_bytes = size;\n  " +
                     name + " *model;\n  " + name + "_create(&options, &model);\n  return model;\n}\n" +
                     "int test_destroy(void *m) { " + name + "_destroy(m); return 0; }\n" +
                     "const char *test_error(void *m) { return " + name + "_last_error(m); }\n" +
                     "int test_predict(void *m, long rows, const long *sizes, const void *const *in,\n"
                     "                 void *const *out) {\n  (void)in; (void)sizes; return " +
                     name + "_predict(m, rows" + sizes + predictInputs + outputs + ");\n}\n" +
                     "int test_read(void *m, const char *p, void *to, size_t bytes) {\n  return " + name +
                     "_parameter_read(m, p, to, bytes);\n}\n" +
                     "int test_write(void *m, const char *p, const void *from, size_t bytes) {\n  return " +
                     name + "_parameter_write(m, p, from, bytes);\n}\n";
  if (trains)
    text += "int test_grad_step(void *m, const void *const *in, float *loss) {\n  (void)in; return " + name +
            "_grad_step(m" + inputs + ", loss);\n}\n" +
            "int test_gradient(void *m, const char *p, void *to, size_t bytes) {\n  return " + name +
            "_gradient_read(m, p, to, bytes);\n}\n" +
            "int test_train_step(void *m, const void *const *in, float *loss) {\n  (void)in; return " + name +
            "_train_step(m" + inputs + ", loss);\n}\n" +
            "int test_eval_step(void *m, long rows, const void *const *in, dlc_metrics *metrics) {\n"
            "  (void)in; return " +
            name + "_eval_step(m, rows" + inputs + ", metrics);\n}\n";
  return text;
}

bool writeFile(const std::string &path, const std::string &text) {
  std::error_code failed;
  llvm::raw_fd_ostream stream(path, failed);
  stream << text;
  return !failed;
}

/// Links the wrapper, the model's library and the runtime to a shared library, or for the emulator to a
/// program.
bool link(const std::string &folder, const std::string &name, const std::string &output, bool amxCalls) {
  bool emulated = !Emulator::triple().empty();
  auto driver = llvm::sys::findProgramByName(emulated ? Emulator::setting("DLC_TEST_CC") : "cc");
  if (!driver) {
    ADD_FAILURE() << "the test needs a C compiler";
    return false;
  }
  std::string include = std::string("-I") + DLC_RUNTIME_INCLUDE, archive = folder + "/lib" + name + ".a";
  std::string source = folder + "/wrapper.c", messages = folder + "/messages";
  std::string runtime = emulated ? Emulator::setting("DLC_TEST_RUNTIME") : DLC_RUNTIME_LIBRARY;
  std::vector<llvm::StringRef> arguments = {*driver, "-o", output, "-I", folder, include, source};
  std::string server = Emulator::setting("DLC_TEST_SERVER");
  if (emulated)
    arguments.insert(arguments.end(), {"-static", server});
  else
    arguments.insert(arguments.end(), {"-shared", "-fPIC"});
  if (amxCalls)
    arguments.insert(arguments.end(), {"-O2", "-ffp-contract=off", "-mfma", DLC_NUMERICS_DIR "/tiles.c"});
  arguments.insert(arguments.end(), {archive, runtime, "-lpthread", "-lm"});
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, llvm::StringRef(messages),
                                                llvm::StringRef(messages)};
  int status = llvm::sys::ExecuteAndWait(*driver, arguments, std::nullopt, redirects);
  auto text = llvm::MemoryBuffer::getFile(messages);
  EXPECT_EQ(status, 0) << (text ? (*text)->getBuffer().str() : "");
  return status == 0;
}

} // namespace

void CompiledModel::loadDialects() {
  mlir::DialectRegistry registry;
  pipeline::registerDialects(registry);
  context().appendDialectRegistry(registry);
  context().loadAllAvailableDialects();
}

bool CompiledModel::runsHere(llvm::StringRef cpu) {
  if (!Emulator::triple().empty())
    return true;
  auto wanted = CpuTarget::get("", cpu), here = CpuTarget::get("", "native");
  if (wanted && here)
    return !(wanted->featureBits & ~here->featureBits) && (here->amx || !wanted->amx);
  llvm::consumeError(llvm::joinErrors(wanted.takeError(), here.takeError()));
  return false;
}

std::vector<const char *> CompiledModel::cpus(std::initializer_list<const char *> all) {
  return {all.begin(), Emulator::triple().empty() ? all.end() : all.begin() + 1};
}

pipeline::Options CompiledModel::forTestedMachine(pipeline::Options options) {
  if (const std::string cpu = Emulator::setting("DLC_TEST_CPU");
      !Emulator::triple().empty() || !cpu.empty()) {
    options.triple = Emulator::triple();
    options.cpu = cpu;
    // Another machine's cases are there for its instructions, which do not hang on how long LLVM looks for
    // better ones; whole programs for it are compiled as users do (tests/cross).
    if (!Emulator::triple().empty())
      options.optLevel = 1;
  }
  if (Emulator::setting("DLC_TEST_DEVICE") == "simt") {
    options.targets = {"nvptx"};
    options.simt = true;
    options.gpu = Emulator::setting("DLC_TEST_GPU");
  }
  return options;
}

std::unique_ptr<CompiledModel> CompiledModel::compile(const Program &program, pipeline::Options options,
                                                      int threads) {
  std::unique_ptr<CompiledModel> made(new CompiledModel);
  llvm::SmallString<64> folder;
  if (llvm::sys::fs::createUniqueDirectory("dlc-numerics", folder)) {
    ADD_FAILURE() << "no temporary folder";
    return nullptr;
  }
  made->folder = folder.str().str();
  std::string text = wrapper(program.get()), name = program.get().getSymName().str();
  options.emit = pipeline::Stage::Lib;
  options.outputFolder = made->folder;
  options.embedWeights = true;
  options = forTestedMachine(std::move(options));
  takeErrors();
  if (mlir::failed(pipeline::compile(program.getModule(), options, llvm::nulls()))) {
    ADD_FAILURE() << name << ": " << takeErrors();
    return nullptr;
  }
  std::string library = made->folder + "/" + name + ".so";
  if (!writeFile(made->folder + "/wrapper.c", text) || !link(made->folder, name, library, options.amxCalls) ||
      !made->load(library, threads))
    return nullptr;
  return made;
}

namespace {

/// Memory that compiled code is given; a test failure where something was written before it.
class Guarded {
public:
  explicit Guarded(size_t bytes, int filling = 0) : memory(guarded_make(bytes, filling)) {
    EXPECT_TRUE(memory.data) << "no memory";
    Memory::buffers()[memory.data] = bytes;
  }
  explicit Guarded(llvm::ArrayRef<char> content) : Guarded(content.size()) {
    llvm::copy(content, memory.data);
  }
  Guarded(Guarded &&other) : memory(std::exchange(other.memory, guarded{})) {}
  ~Guarded() {
    Memory::buffers().erase(memory.data);
    EXPECT_TRUE(!memory.data || guarded_intact(&memory)) << "something was written before the memory given";
    guarded_free(&memory);
  }
  void *data() { return memory.data; }
  llvm::ArrayRef<char> content() const {
    return llvm::ArrayRef(reinterpret_cast<const char *>(memory.data), memory.bytes);
  }

private:
  guarded memory;
};

/// Where tensors lie.
struct Arguments {
  std::vector<Guarded> memory;
  std::vector<void *> pointers;
  explicit Arguments(llvm::ArrayRef<Tensor> tensors) {
    for (const Tensor &tensor : tensors)
      add(Guarded(interpret::toBytes(tensor)));
  }
  void add(Guarded &&made) {
    memory.push_back(std::move(made));
    pointers.push_back(memory.back().data());
  }
  void expectUnchanged(llvm::ArrayRef<Tensor> tensors) const {
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      std::vector<char> before = interpret::toBytes(tensor);
      EXPECT_TRUE(memory[i].content() == llvm::ArrayRef<char>(before)) << "input " << i << " was changed";
    }
  }
};

} // namespace

bool CompiledModel::load(const std::string &file, int threads) {
  path = file;
  if (!Emulator::triple().empty()) {
    emulator = std::make_unique<Emulator>(path);
  } else if (library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); !library) {
    ADD_FAILURE() << dlerror();
    return false;
  }
  return create(threads);
}

bool CompiledModel::create(int threads) {
  Guarded error(512);
  model = call<void *>("test_create")(int64_t{threads}, error.data(), error.content().size());
  EXPECT_TRUE(model) << error.content().data();
  return model;
}

std::unique_ptr<CompiledModel> CompiledModel::another(int threads) {
  std::unique_ptr<CompiledModel> made(new CompiledModel);
  return made->load(path, threads) ? std::move(made) : nullptr;
}

bool CompiledModel::startAnew(int threads) {
  call<int>("test_destroy")(Handle{model});
  return create(threads);
}

CompiledModel::~CompiledModel() {
  if (model)
    call<int>("test_destroy")(Handle{model});
  if (library)
    dlclose(library);
  emulator.reset();
  if (!folder.empty() && !testing::Test::HasFailure())
    llvm::sys::fs::remove_directories(folder);
}

template <typename Result> Call<Result> CompiledModel::call(const char *name) {
  return Call<Result>(library ? dlsym(library, name) : nullptr, emulator.get(), name);
}

bool CompiledModel::check(int status) {
  EXPECT_EQ(status, 0) << lastError();
  return status == 0;
}

bool CompiledModel::predict(int64_t rows, llvm::ArrayRef<Tensor> inputs,
                            llvm::MutableArrayRef<Tensor> outputs, llvm::ArrayRef<int64_t> sizes) {
  Arguments arguments(inputs), results({});
  for (const Tensor &output : outputs)
    results.add(Guarded(output.size() * interpret::bytesOf(output.dtype), 0x33));
  Guarded given(llvm::ArrayRef(reinterpret_cast<const char *>(sizes.data()), sizes.size() * sizeof(int64_t)));
  if (!check(
          call<int>("test_predict")(Handle{model}, rows, given.data(), arguments.pointers, results.pointers)))
    return false;
  arguments.expectUnchanged(inputs);
  for (auto [output, memory] : llvm::zip_equal(outputs, results.memory))
    interpret::fromBytes(memory.content(), output);
  return true;
}

int CompiledModel::statusOf(const char *name, llvm::ArrayRef<Tensor> inputs, float &loss) {
  Arguments arguments(inputs);
  Guarded result(sizeof loss);
  int status = call<int>(name)(Handle{model}, arguments.pointers, result.data());
  arguments.expectUnchanged(inputs);
  std::memcpy(&loss, result.data(), sizeof loss);
  return status;
}

bool CompiledModel::evalStep(int64_t rows, llvm::ArrayRef<Tensor> inputs, dlc_metrics &metrics) {
  Arguments arguments(inputs);
  Guarded result(sizeof metrics);
  if (!check(call<int>("test_eval_step")(Handle{model}, rows, arguments.pointers, result.data())))
    return false;
  arguments.expectUnchanged(inputs);
  std::memcpy(&metrics, result.data(), sizeof metrics);
  return true;
}

std::string CompiledModel::lastError() { return call<std::string>("test_error")(Handle{model}); }

bool CompiledModel::write(const std::string &parameter, const Tensor &value) {
  Arguments from({value});
  return check(
      call<int>("test_write")(Handle{model}, parameter, from.pointers[0], from.memory[0].content().size()));
}

bool CompiledModel::readWith(const char *name, const std::string &parameter, Tensor &value) {
  Guarded to(value.size() * interpret::bytesOf(value.dtype));
  if (!check(call<int>(name)(Handle{model}, parameter, to.data(), to.content().size())))
    return false;
  interpret::fromBytes(to.content(), value);
  return true;
}

} // namespace dlc::numerics
