#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names and versions of the C library's functions, for GlibcNames.inc: what --emit=shared links with.

usage: glibc_names.py [--cc=gcc]                prints the list, made of this machine's headers and libraries (x86-64, glibc)
       glibc_names.py --check LIST FOLDER...    says which entries of LIST the libraries in a folder do not have

A name's version never changes once a glibc is released, and later ones keep it. So the check holds with any glibc that is
as new as the list or newer, and the list is made anew only for functions that it lacks.
"""
import os
import re
import subprocess
import sys

HEADERS = """assert complex ctype dirent dlfcn errno fcntl fenv float inttypes limits locale malloc math poll pthread
    sched semaphore setjmp signal stdio stdlib string strings sys/auxv sys/file sys/ioctl sys/mman sys/random sys/resource
    sys/select sys/stat sys/syscall sys/sysinfo sys/time sys/types sys/uio sys/utsname sys/wait time unistd wchar wctype""".split()
# What macros of these headers, and compilers, call; and variables.
BEHIND = """__assert_fail __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __cxa_atexit __cxa_finalize
    __cxa_thread_atexit_impl __errno_location __finite __finitef __fpclassify __fpclassifyf __getdelim __isinf __isinff __isnan
    __isnanf __isoc99_fscanf __isoc99_sscanf __sched_cpualloc __sched_cpucount __sched_cpufree __signbit __signbitf __sigsetjmp
    __stack_chk_fail __tls_get_addr bcmp environ stderr stdin stdout""".split()
LIBRARIES = {"libc.so.6": ["libc.so.6"], "libm.so.6": ["libm.so.6"], "ld.so": ["ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"]}
OTHER_TYPES = re.compile(r"f(16|32|64|128)x?(_r|_l)?$")  # cosf128 and the like
ENTRY = re.compile(r'DLC_GLIBC_NAMES\("([^"]+)", "GLIBC_2\.([\d.]+)",\s*((?:"[^"]*"\s*)+)\)')
START = {"x86_64": (2, 2, 5), "aarch64": (2, 17)}  # glibc's first release for an architecture


def number(version):
    return tuple(int(part) for part in version.removeprefix("GLIBC_").split("."))


def exported(path):
    """Pairs of a name and a version, and whether it is the one that a linker takes."""
    lines = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    for line in lines.splitlines():
        address, kind, name = line.split()[-3:]
        if kind != "A" and "@GLIBC_2" in name:
            yield name.split("@")[0], "GLIBC_" + name.split("@GLIBC_")[1], "@@" in name


def path_of(folders, library):
    for name in LIBRARIES[library]:
        for folder in folders:
            if os.path.exists(os.path.join(folder, name)):
                return os.path.join(folder, name)
    return None


def print_list(compiler):
    source = "".join(f"#include <{header}.h>\n" for header in HEADERS)
    text = subprocess.run([compiler, "-E", "-P", "-D_GNU_SOURCE", "-x", "c", "-"], input=source, capture_output=True,
                          text=True, check=True).stdout
    declared = {name for name in re.findall(r"\b(\w+)\s*\(", text) if not name.startswith("__") and not OTHER_TYPES.search(name)}
    declared.update(BEHIND)
    groups = {}
    for library in LIBRARIES:
        for name, version, is_default in exported(path_of(["/lib/x86_64-linux-gnu", "/lib64"], library)):
            if is_default and name in declared:
                groups.setdefault((library, version), []).append(name)
    print("// Made by glibc_names.py: functions and variables of glibc 2.36, by library and version.")
    for library, version in sorted(groups, key=lambda group: (list(LIBRARIES).index(group[0]), number(group[1]))):
        print(f'DLC_GLIBC_NAMES("{library}", "{version}",')
        line = ""
        for name in sorted(groups[library, version]):
            if len(line) + len(name) > 100:
                print(f'                "{line}"')
                line = ""
            line += name + " "
        print(f'                "{line.rstrip()}")')


def check(path, folders):
    with open(path, encoding="utf-8") as file:
        entries = ENTRY.findall(file.read())
    missing, count = [], 0
    for library, minor, names in entries:
        found = path_of(folders, library)
        if found is None:
            sys.exit(f"skipped: no {library} in {' '.join(folders)}")
        first = START["aarch64" if "aarch64" in found else "x86_64"]
        version = "GLIBC_" + ".".join(map(str, max(number("2." + minor), first)))
        there = {(name, which) for name, which, _ in exported(found)}
        for name in "".join(re.findall(r'"([^"]*)"', names)).split():
            count += 1
            if (name, version) not in there:
                missing.append(f"{found} has no {name} of {version}")
    print("\n".join(missing) if missing else f"ok: {count} names")
    return bool(missing) or count == 0


def main(arguments):
    if arguments[:1] == ["--check"] and len(arguments) > 2:
        return check(arguments[1], arguments[2:])
    if not arguments or arguments[0].startswith("--cc="):
        return print_list(arguments[0].removeprefix("--cc=") if arguments else "gcc")
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
