"""`make reset`: wipes what the product keeps in the home folder, uploaded files too, after asking."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from scripts.paths import ROOT
from scripts.run import AlreadyRuns, exclusive

# The caches of the set-up hold no data of the product.
KEPT = {"cache", "lock"}


def main(arguments: list[str]) -> int:
    """Run the command; `--yes` does not ask. Exit status 1 if Socio runs, the answer is no or DATABASE_URL is set."""
    if os.environ.get("DATABASE_URL"):
        # That database would stay, without the files and the keys that belong to it.
        print("DATABASE_URL is set, and reset would leave that database as it is: unset it first.", file=sys.stderr)
        return 1
    home = Path(os.environ.get("SOCIO_HOME") or ROOT / ".socio").absolute()
    doomed = [path for path in home.glob("*") if path.name not in KEPT]
    if not doomed:
        print(f"There is nothing to delete in {home}.")
        return 0
    try:
        with exclusive(home):
            if "--yes" not in arguments and not _confirmed(home):
                print("Nothing was deleted.")
                return 1
            for path in doomed:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    except AlreadyRuns as refusal:
        print(f"{refusal} Stop it first.", file=sys.stderr)
        return 1
    print("Done. The next start begins with an empty database, no files and new keys.")
    return 0


def _confirmed(home: Path) -> bool:
    question = f"Delete the database, the uploaded files, the keys and the mails in {home}? Type 'yes': "
    try:
        return input(question).strip().lower() == "yes"
    except EOFError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
