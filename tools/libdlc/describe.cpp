//===- describe.cpp - the command dlc-describe ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     dlc-describe LIBRARY OUTPUT [MODEL]
//
// Loads a description that was compiled to a shared library, and writes its program. It is the user's code:
// it runs here so that dlc survives it. What it prints goes to standard error, as dlc's standard output may
// be a program.
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Models.h"
#include "tools/libdlc/DescribeStatus.h"
#include <cstdio>
#include <dlfcn.h>
#include <exception>
#include <new>
#include <unistd.h>

using dlc::detail::RegisteredModel;

static int fail(const char *message) {
  std::fprintf(stderr, "error: %s\n", message);
  return 1;
}

static const RegisteredModel *choose(const std::vector<RegisteredModel> &models, const std::string &name) {
  for (const RegisteredModel &model : models)
    if (model.name == name || (name.empty() && models.size() == 1))
      return &model;
  std::string known;
  for (const RegisteredModel &model : models)
    known += (known.empty() ? "" : ", ") + model.name;
  if (models.empty())
    fail("the file describes no model: expected DLC_MODEL(name) { ... return dlc::program(...); }");
  else if (name.empty())
    fail(("the file describes several models: choose one of " + known + " with --model").c_str());
  else
    fail(("the file describes no model '" + name + "'; it has " + known).c_str());
  return nullptr;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return fail("usage: dlc-describe LIBRARY OUTPUT [MODEL]");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  try {
    if (!dlopen(argv[1], RTLD_NOW))
      return fail(dlerror());
    const RegisteredModel *model = choose(dlc::detail::models(), argc > 3 ? argv[3] : "");
    if (!model)
      return 1;
    dlc::detail::describe(*model).write(argv[2]);
    return 0;
  } catch (const std::bad_alloc &) {
    return dlc::tool::outOfMemoryStatus;
  } catch (const dlc::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (const std::exception &error) {
    return fail(error.what());
  } catch (...) {
    return fail("the description threw something that is no std::exception");
  }
  return 1;
}
