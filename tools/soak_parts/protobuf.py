# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX files as trees of fields, read and written without any package: mutations need to get at everything, also at
what no reader would accept."""
import struct

# Of each message the fields that are messages themselves, by their numbers.
MESSAGES = {
    "Model": {7: "Graph", 8: "Opset", 25: "Function"},
    "Graph": {1: "Node", 5: "Tensor", 11: "Value", 12: "Value", 13: "Value"},
    "Function": {7: "Node", 9: "Opset"},
    "Node": {5: "Attribute"},
    "Attribute": {5: "Tensor", 6: "Graph"},
    "Value": {2: "Type"},
    "Type": {1: "TensorType"},
    "TensorType": {2: "Shape"},
    "Shape": {1: "Dim"},
    "Tensor": {}, "Opset": {}, "Dim": {},
}


class Message:
    """Fields are lists [number, wire type, value]; a value is a number, bytes or a Message."""

    def __init__(self, kind, fields=()):
        self.kind, self.fields = kind, list(fields)

    def all(self, number):
        return [field for field in self.fields if field[0] == number]

    def messages(self, number):
        return [field[2] for field in self.all(number) if isinstance(field[2], Message)]

    def get(self, number, default=None):
        found = self.all(number)
        return found[-1][2] if found else default

    def set(self, number, value):
        found = self.all(number)
        if found:
            found[-1][2] = value
        else:
            self.add(number, value)

    def add(self, number, value):
        wire = 0 if isinstance(value, int) else 5 if isinstance(value, float) else 2
        self.fields.append([number, wire, value])

    def remove(self, field):
        self.fields = [other for other in self.fields if other is not field]

    def text(self, number):
        value = self.get(number, b"")
        return value.decode(errors="replace") if isinstance(value, bytes) else ""

    def walk(self):
        yield self
        for field in self.fields:
            if isinstance(field[2], Message):
                yield from field[2].walk()


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128 or shift > 63:
            return value & (2 ** 64 - 1), at


def read(data, kind="Model"):
    """Raises IndexError, ValueError or struct.error on what is no message."""
    fields, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 5:
            value, at = struct.unpack_from("<f", data, at)[0], at + 4
        elif wire == 1:
            value, at = data[at:at + 8], at + 8
        elif wire == 2:
            size, at = varint(data, at)
            value, at = bytes(data[at:at + size]), at + size
            if len(value) != size:
                raise ValueError("truncated")
            if number in MESSAGES[kind]:
                value = read(value, MESSAGES[kind][number])
        else:
            raise ValueError(f"wire type {wire}")
        fields.append([number, wire, value])
    return Message(kind, fields)


def number_bytes(value):
    value &= 2 ** 64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def write(message):
    out = bytearray()
    for number, wire, value in message.fields:
        out += number_bytes(number << 3 | wire)
        if wire == 0:
            out += number_bytes(value)
        elif wire == 5:
            out += struct.pack("<f", value)
        elif wire == 1:
            out += value
        else:
            content = write(value) if isinstance(value, Message) else value
            out += number_bytes(len(content)) + content
    return bytes(out)


def packed(message, number):
    """A repeated number, packed or not, as signed integers."""
    values = []
    for _, wire, value in message.all(number):
        if wire == 0:
            values.append(value)
        at = 0
        while wire == 2 and at < len(value):
            one, at = varint(value, at)
            values.append(one)
    return [value - 2 ** 64 if value >= 2 ** 63 else value for value in values]


def set_packed(message, number, values):
    message.fields = [field for field in message.fields if field[0] != number]
    message.fields.append([number, 2, b"".join(map(number_bytes, values))])
