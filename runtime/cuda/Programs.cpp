//===- Programs.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/cuda/Programs.h"

#include "runtime/core/Target.h"
#include "runtime/cuda/Dependences.h"

#include <cstdio>

namespace dlc::runtime::cuda {

namespace {

/// One graph of one function. The driver copies what a node is given, so everything here lives for a moment.
class GraphBuilder {
public:
  GraphBuilder(CudaDevice &device, const dlc_function &function, Program &program, uint32_t slot)
      : d(device), api(device.gpu.api), function(function), program(program), slot(slot) {}
  ~GraphBuilder() {
    if (graph)
      api.cuGraphDestroy(graph);
  }

  /// False where memory is short, or the driver refuses something: then `refusal` says what.
  bool build(GraphExec &executable) {
    if (!dependences.begin(function.launch_count + 1) || !driver(api.cuGraphCreate(&graph, 0)))
      return false;
    for (uint32_t i = 0; i < function.launch_count; ++i)
      if (!addLaunch(function.launches[i]))
        return false;
    if (!addResults())
      return false;
    if (!driver(api.cuGraphInstantiateWithFlags(&executable, graph, 0))) {
      executable = nullptr;
      return false;
    }
    return driver(api.cuGraphUpload(executable, d.compute));
  }

  Status refusal = success;

private:
  bool driver(Status status) {
    refusal = status;
    return status == success;
  }

  Address addressOf(dlc_place place) const { return d.addressOf(place, slot); }

  /// The nodes that the next one comes after.
  bool findEdges() {
    Array<uint32_t> waitsFor;
    if (!dependences.add(waitsFor) || !after.allocate(waitsFor.size()))
      return false;
    for (size_t i = 0; i < waitsFor.size(); ++i)
      after[i] = nodes[waitsFor[i]];
    return nodes.append(nullptr);
  }

  bool addLaunch(const dlc_launch &launch) {
    const dlc_place *places = function.places + launch.first_place;
    if (launch.kernel == DLC_COPY)
      return addCopy(addressOf(places[0]), addressOf(places[1]),
                     bytesAtBounds(function.copy_sizes[launch.copy_size]));
    const dlc_device_kernel &kernel = d.target->device_kernels[launch.kernel];
    // Values, and pointers to them: those of the places, and of the actual sizes.
    if (!values.allocate(launch.place_count + 1) || !arguments.allocate(launch.place_count + 1))
      return false;
    for (uint32_t i = 0; i < launch.place_count; ++i) {
      values[i] = addressOf(places[i]);
      if (!dependences.uses(values[i], kernel.operands[i].bytes,
                            kernel.operands[i].access & DLC_ACCESS_WRITE))
        return false;
    }
    values[launch.place_count] = d.slotAddress(slot);
    for (size_t i = 0; i < values.size(); ++i)
      arguments[i] = &values[i];
    const KernelNodeParams params = d.launchOf(launch.kernel, arguments.data());
    return findEdges() && driver(api.cuGraphAddKernelNode(&nodes[nodes.size() - 1], graph, after.data(),
                                                          after.size(), &params));
  }

  uint64_t bytesAtBounds(const dlc_axis &size) const {
    uint64_t bytes = static_cast<uint64_t>(size.factor);
    for (uint32_t i = 0; i < size.dim_count; ++i)
      bytes *= static_cast<uint64_t>(d.model->dims[size.dims[i]].bound);
    return bytes;
  }

  bool addCopy(Address from, Address to, uint64_t bytes) {
    if (!dependences.uses(from, bytes, false) || !dependences.uses(to, bytes, true))
      return false;
    CopyParams params = {};
    params.from.type = params.to.type = deviceMemory;
    params.from.device = from;
    params.to.device = to;
    return addCopy(params, bytes);
  }

  bool addCopy(CopyParams &params, uint64_t bytes) {
    // One row: it has no pitch, of which drivers take no more than 2 GB.
    params.width = bytes;
    params.height = params.depth = 1;
    if (bytes == 0)
      return dependences.add(none) && nodes.append(nullptr); // no launch waits for it
    return findEdges() && driver(api.cuGraphAddMemcpyNode(&nodes[nodes.size() - 1], graph, after.data(),
                                                          after.size(), &params, d.context));
  }

  /// The last node brings the outputs to the host: from the first that the function writes to the last.
  bool addResults() {
    uint64_t begin = d.outputBytes, end = 0;
    for (uint32_t i = 0; i < d.model->output_count; ++i) {
      if (!program.outputs[i])
        continue;
      const uint64_t next = i + 1 < d.model->output_count ? d.outputAt[i + 1] : d.outputBytes;
      begin = d.outputAt[i] < begin ? d.outputAt[i] : begin;
      end = next > end ? next : end;
    }
    if (end <= begin)
      return true;
    if (!dependences.uses(d.outputAddress() + begin, end - begin, false))
      return false;
    CopyParams params = {};
    params.from.type = deviceMemory;
    params.from.device = d.outputAddress() + begin;
    params.to.type = hostMemory;
    params.to.host = d.pinnedOutputs() + begin;
    return addCopy(params, end - begin);
  }

  CudaDevice &d;
  const Api &api;
  const dlc_function &function;
  const Program &program;
  const uint32_t slot;
  Graph graph = nullptr;
  Dependences dependences;
  Array<GraphNode> nodes, after;
  Array<Address> values;
  Array<void *> arguments;
  Array<uint32_t> none;
};

/// Which inputs and outputs the function uses, and how much of a slot.
bool findUses(CudaDevice &d, const dlc_function &function, Program &program) {
  if (!program.inputs.allocate(d.model->input_count) || !program.outputs.allocate(d.model->output_count))
    return false;
  for (uint32_t i = 0; i < function.place_count; ++i) {
    if (placeKind(function.places[i]) == DLC_PLACE_INPUT)
      program.inputs[placeNumber(function.places[i])] = true;
    if (placeKind(function.places[i]) == DLC_PLACE_OUTPUT)
      program.outputs[placeNumber(function.places[i])] = true;
  }
  program.slotBytes = d.model->dim_count * sizeof(int64_t);
  for (uint32_t i = 0; i < d.model->input_count; ++i)
    if (program.inputs[i])
      program.slotBytes = i + 1 < d.model->input_count ? d.inputAt[i + 1] : d.slotBytes;
  program.usesSlot = program.slotBytes != 0;
  program.exists = true;
  return true;
}

} // namespace

dlc_status makePrograms(CudaDevice &d, Error &error) {
  for (uint32_t kind = 0; kind < functionCount(*d.model); ++kind) {
    if (!(d.model->functions >> kind & 1))
      continue;
    Program &program = d.programs[kind];
    bool made = findUses(d, d.target->functions[kind], program);
    Status refusal = success;
    for (uint32_t slot = 0; made && slot < (program.usesSlot ? slotCount : 1); ++slot) {
      GraphBuilder builder(d, d.target->functions[kind], program, slot);
      made = builder.build(program.graphs[slot]);
      refusal = builder.refusal;
    }
    if (made)
      continue;
    if (refusal == success || refusal == outOfMemory)
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the graphs of its functions", d.model->name);
    return error.fail(DLC_DEVICE_FAILED, "%s: the GPU %s takes no graph of function %u: %s", d.model->name,
                      d.gpu.name, kind, Gpu::Answer(d.gpu, refusal).text);
  }
  return DLC_OK;
}

void destroyPrograms(CudaDevice &d) {
  for (Program &program : d.programs)
    for (GraphExec graph : program.graphs)
      if (graph)
        d.gpu.api.cuGraphExecDestroy(graph);
}

} // namespace dlc::runtime::cuda
