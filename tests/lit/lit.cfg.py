# How lit runs the tests in this folder: `lit build/tests/lit`, or `lit build/tests/lit/nn` for a part.
import os
import platform
import subprocess

import lit.formats

config.name = "dlc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

# FileCheck, not, split-file come from LLVM; dlc, dlc-opt ... from this build.
config.environment["PATH"] = os.pathsep.join(
    [config.dlc_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
# What dlc remembers of its user is no business of tests.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
config.substitutions.append(("%source_dir", config.dlc_source_dir))
config.substitutions.append(("%binary_dir", config.dlc_binary_dir))
config.substitutions.append(("%cxx", config.cxx))
config.substitutions.append(("%cc", config.cc))
if config.sanitizers:
    config.available_features.add("sanitized")
elif "clang" not in subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout:
    config.available_features.add("precompiled-headers")  # GCC's
# A target that is not this machine's.
on_arm = platform.machine() in ("aarch64", "arm64")
config.substitutions.append(("%other_triple", "x86_64-linux-gnu" if on_arm else "aarch64-linux-gnu"))
