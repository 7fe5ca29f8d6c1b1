//===- Graphs.cpp - modules and graphs of the stand-in ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of a graph run in an order that changes from launch to launch, as far as the edges allow it.
//===----------------------------------------------------------------------===//
#include "tools/simt/Findings.h"
#include "tools/simt/Objects.h"

#include <cstring>

namespace dlc::simt {

static std::string nameOf(const GraphNodeObject &node) {
  return "node " + std::to_string(node.number) + " (" +
         (node.function ? node.function->kernel->entry : "copy") + ")";
}

namespace {
struct Range {
  uint64_t begin, end;
  bool writes;
};
} // namespace

static std::vector<Range> rangesOf(const GraphNodeObject &node) {
  std::vector<Range> ranges;
  auto add = [&](uint64_t begin, uint64_t bytes, bool writes) {
    if (bytes > 0) // tensors without elements may lie anywhere
      ranges.push_back({begin, begin + bytes, writes});
  };
  if (!node.function) {
    if (node.copy.from.type == deviceMemory)
      add(node.copy.from.device, node.copy.width, /*writes=*/false);
    if (node.copy.to.type == deviceMemory)
      add(node.copy.to.device, node.copy.width, /*writes=*/true);
    return ranges;
  }
  const dlc_simt_kernel &kernel = *node.function->kernel;
  for (uint32_t i = 0; i < kernel.operand_count; ++i)
    add(node.arguments[i], kernel.operands[i].bytes, (kernel.operands[i].access & DLC_ACCESS_WRITE) != 0);
  return ranges;
}

static bool conflict(const std::vector<Range> &one, const std::vector<Range> &other) {
  for (const Range &a : one)
    for (const Range &b : other)
      if ((a.writes || b.writes) && a.begin < b.end && b.begin < a.end)
        return true;
  return false;
}

std::string findUnordered(const GraphObject &graph) {
  const size_t count = graph.nodes.size();
  std::vector<std::vector<Range>> ranges;
  for (const GraphNodeObject &node : graph.nodes)
    ranges.push_back(rangesOf(node));
  std::vector<std::vector<bool>> comesBefore(count, std::vector<bool>(count));
  std::string text;
  for (size_t i = 0; i < count; ++i) { // edges lead to earlier nodes only
    for (size_t earlier : graph.nodes[i].after) {
      comesBefore[i][earlier] = true;
      for (size_t k = 0; k < count; ++k)
        if (comesBefore[earlier][k])
          comesBefore[i][k] = true;
    }
    for (size_t k = 0; k < i; ++k)
      if (!comesBefore[i][k] && conflict(ranges[k], ranges[i]))
        text +=
            nameOf(graph.nodes[k]) + " and " + nameOf(graph.nodes[i]) + " use the same bytes in no order\n";
  }
  return text;
}

Status Driver::runGraph(GraphExecObject &executable) {
  DeviceMemory::Access access(memory);
  --executable.queued;
  std::vector<bool> done(executable.nodes.size());
  for (size_t left = done.size(); left > 0; --left) {
    std::vector<size_t> ready;
    for (const GraphNodeObject &node : executable.nodes)
      if (!done[node.number] &&
          std::all_of(node.after.begin(), node.after.end(), [&](size_t earlier) { return done[earlier]; }))
        ready.push_back(node.number);
    const GraphNodeObject &node = executable.nodes[ready[machine.random() % ready.size()]];
    done[node.number] = true;
    if (!node.function) {
      if (Status status = copy(node.copy))
        return status;
      continue;
    }
    switch (machine.run(*node.function->kernel, node.grid, node.block, node.arguments)) {
    case Machine::Outcome::done:
      break;
    case Machine::Outcome::illegalAddress:
      return illegalAddress;
    case Machine::Outcome::failed:
      return launchFailed;
    }
  }
  return success;
}

} // namespace dlc::simt

using namespace dlc::simt;

/// A node that comes after others of its graph.
static Status addNode(Driver &driver, GraphNode *node, Graph graph, const GraphNode *after, size_t afterCount,
                      GraphNodeObject made) {
  if (!driver.graphs.count(graph))
    return refuseHandle("graph");
  for (size_t i = 0; i < afterCount; ++i) {
    if (!after[i] || after[i]->graph != graph)
      return refuseHandle("node of the graph");
    made.after.push_back(after[i]->number);
  }
  made.graph = graph;
  made.number = graph->nodes.size();
  graph->nodes.push_back(std::move(made));
  *node = &graph->nodes.back();
  return success;
}

extern "C" {

Status cuModuleLoadDataEx(Module *module, const void *image, unsigned, JitOption *, void **) {
  return call("cuModuleLoadDataEx", Needs::context, Gives::results, [&](Driver &driver) {
    const auto *simt = static_cast<const dlc_simt_image *>(image);
    if (memcmp(simt->magic, DLC_SIMT_MAGIC, sizeof simt->magic) != 0)
      return noBinaryForGpu;
    auto *made = new ModuleObject;
    for (uint64_t i = 0; i < simt->kernel_count; ++i)
      made->functions[simt->kernels[i].entry].kernel = &simt->kernels[i];
    driver.modules.insert(*module = made);
    return success;
  });
}

Status cuModuleUnload(Module module) {
  return call("cuModuleUnload", Needs::context, Gives::back, [&](Driver &driver) {
    if (!driver.modules.erase(module))
      return refuseHandle("module");
    delete module;
    return success;
  });
}

Status cuModuleGetFunction(Function *function, Module module, const char *name) {
  return call("cuModuleGetFunction", Needs::context, Gives::results, [&](Driver &driver) {
    if (!driver.modules.count(module))
      return refuseHandle("module");
    auto found = module->functions.find(name);
    if (found == module->functions.end())
      return notFound;
    *function = &found->second;
    return success;
  });
}

Status cuFuncSetAttribute(Function function, FunctionAttribute attribute, int value) {
  return call("cuFuncSetAttribute", Needs::context, Gives::results, [&](Driver &) {
    if (attribute != maxDynamicSharedBytes || value < 0 || value > 163 << 10)
      return invalidValue;
    function->dynamicBytes = static_cast<unsigned>(value);
    return success;
  });
}

Status cuGraphCreate(Graph *graph, unsigned) {
  return call("cuGraphCreate", Needs::context, Gives::results, [&](Driver &driver) {
    driver.graphs.insert(*graph = new GraphObject);
    return success;
  });
}

Status cuGraphDestroy(Graph graph) {
  return call("cuGraphDestroy", Needs::context, Gives::back, [&](Driver &driver) {
    if (!driver.graphs.erase(graph))
      return refuseHandle("graph");
    delete graph;
    return success;
  });
}

Status cuGraphAddKernelNode(GraphNode *node, Graph graph, const GraphNode *after, size_t afterCount,
                            const KernelNodeParams *params) {
  return call("cuGraphAddKernelNode", Needs::context, Gives::results, [&](Driver &driver) {
    const bool hasKernel = std::any_of(driver.modules.begin(), driver.modules.end(), [&](Module module) {
      return std::any_of(module->functions.begin(), module->functions.end(),
                         [&](auto &entry) { return &entry.second == params->function; });
    });
    if (!hasKernel)
      return refuseHandle("kernel");
    const unsigned *grid = params->grid, *block = params->block;
    if (!grid[0] || grid[1] != 1 || grid[2] != 1 || !block[0] || block[0] > 1024 || block[1] != 1 ||
        block[2] != 1 || params->sharedBytes > params->function->dynamicBytes || params->extra)
      return refuse(invalidValue, "a kernel's grid, block or shared memory is out of bounds");
    GraphNodeObject made;
    made.function = params->function;
    made.grid = grid[0];
    made.block = block[0];
    for (uint32_t i = 0; i <= made.function->kernel->operand_count; ++i)
      made.arguments.push_back(*static_cast<uint64_t *>(params->arguments[i]));
    return addNode(driver, node, graph, after, afterCount, std::move(made));
  });
}

Status cuGraphAddMemcpyNode(GraphNode *node, Graph graph, const GraphNode *after, size_t afterCount,
                            const CopyParams *params, Context context) {
  return call("cuGraphAddMemcpyNode", Needs::context, Gives::results, [&](Driver &driver) {
    if (context != Driver::stack().back() || !params->width || params->height != 1 || params->depth != 1)
      return refuse(invalidValue, "a copy is not one row of bytes of this context");
    // Drivers take a pitch of no more than 2 GB, and a row of any length without one.
    if (params->from.pitch || params->to.pitch)
      return refuse(invalidValue, "a copy of one row has a pitch");
    GraphNodeObject made;
    made.copy = *params;
    return addNode(driver, node, graph, after, afterCount, std::move(made));
  });
}

Status cuGraphInstantiateWithFlags(GraphExec *executable, Graph graph, unsigned long long) {
  return call("cuGraphInstantiateWithFlags", Needs::context, Gives::results, [&](Driver &driver) {
    if (!driver.graphs.count(graph))
      return refuseHandle("graph");
    if (std::string unordered = findUnordered(*graph); !unordered.empty())
      return refuse(invalidValue, unordered);
    auto *made = new GraphExecObject;
    made->nodes.assign(graph->nodes.begin(), graph->nodes.end());
    driver.executables.insert(*executable = made);
    return success;
  });
}

Status cuGraphUpload(GraphExec executable, Stream stream) {
  return call("cuGraphUpload", Needs::context, Gives::results, [&](Driver &driver) {
    return driver.executables.count(executable) && driver.streams.count(stream)
               ? success
               : refuseHandle("executable graph");
  });
}

Status cuGraphLaunch(GraphExec executable, Stream stream) {
  return call("cuGraphLaunch", Needs::context, Gives::results, [&](Driver &driver) {
    if (!driver.executables.count(executable) || !driver.streams.count(stream))
      return refuseHandle("executable graph");
    ++executable->queued;
    return driver.enqueue(*stream, [&driver, executable]() -> Status {
      return driver.executables.count(executable) ? driver.runGraph(*executable)
                                                  : refuseHandle("executable graph");
    });
  });
}

Status cuGraphExecDestroy(GraphExec executable) {
  return call("cuGraphExecDestroy", Needs::context, Gives::back, [&](Driver &driver) {
    if (!driver.executables.erase(executable))
      return refuseHandle("executable graph");
    if (executable->queued)
      addFinding("a graph is destroyed that has not run yet");
    delete executable;
    return success;
  });
}

} // extern "C"
