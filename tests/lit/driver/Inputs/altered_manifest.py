"""altered_manifest.py MANIFEST KEY... VALUE: writes MANIFEST's content with another value at KEY... to NAME.altered.json.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys

path, *keys, value = sys.argv[1:]
with open(path) as file:
    manifest = json.load(file)
place = manifest
for key in keys[:-1]:
    place = place[int(key) if isinstance(place, list) else key]
place[int(keys[-1]) if isinstance(place, list) else keys[-1]] = int(value) if value.isdigit() else value
with open(path.replace(".json", ".altered.json"), "w") as file:
    json.dump(manifest, file)
