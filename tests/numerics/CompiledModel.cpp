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
  std::string name = program.getSymName().str(), inputs, predictInputs, outputs;
  size_t input = 0, output = 0;
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
    }
  }
  program.walk([&](train::LossOp) { trains = true; });
  std::string text = "#include \"" + name + ".h\"\n" +
                     "void *test_create(char *error, size_t size) {\n"
                     "  dlc_create_options options = {sizeof options};\n"
                     "  options.threads = 2; options.error = error; options.error_bytes = size;\n  " +
                     name + " *model;\n  " + name + "_create(&options, &model);\n  return model;\n}\n" +
                     "void test_destroy(void *m) { " + name + "_destroy(m); }\n" +
                     "const char *test_error(void *m) { return " + name + "_last_error(m); }\n" +
                     "int test_predict(void *m, long rows, const void *const *in, void *const *out) {\n"
                     "  (void)in; return " +
                     name + "_predict(m, rows" + predictInputs + outputs + ");\n}\n";
  if (trains)
    text += "int test_grad_step(void *m, const void *const *in, float *loss) {\n  (void)in; return " + name +
            "_grad_step(m" + inputs + ", loss);\n}\n" +
            "int test_gradient(void *m, const char *p, void *to, size_t bytes) {\n  return " + name +
            "_gradient_read(m, p, to, bytes);\n}\n" +
            "int test_train_step(void *m, const void *const *in, float *loss) {\n  (void)in; return " + name +
            "_train_step(m" + inputs + ", loss);\n}\n" +
            "int test_eval_step(void *m, long rows, const void *const *in, dlc_metrics *metrics) {\n"
            "  (void)in; return " +
            name + "_eval_step(m, rows" + inputs + ", metrics);\n}\n" +
            "int test_read(void *m, const char *p, void *to, size_t bytes) {\n  return " + name +
            "_parameter_read(m, p, to, bytes);\n}\n" +
            "int test_write(void *m, const char *p, const void *from, size_t bytes) {\n  return " + name +
            "_parameter_write(m, p, from, bytes);\n}\n";
  return text;
}

bool writeFile(const std::string &path, const std::string &text) {
  std::error_code failed;
  llvm::raw_fd_ostream stream(path, failed);
  stream << text;
  return !failed;
}

/// Links the wrapper, the model's library and the runtime to a shared library.
bool link(const std::string &folder, const std::string &name, const std::string &output) {
  auto driver = llvm::sys::findProgramByName("cc");
  if (!driver) {
    ADD_FAILURE() << "the test needs a C compiler";
    return false;
  }
  std::string include = std::string("-I") + DLC_RUNTIME_INCLUDE, archive = folder + "/lib" + name + ".a";
  std::string source = folder + "/wrapper.c", messages = folder + "/messages";
  llvm::StringRef arguments[] = {
      *driver, "-shared",           "-fPIC",     "-o", output, "-I", folder, include, source,
      archive, DLC_RUNTIME_LIBRARY, "-lpthread", "-lm"};
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

std::unique_ptr<CompiledModel> CompiledModel::compile(const Program &program, pipeline::Options options) {
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
  takeErrors();
  if (mlir::failed(pipeline::compile(program.getModule(), options, llvm::nulls()))) {
    ADD_FAILURE() << name << ": " << takeErrors();
    return nullptr;
  }
  std::string library = made->folder + "/" + name + ".so";
  if (!writeFile(made->folder + "/wrapper.c", text) || !link(made->folder, name, library) ||
      !made->load(library))
    return nullptr;
  return made;
}

bool CompiledModel::load(const std::string &path) {
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    ADD_FAILURE() << dlerror();
    return false;
  }
  char error[512] = "";
  model = function<void *(*)(char *, size_t)>("test_create")(error, sizeof error);
  EXPECT_TRUE(model) << error;
  return model;
}

CompiledModel::~CompiledModel() {
  if (model)
    function<void (*)(void *)>("test_destroy")(model);
  if (library)
    dlclose(library);
  if (!folder.empty() && !testing::Test::HasFailure())
    llvm::sys::fs::remove_directories(folder);
}

template <typename Function> Function CompiledModel::function(const char *name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

bool CompiledModel::check(int status) {
  EXPECT_EQ(status, 0) << function<const char *(*)(void *)>("test_error")(model);
  return status == 0;
}

namespace {

/// Memory that compiled code is given; a test failure where something was written before it.
class Guarded {
public:
  explicit Guarded(size_t bytes, int filling = 0) : memory(guarded_make(bytes, filling)) {
    EXPECT_TRUE(memory.data) << "no memory";
  }
  explicit Guarded(llvm::ArrayRef<char> content) : Guarded(content.size()) {
    llvm::copy(content, memory.data);
  }
  Guarded(Guarded &&other) : memory(std::exchange(other.memory, guarded{})) {}
  ~Guarded() {
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

bool CompiledModel::predict(int64_t rows, llvm::ArrayRef<Tensor> inputs,
                            llvm::MutableArrayRef<Tensor> outputs) {
  Arguments arguments(inputs), results({});
  for (const Tensor &output : outputs)
    results.add(Guarded(output.size() * interpret::bytesOf(output.dtype), 0x33));
  auto call = function<int (*)(void *, long, const void *const *, void *const *)>("test_predict");
  if (!check(call(model, rows, arguments.pointers.data(), results.pointers.data())))
    return false;
  arguments.expectUnchanged(inputs);
  for (auto [output, memory] : llvm::zip_equal(outputs, results.memory))
    interpret::fromBytes(memory.content(), output);
  return true;
}

bool CompiledModel::step(const char *name, llvm::ArrayRef<Tensor> inputs, float &loss) {
  Arguments arguments(inputs);
  Guarded result(sizeof loss);
  auto call = function<int (*)(void *, const void *const *, void *)>(name);
  if (!check(call(model, arguments.pointers.data(), result.data())))
    return false;
  arguments.expectUnchanged(inputs);
  std::memcpy(&loss, result.data(), sizeof loss);
  return true;
}

bool CompiledModel::evalStep(int64_t rows, llvm::ArrayRef<Tensor> inputs, dlc_metrics &metrics) {
  Arguments arguments(inputs);
  Guarded result(sizeof metrics);
  auto call = function<int (*)(void *, long, const void *const *, void *)>("test_eval_step");
  if (!check(call(model, rows, arguments.pointers.data(), result.data())))
    return false;
  arguments.expectUnchanged(inputs);
  std::memcpy(&metrics, result.data(), sizeof metrics);
  return true;
}

bool CompiledModel::write(const std::string &parameter, const Tensor &value) {
  Arguments from({value});
  auto call = function<int (*)(void *, const char *, const void *, size_t)>("test_write");
  return check(call(model, parameter.c_str(), from.pointers[0], from.memory[0].content().size()));
}

bool CompiledModel::readWith(const char *name, const std::string &parameter, Tensor &value) {
  Guarded to(value.size() * interpret::bytesOf(value.dtype));
  auto call = function<int (*)(void *, const char *, void *, size_t)>(name);
  if (!check(call(model, parameter.c_str(), to.data(), to.content().size())))
    return false;
  interpret::fromBytes(to.content(), value);
  return true;
}

} // namespace dlc::numerics
