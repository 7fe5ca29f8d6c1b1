#!/usr/bin/env python3
"""Prints what files of events for TensorBoard hold, by the layout of their records and messages.

usage: read-events.py FOLDER

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import struct
import sys
import zlib


def checksum(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(content):
    place = 0
    while place < len(content):
        head = content[place:place + 8]
        size, = struct.unpack("<Q", head)
        data = content[place + 12:place + 12 + size]
        assert struct.unpack_from("<I", content, place + 8)[0] == checksum(head), "checksum of a length"
        assert struct.unpack_from("<I", content, place + 12 + size)[0] == checksum(data), "checksum of data"
        yield data
        place += 16 + size


def fields(message):
    """[(number, value)] with numbers for the wire types 0, 1 and 5, and bytes for 2."""
    found, place = [], 0

    def varint():
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while place < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            value = varint()
        else:
            size = varint() if kind == 2 else {1: 8, 5: 4}[kind]
            value = message[place:place + size]
            place += size
            if kind != 2:
                value, = struct.unpack("<d" if kind == 1 else "<f", value)
        found.append((key >> 3, value))
    return found


def one(message, number):
    return dict(fields(message))[number]


def pixels(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, chunks = 8, {}
    while place < len(png):
        size, = struct.unpack_from(">I", png, place)
        name, data = png[place + 4:place + 8], png[place + 8:place + 8 + size]
        assert struct.unpack_from(">I", png, place + 8 + size)[0] == zlib.crc32(name + data)
        chunks[name] = data
        place += 12 + size
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    rows, channels = zlib.decompress(chunks[b"IDAT"]), 1 if colour == 0 else 3
    assert depth == 8 and len(rows) == height * (width * channels + 1)
    return f"{height}x{width}x{channels} " + " ".join(str(value) for value in rows[1:1 + 3 * channels])


def settings(content):
    if 3 in dict(fields(content)):
        for number, entry in fields(one(content, 3)):
            if number == 1:
                name, value = one(entry, 1).decode(), dict(fields(one(entry, 2)))
                print("setting", name, value[2] if 2 in value else repr(value[3].decode()))
    elif 2 in dict(fields(content)):
        for number, info in fields(one(content, 2)):
            if number == 5:
                print("shown", one(one(info, 1), 2).decode())
    else:
        print("ended with status", one(one(content, 4), 1))


for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    for record in records(path.read_bytes()):
        event = dict(fields(record))
        if 5 not in event:
            continue
        value = dict(fields(one(event[5], 1)))
        tag, step = value[1].decode(), event.get(2, 0)
        if 2 in value:
            print("scalar", tag, step, f"{value[2]:.6g}")
        elif 4 in value:
            print("image", tag, step, pixels(one(value[4], 4)))
        elif 5 in value:
            histogram = dict(fields(value[5]))
            counts = struct.unpack(f"<{len(histogram[7]) // 8}d", histogram[7])
            assert sum(counts) == histogram[3] and len(counts) == len(histogram[6]) // 8
            print("histogram", tag, step, f"{histogram[3]:g} numbers from {histogram[1]:.6g} to {histogram[2]:.6g}")
        else:
            plugin = one(value[9], 1)
            assert one(plugin, 1) == b"hparams"
            settings(one(plugin, 2))
