#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the packages of a build: a .tar.gz, a .deb and a wheel. tools/package.sh builds what they consist of.

usage: packages.py BUILD OUTPUT

The same build gives the same bytes: files have the time SOURCE_DATE_EPOCH, or that of the last commit.
"""
import base64
import csv
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUMMARY = "An ahead-of-time compiler for training neural networks"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}  # as Debian calls them
PYTHON = ROOT / "frontends" / "python" / "dlc"


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


def epoch():
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or run("git", "-C", ROOT, "log", "-1", "--format=%ct"))


def version():
    return re.search(r"project\(dlc VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


def newest(path, symbol):
    """The newest version of `symbol` (GLIBC, GLIBCXX) that a program or library asks for, as a tuple; () for none."""
    found = re.findall(rf"@{symbol}_(\d+(?:\.\d+)*)", run("nm", "-D", "--undefined-only", path))
    return max((tuple(map(int, text.split("."))) for text in found), default=())


def text(numbers):
    return ".".join(map(str, numbers))


class Tree:
    """What `cmake --install` puts into a folder, with what packages have in place of the programs that load LLVM."""

    def __init__(self, build, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        for component in ("Unspecified", "package"):
            run("cmake", "--install", build, "--component", component, "--prefix", folder)
        programs = sorted(path for name in ("bin", "lib") for path in (folder / name).iterdir()
                          if path.is_file() and path.read_bytes()[:4] == b"\x7fELF")
        self.glibc = max(newest(path, "GLIBC") for path in programs)
        self.libstdcxx = max(newest(path, "GLIBCXX") for path in programs)
        self.machine = run("uname", "-m").strip()

    def files(self):
        return [path for path in sorted(self.folder.rglob("*")) if path.is_file()]


def python_files():
    return [path for path in sorted(PYTHON.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


def mode_of(path):
    return stat.S_IFREG | (0o755 if os.access(path, os.X_OK) else 0o644)


def write_tar(path, entries, time):
    """`entries`: names and files; folders are added."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        folders = {parent for name, _ in entries for parent in pathlib.PurePosixPath(name).parents if str(parent) != "."}
        for name, source in sorted([(str(folder), None) for folder in folders] + entries, key=lambda entry: entry[0]):
            info = tarfile.TarInfo(name)
            info.mtime = time
            if source is None:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(info)
                continue
            content = source if isinstance(source, bytes) else source.read_bytes()
            info.size = len(content)
            info.mode = 0o644 if isinstance(source, bytes) else stat.S_IMODE(mode_of(source))
            archive.addfile(info, io.BytesIO(content))
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=time) as packed:
        packed.write(buffer.getvalue())


def make_tar(tree, output, time):
    name = f"dlc-{version()}-linux-{tree.machine}"
    entries = [(f"{name}/{path.relative_to(tree.folder)}", path) for path in tree.files()]
    entries += [(f"{name}/share/dlc/python/dlc/{path.relative_to(PYTHON)}", path) for path in python_files()]
    result = output / f"{name}.tar.gz"
    write_tar(result, entries, time)
    return result


CONTROL = """Package: dlc
Version: {version}
Architecture: {architecture}
Maintainer: The dlc authors <dlc@localhost>
Installed-Size: {size}
Depends: libc6 (>= {glibc})
Recommends: libstdc++6 (>= {libstdcxx}), libgcc-s1
Suggests: g++, python3-numpy
Section: devel
Priority: optional
Description: {summary}
 dlc turns a model, an ONNX file or a program in C++ or Python, into a library that trains it: forward and backward
 pass, optimizer, evaluation and prediction as plain C functions that need the C library only. The compiler is one
 program, and needs no other. The C++ library (recommended) is for models that are described in C++ or Python.
"""
# The release of GCC that brought a version of the C++ library.
GCC = {(3, 4, 28): 9, (3, 4, 29): 11, (3, 4, 30): 12, (3, 4, 31): 13, (3, 4, 32): 13, (3, 4, 33): 14}


def make_deb(tree, output, time):
    stage = tree.folder.parent / "deb"
    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(tree.folder, stage / "usr")
    for path in python_files():
        target = stage / "usr/lib/python3/dist-packages/dlc" / path.relative_to(PYTHON)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    documents = stage / "usr/share/doc/dlc"
    shutil.move(documents / "LICENSE", documents / "copyright")
    for path in stage.rglob("*"):
        path.chmod(0o755 if path.is_dir() else stat.S_IMODE(mode_of(path)))
    stage.chmod(0o755)
    size = sum((path.stat().st_size + 1023) // 1024 for path in stage.rglob("*") if path.is_file())
    architecture = ARCHITECTURES[tree.machine]
    (stage / "DEBIAN").mkdir(mode=0o755)
    (stage / "DEBIAN/control").write_text(CONTROL.format(
        version=version(), architecture=architecture, size=size, glibc=text(tree.glibc), summary=SUMMARY,
        libstdcxx=GCC.get(tree.libstdcxx, 9)), encoding="utf-8")
    result = output / f"dlc_{version()}_{architecture}.deb"
    run("dpkg-deb", "--build", "--root-owner-group", "-Zzstd", "-z12", stage, result, env={**os.environ, "SOURCE_DATE_EPOCH": str(time)})
    shutil.rmtree(stage)
    return result


METADATA = """Metadata-Version: 2.1
Name: dlc
Version: {version}
Summary: {summary}
License: Apache-2.0 WITH LLVM-exception
Requires-Python: >=3.9
Requires-Dist: numpy
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Description-Content-Type: text/markdown

{description}"""
WHEEL = """Wheel-Version: 1.0
Generator: dlc (tools/package.sh)
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""


def wheel_entries(tree):
    """Programs go where pip puts scripts, the rest below the environment's prefix, where programs look for it."""
    info, data = f"dlc-{version()}.dist-info", f"dlc-{version()}.data"
    for path in tree.files():
        relative = path.relative_to(tree.folder)
        scheme = f"scripts/{path.name}" if relative.parts[0] == "bin" else f"data/{relative}"
        yield f"{data}/{scheme}", path
    for path in python_files():
        yield f"dlc/{path.relative_to(PYTHON)}", path
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    yield f"{info}/METADATA", METADATA.format(version=version(), summary=SUMMARY, description=readme).encode()
    yield f"{info}/WHEEL", WHEEL.format(platform=platform_of(tree)).encode()
    yield f"{info}/LICENSE", ROOT / "LICENSE"


def platform_of(tree):
    """Which systems a wheel runs on, by PEP 600: the C library's version is what its programs and library ask for."""
    return f"manylinux_{tree.glibc[0]}_{tree.glibc[1]}_{tree.machine}"


def make_wheel(tree, output, time):
    result = output / f"dlc-{version()}-py3-none-{platform_of(tree)}.whl"
    date = max(__import__("time").gmtime(time)[:6], (1980, 1, 1, 0, 0, 0))
    record = []
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        def add(name, source):
            content = source if isinstance(source, bytes) else source.read_bytes()
            info = zipfile.ZipInfo(name, date)
            info.compress_type = zipfile.ZIP_DEFLATED
            # With the bit of a regular file: without it pip leaves programs without the right to run.
            info.external_attr = (stat.S_IFREG | 0o644 if isinstance(source, bytes) else mode_of(source)) << 16
            archive.writestr(info, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append((name, f"sha256={digest}", len(content)))
        for name, source in wheel_entries(tree):
            add(name, source)
        name = f"dlc-{version()}.dist-info/RECORD"
        lines = io.StringIO()
        csv.writer(lines, lineterminator="\n").writerows([*record, (name, "", "")])
        add(name, lines.getvalue().encode())
    return result


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    output.mkdir(parents=True, exist_ok=True)
    tree, time = Tree(build, build / "package" / "tree"), epoch()
    print(f"needs glibc {text(tree.glibc)}; libdlc.so also the C++ library of GCC {GCC.get(tree.libstdcxx, 9)}")
    for make in (make_tar, make_deb, make_wheel):
        path = make(tree, output, time)
        print(f"{path.stat().st_size / 1e6:7.1f} MB  {path}")


if __name__ == "__main__":
    main()
