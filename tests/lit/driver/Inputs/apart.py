"""What a manifest says of tensors that launches hand to each other: a line for each, with bytes and reason.

usage: apart.py MANIFEST FUNCTION
"""
import json
import sys

manifest = json.load(open(sys.argv[1]))
function, = (entry for entry in manifest["functions"] if entry["name"] == sys.argv[2])
for launch in function["launches"]:
    for apart in launch.get("apart", []):
        assert apart["to"] in launch["parts"], apart
        print(f"{apart['from']} -> {apart['to']}, {apart['bytes']}: {manifest['reasons'][apart['why']]}")
