#!/usr/bin/env python3
"""Opens a page of dlc report in a browser without a window.

usage: browser_test.py DLC MODEL.onnx CHROMIUM FOLDER

The page is looked at in light and dark colours and as wide as a phone; the pictures stay in FOLDER. The browser must say
nothing of errors, show the page's text, and draw three different pictures that are not of one colour.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

TEXTS = ["Where the time goes", "From nodes to launches", "gradient of", "learning_rate", "Memory", "Stages of the program"]
LOOKS = {"light": ("1100,3000", []), "dark": ("1100,3000", ["--blink-settings=preferredColorScheme=0"]),
         "phone": ("500,3000", [])}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done


def browse(chromium, page, *options):
    with tempfile.TemporaryDirectory() as profile:
        done = run(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
                   f"--user-data-dir={profile}", *options, page.as_uri())
    messages = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    if messages:
        sys.exit("the browser's console:\n" + "\n".join(messages))
    return done.stdout


def colours(path):
    """How many different bytes the picture's first megabyte has: 1 if there is nothing on it."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    return len(set(zlib.decompress(packed)[:1 << 20]))


def main():
    dlc, model, chromium, folder = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "report.html"
    log = folder / "log.csv"
    log.write_text("epoch,step,loss,learning_rate,seconds\n" + "".join(f"{i},{i},{3 / i},0.1,1\n" for i in range(1, 9)))
    run(dlc, "compile", model, "--batch=8", "--loss=softmax-cross-entropy", "-q", f"--dump-ir={folder}/ir", "-o", folder)
    manifest = folder / (pathlib.Path(model).stem + ".json")
    run(dlc, "report", manifest, f"--log={log}", "--profile", "--threads=1", f"--dump-ir={folder}/ir", "-o", page)
    shown = browse(chromium, page, "--dump-dom")
    missing = [text for text in TEXTS if text not in shown]
    if missing:
        sys.exit(f"the browser does not show {missing}")
    pictures = {}
    for look, (size, options) in LOOKS.items():
        picture = folder / f"report-{look}.png"
        browse(chromium, page, f"--window-size={size}", f"--screenshot={picture}", *options)
        if colours(picture) < 8:
            sys.exit(f"there is nothing to see on {picture}")
        pictures[look] = picture.read_bytes()
    if len(set(pictures.values())) != len(pictures):
        sys.exit("two of the pictures are equal")
    print(f"ok: {page}, {page.stat().st_size} bytes, and {len(pictures)} pictures")


main()
