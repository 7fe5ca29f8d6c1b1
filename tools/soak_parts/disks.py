# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that cannot grow any further (RLIMIT_FSIZE), and full disks: a tmpfs of few pages, where this user may mount
one."""
import resource
import shutil
import signal

from .core import Part, Wrong, ended
from .subjects import SUBJECTS

MOUNTED = 'mount -t tmpfs -o size=%dk tmpfs "$0/out" && "$@"; status=$?; cp -a "$0/out" "$0/kept"; exit $status'


class Disks(Part):
    name = "disks"

    def prepare(self):
        self.subjects = [kind(self) for kind in SUBJECTS]
        folder = self.clean("probe")
        (folder / "out").mkdir()
        self.mounts = bool(shutil.which("unshare")) and ended(
            ["unshare", "-m", "sh", "-c", MOUNTED % 4, folder, "true"]).status == 0
        if not self.mounts:
            print("disks: no file system can be mounted here: only the size of files is limited")

    def case(self, number, random):
        subject = random.choice(self.subjects)
        folder = self.clean("case")
        command = subject.command(folder)
        largest = max((folder / "../expected/out").rglob("*"), key=lambda path: path.stat().st_size).stat().st_size
        if self.mounts and random.random() < 0.5 and subject.name != "program":
            kilobytes = 4 * random.randrange(1, 2 + 3 * largest // 4096)
            (folder / "out").mkdir()
            end = ended(["unshare", "-m", "sh", "-c", MOUNTED % kilobytes, folder, *command], cwd=folder)
            (folder / "out").rmdir()
            (folder / "kept").rename(folder / "out")
            how = f"a disk of {kilobytes} KiB"
            if end.status != 0 and not any((folder / "out").iterdir()):
                (folder / "out").rmdir()  # it is the disk's
        else:
            size = random.randrange(0, largest + largest // 8)
            how = f"files of at most {size} bytes"

            def limit():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            end = ended(command, cwd=folder, preexec_fn=limit)
        if self.plant("leftover"):
            (folder / "out").mkdir(exist_ok=True)
            (folder / "out/.dlc-0.new").write_text("half")
        try:
            subject.check(folder, end)
        except Wrong as wrong:
            raise Wrong(f"with {how}: {wrong}") from None
        self.counts[f"{subject.name}: {'success' if end.status == 0 else 'an error'}"] += 1
