# SPDX-License-Identifier: Apache-2.0
"""The programs of others under bench/rivals: built on demand; one that cannot be is named with the reason."""
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "build/rivals"


def build(names):
    """Builds those named. What came of it is in their status files."""
    if names:
        subprocess.run([ROOT / "bench/rivals/build", *names], check=True)


def status(name):
    try:
        return json.loads((BUILT / name / "status.json").read_text())
    except (OSError, ValueError):
        return {"name": name, "built": False, "reason": "it was not built: bench/rivals/build " + name}


def needed(leg):
    return sorted({contestant.rival for contestant in leg.contestants if contestant.rival})


def drop_absent(leg):
    """Takes the contestants out that cannot run here. Returns them: (name, reason)."""
    absent = []
    for contestant in list(leg.contestants):
        if contestant.rival and not (told := status(contestant.rival))["built"]:
            leg.contestants.remove(contestant)
            absent.append((contestant.name, told.get("reason", "no reason was given")))
    return absent


def versions(leg):
    """What the rivals of a leg are made of: name -> versions and flags."""
    return {name: {"versions": told.get("versions", {}), "flags": told.get("flags", "")}
            for name in needed(leg) if (told := status(name))["built"]}
