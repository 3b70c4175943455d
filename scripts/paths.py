"""Where things lie in the checkout, spelled once."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "supabase" / "config.toml"
NODE_MODULES = ROOT / "node_modules"
