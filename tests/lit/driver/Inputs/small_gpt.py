"""GPT-2's nodes, so many layers of them, with little weight.

usage: small_gpt.py FILE LAYERS POSITIONS
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "docs" / "examples" / "models"))
import write_transformer  # noqa: E402

model = write_transformer.gpt(1, vocabulary=96, layers=int(sys.argv[2]), width=48, heads=12, window=int(sys.argv[3]))
Path(sys.argv[1]).write_bytes(model)
