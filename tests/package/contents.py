#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a folder of packages has: the same files in each, rights, checksums, and the C library's version that names promise.

usage: contents.py FOLDER LIBDLC PAGE      LIBDLC: the build's libdlc.so; PAGE: docs/installing.md, which says sizes
"""
import base64
import hashlib
import pathlib
import re
import stat
import subprocess
import sys
import tarfile
import tempfile
import zipfile

EXPECTED = ("bin/dlc", "bin/dlc-describe", "bin/dlc-interpret", "include/dlc/runtime.h", "include/dlc/dlc.h", "lib/libdlc.so",
            "lib/libdlc-runtime.a", "lib/cmake/dlc/dlc-config.cmake", "lib/cmake/dlc/aarch64-linux-gnu.cmake",
            "lib/pkgconfig/dlc-runtime.pc", "lib/pkgconfig/dlc-cpp.pc", "share/dlc/from_pytorch.py", "share/doc/dlc/licences/llvm-22-dev",
            "share/doc/dlc/licences/libprotobuf-dev")


def one(folder, pattern):
    found = list(folder.glob(pattern))
    assert len(found) == 1, f"{pattern}: {found}"
    return found[0]


def of_tar(path):
    with tarfile.open(path) as archive:
        top = archive.getmembers()[0].name
        assert all(member.uid == 0 and member.name.split("/")[0] == top for member in archive)
        return {member.name.split("/", 1)[1]: (member.mode, archive.extractfile(member).read()) for member in archive if member.isfile()}


def of_deb(path):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "--extract", path, folder], check=True)
        usr = pathlib.Path(folder, "usr")
        return {str(file.relative_to(usr)): (stat.S_IMODE(file.stat().st_mode), file.read_bytes())
                for file in usr.rglob("*") if file.is_file()}


def of_wheel(path):
    files = {}
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        record = next(name for name in names if name.endswith(".dist-info/RECORD"))
        lines = {line.rsplit(",", 2)[0]: line.rsplit(",", 2)[1:] for line in archive.read(record).decode().splitlines()}
        assert sorted(lines) == sorted(names), "RECORD names other files"
        for info in archive.infolist():
            content = archive.read(info)
            if info.filename != record:
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                assert lines[info.filename] == [f"sha256={digest}", str(len(content))], info.filename
            assert stat.S_ISREG(info.external_attr >> 16), info.filename
            parts = info.filename.split("/", 2)
            if parts[0].endswith(".data"):
                name = "bin/" + parts[2] if parts[1] == "scripts" else parts[2]
                files[name] = (stat.S_IMODE(info.external_attr >> 16), content)
    return files


def newest_glibc(content):
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        text = subprocess.run(["nm", "-D", "--undefined-only", file.name], check=True, capture_output=True, text=True).stdout
    return max(tuple(map(int, version.split("."))) for version in re.findall(r"@GLIBC_([\d.]+)", text))


def exported(path):
    text = subprocess.run(["nm", "-D", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in text.splitlines()}


def check_exported(content, library):
    """The package's libdlc.so has the build's names of dlc, and none that the build's has not: nothing of LLVM gets out."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        here, there = exported(library), exported(file.name)
    ours = {name for name in here | there if "3dlc" in name or name.startswith("dlc_")}
    assert len(ours) > 100 and ours <= there and there <= here, f"exported differently: {sorted(ours - there | there - here)[:10]}"


def check_sizes(page, sizes):
    """The page's table, within 10 %."""
    said = {name.strip("`"): int(number) for name, number in re.findall(r"^\| (\S+) \| (\d+) \|$", page, re.MULTILINE)}
    assert said.keys() == sizes.keys(), f"the page says sizes of {sorted(said)}, expected {sorted(sizes)}"
    for name, size in sizes.items():
        assert abs(said[name] - size / 1e6) <= 0.1 * size / 1e6, f"{name}: the page says {said[name]} MB, it is {size / 1e6:.1f}"


def main():
    folder = pathlib.Path(sys.argv[1])
    tar, deb, wheel = one(folder, "*.tar.gz"), one(folder, "*.deb"), one(folder, "*.whl")
    files = of_tar(tar)
    for other in (of_deb(deb), of_wheel(wheel)):
        for name, (mode, content) in files.items():
            if name.startswith("share/doc/dlc/LICENSE") or name.startswith("share/dlc/python/"):
                continue # Debian calls it copyright; each system has its own folder for Python
            assert name in other and other[name][1] == content, f"{name} differs between packages"
            assert bool(other[name][0] & 0o111) == bool(mode & 0o111), f"{name} has other rights"
    for name in EXPECTED:
        assert name in files, f"{name} is missing"
    programs = {name: content for name, (mode, content) in files.items() if content[:4] == b"\x7fELF" and name.split("/")[0] != "share"}
    assert all(files[name][0] == 0o755 for name in files if name.startswith("bin/")), "a program that may not run"
    check_exported(files["lib/libdlc.so"][1], sys.argv[2])
    newest = max(newest_glibc(content) for content in programs.values())
    assert newest <= (2, 34), f"the packages ask for glibc {newest}, later than 2.34"
    tag = re.search(r"-py3-none-manylinux_(\d+)_(\d+)_\w+\.whl$", wheel.name)
    assert tag and (int(tag[1]), int(tag[2])) == newest, f"{wheel.name}: glibc {newest}"
    depends = subprocess.run(["dpkg-deb", "--field", deb, "Depends"], check=True, capture_output=True, text=True).stdout.strip()
    assert depends == f"libc6 (>= {newest[0]}.{newest[1]})", depends
    for name, content in programs.items():
        for trace in (b"/usr/lib/llvm", b"/build/lib/libdlc"):
            assert not re.search(trace + rb"[^\0]*\.so", content), f"{name} names a library of the machine that built it"
    sizes = {suffix: path.stat().st_size for suffix, path in ((".tar.gz", tar), (".deb", deb), (".whl", wheel))}
    sizes.update({name: len(files[name][1]) for name in ("bin/dlc", "lib/libdlc.so")})
    sizes["unpacked"] = sum(len(content) for _, content in files.values())
    if "x86_64" in wheel.name:
        check_sizes(pathlib.Path(sys.argv[3]).read_text(encoding="utf-8"), sizes)
    print(f"ok: {len(files)} files, {len(programs)} programs and libraries, glibc {newest[0]}.{newest[1]}")


if __name__ == "__main__":
    main()
