# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of ONNX models: most keep them well formed, so that they get far; some are of bytes."""
import copy
import struct

from .protobuf import Message, packed, set_packed, write

FLOAT, DOUBLE = 1, 11
UNARY = ["Relu", "Tanh", "Sigmoid", "Neg", "Abs", "Exp", "Sqrt", "Softplus", "Erf", "Elu", "LeakyRelu", "Selu", "Gelu",
         "Mish", "HardSigmoid", "HardSwish", "Softsign", "Reciprocal", "Floor", "Ceil", "Sin", "Cos", "Identity",
         "Celu", "ThresholdedRelu", "Sign", "Log", "Softmax", "LogSoftmax", "Flatten", "Shape", "Transpose", "Not"]
BINARY = ["Add", "Sub", "Mul", "Div", "Pow", "MatMul", "PRelu", "Max", "Min", "Mean", "Sum", "Gemm", "Greater", "Less"]
REDUCTIONS = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum",
              "ReduceLogSumExp", "ReduceSumSquare"]
POOLS = ["AveragePool", "MaxPool", "LpPool", "GlobalAveragePool", "GlobalMaxPool"]
RECURRENT = ["LSTM", "GRU", "RNN"]
FAMILIES = [UNARY, BINARY, REDUCTIONS, POOLS, RECURRENT]
STRINGS = [b"SAME_UPPER", b"SAME_LOWER", b"VALID", b"NOTSET", b"constant", b"reflect", b"edge", b"wrap", b"linear",
           b"nearest", b"cubic", b"sum", b"mean", b"none", b"add", b"mul", b"tanh", b"forward", b"reverse", b"",
           b"bidirectional", b"align_corners", b"half_pixel", b"asymmetric", b"pytorch_half_pixel", b"floor", b"DCR", b"CRD"]


def whole(random, value):
    """Another whole number: mostly near by."""
    return random.choice([value + 1, value - 1, -value, 0, 1, 2, 3, value * 2, random.randrange(-4, 9)] * 3 +
                         [2 ** 31, -2 ** 31, 2 ** 63 - 1, -2 ** 63, 10 ** 6])


def real(random, value):
    return random.choice([-value, value * 2, value / 2, 0.0, 1.0, value + 0.5, 0.1, 1e-5] * 3 +
                         [float("nan"), float("inf"), 1e30, -1e30, 1e-42])


def graphs(model):
    return [message for message in model.walk() if message.kind == "Graph"]


def nodes(model):
    return [message for message in model.walk() if message.kind == "Node"]


def values_of(graph):
    """The names that nodes of this graph may read."""
    names = [value.text(1) for value in graph.messages(11)] + [tensor.text(8) for tensor in graph.messages(5)]
    for node in graph.messages(1):
        names += [field[2].decode(errors="replace") for field in node.all(2) if isinstance(field[2], bytes)]
    return [name for name in names if name]


def change_operator(model, random, pool):
    node = random.choice(nodes(model))
    family = next((family for family in FAMILIES if node.text(4) in family), None)
    name = random.choice(family) if family and random.random() < 0.9 else random.choice(sorted(pool))
    node.set(4, name.encode())


def change_attribute(model, random, pool):
    attribute = random.choice([message for message in model.walk() if message.kind == "Attribute"])
    if attribute.all(3):
        attribute.set(3, whole(random, attribute.get(3)))
    elif attribute.all(8):
        numbers = packed(attribute, 8)
        place = random.randrange(len(numbers)) if numbers else 0
        way = random.random()
        if numbers and way < 0.7:
            numbers[place] = whole(random, numbers[place])
        elif numbers and way < 0.85:
            random.shuffle(numbers)
        else:
            numbers[place:place + random.randrange(2)] = [random.randrange(4)] * random.randrange(2)
        set_packed(attribute, 8, numbers)
    elif attribute.all(2) and isinstance(attribute.get(2), float):
        attribute.set(2, real(random, attribute.get(2)))
    elif attribute.all(4):
        attribute.set(4, random.choice(STRINGS))
    elif attribute.messages(5):
        change_tensor(attribute.messages(5)[0], random)


def move_attribute(model, random, pool):
    """Takes one away, or puts one there that a node of this kind had in another model."""
    node = random.choice(nodes(model))
    known = pool.get(node.text(4), [])
    if known and random.random() < 0.7:
        other = copy.deepcopy(random.choice(known))
        node.fields = [field for field in node.fields
                       if not (isinstance(field[2], Message) and field[2].text(1) == other.text(1))]
        node.add(5, other)
    elif node.all(5):
        node.remove(random.choice(node.all(5)))


def change_tensor(tensor, random):
    way, raw = random.random(), tensor.get(9)
    if way < 0.6 and isinstance(raw, bytes) and raw and tensor.get(2) in (FLOAT, DOUBLE):
        size, code = (4, "<f") if tensor.get(2) == FLOAT else (8, "<d")
        at = random.randrange(max(1, len(raw) // size)) * size
        if at + size <= len(raw):
            value = real(random, struct.unpack_from(code, raw, at)[0])
            try:
                tensor.set(9, raw[:at] + struct.pack(code, value) + raw[at + size:])
            except OverflowError:
                pass
    elif way < 0.7 and isinstance(raw, bytes) and len(raw) >= 8 and tensor.get(2) == 7:
        at = random.randrange(len(raw) // 8) * 8
        value = whole(random, struct.unpack_from("<q", raw, at)[0])
        tensor.set(9, raw[:at] + struct.pack("<q", max(-2 ** 63, min(2 ** 63 - 1, value))) + raw[at + 8:])
    elif way < 0.85:
        dims = packed(tensor, 1)
        if dims and random.random() < 0.5:
            random.shuffle(dims)
        elif dims:
            place = random.randrange(len(dims))
            dims[place] = whole(random, dims[place])
        set_packed(tensor, 1, dims)
    elif way < 0.95:
        tensor.set(2, random.choice([1, 1, 6, 7, 9, 10, 11, 16, 3, 2]))
    elif isinstance(raw, bytes):
        tensor.set(9, raw[:random.randrange(len(raw) + 1)])


def change_initializer(model, random, pool):
    change_tensor(random.choice([message for message in model.walk() if message.kind == "Tensor"]), random)


def change_shape(model, random, pool):
    """Of a declared value: mostly of an input, or the type of its elements."""
    if random.random() < 0.15:
        kind = random.choice([message for message in model.walk() if message.kind == "TensorType"])
        kind.set(1, random.choice([1, 6, 7, 9, 10, 11]))
        return
    dim = random.choice([message for message in model.walk() if message.kind == "Dim"])
    if dim.all(1) and random.random() < 0.8:
        dim.set(1, whole(random, dim.get(1)))
    else:
        dim.fields = [[2, 2, random.choice([b"n", b"batch", b"", b"seq"])]]


def rewire(model, random, pool):
    graph = random.choice([graph for graph in graphs(model) if graph.messages(1)])
    node = random.choice(graph.messages(1))
    inputs = node.all(1)
    way = random.random()
    if len(inputs) > 1 and way < 0.3:
        one, other = random.sample(inputs, 2)
        one[2], other[2] = other[2], one[2]
    elif inputs and way < 0.8:
        random.choice(inputs)[2] = random.choice(values_of(graph)).encode()
    elif inputs and way < 0.9:
        node.remove(inputs[-1])
    else:
        node.add(1, random.choice(values_of(graph) + [""]).encode())


def insert(model, random, pool):
    """A node of one input behind a value, before one of its readers."""
    graph = random.choice([graph for graph in graphs(model) if graph.messages(1)])
    readers = [field for node in graph.messages(1) for field in node.all(1) if field[2]]
    field = random.choice(readers)
    name = b"inserted%d" % random.randrange(10 ** 9)
    made = Message("Node", [[1, 2, field[2]], [2, 2, name], [4, 2, random.choice(UNARY).encode()]])
    field[2] = name
    reader = next(i for i, entry in enumerate(graph.fields) if entry[0] == 1 and any(
        each is field for each in entry[2].fields))
    graph.fields.insert(reader, [1, 2, made])


def remove_node(model, random, pool):
    """Its readers read its first input."""
    graph = random.choice([graph for graph in graphs(model) if graph.messages(1)])
    field = random.choice(graph.all(1))
    node = field[2]
    graph.remove(field)
    source, gone = node.get(1), {each[2] for each in node.all(2)}
    for other in graph.messages(1):
        for each in other.all(1):
            if each[2] in gone and source is not None:
                each[2] = source


def change_version(model, random, pool):
    opset = random.choice([message for message in model.walk() if message.kind == "Opset"])
    opset.set(2, max(0, whole(random, opset.get(2, 1))) % 2 ** 63)


CHANGES = [(change_operator, 4), (change_attribute, 6), (move_attribute, 3), (change_initializer, 4),
           (change_shape, 3), (rewire, 4), (insert, 4), (remove_node, 1), (change_version, 1)]


def flip_bytes(data, random):
    data = bytearray(data)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(data))
        way = random.random()
        if way < 0.5:
            data[at] ^= 1 << random.randrange(8)
        elif way < 0.7:
            data[at] = random.randrange(256)
        elif way < 0.85:
            del data[at:at + random.randrange(1, 9)]
        else:
            data[at:at] = data[at:at + random.randrange(1, 33)]
        if not data:
            break
    return bytes(data)


def mutate(model, random, pool):
    """The bytes of a changed model, and what was changed. `pool`: attributes that operators had elsewhere."""
    model = copy.deepcopy(model)
    done = []
    for _ in range(random.choice([1, 1, 1, 2, 2, 3])):
        change = random.choices([change for change, _ in CHANGES], [weight for _, weight in CHANGES])[0]
        try:
            change(model, random, pool)
            done.append(change.__name__)
        except (IndexError, ValueError, StopIteration, struct.error):  # the model has nothing of the kind
            done.append(f"no {change.__name__}")
    data = write(model)
    if random.random() < 0.08:
        data = flip_bytes(data, random)
        done.append("flip_bytes")
    return data, done
