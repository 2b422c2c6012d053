#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What must not compile. Each file of tests/compile_fail says in `// expect: TEXT` what the compiler's
errors hold; one that says nothing is a control and must compile. Prints "N passed, N failed"."""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests/compile_fail"
COMMAND = [os.environ.get("CXX", "g++"), "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra",
           f"-I{ROOT / 'include'}"]


def judge(case):
    """What is wrong with the case, or None."""
    expected = re.search(r"^// expect: (.+)$", case.read_text(), re.MULTILINE)
    ran = subprocess.run([*COMMAND, str(case)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         env={**os.environ, "LC_ALL": "C"})
    errors = [line for line in ran.stdout.splitlines() if "error:" in line]
    if expected is None:
        return None if ran.returncode == 0 else f"must compile, but: {(errors or ['it failed'])[0]}"
    if ran.returncode == 0:
        return "compiles, and must not"
    if expected[1] not in ran.stdout:
        return f"expected '{expected[1]}', got: {(errors or ['no error'])[0]}"
    return None


def main(names):
    cases = sorted(CASES.glob("*.cpp"))
    if names:
        cases = [case for case in cases if any(name in case.stem for name in names)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = list(zip(cases, pool.map(judge, cases)))
    failed = 0
    for case, wrong in verdicts:
        if wrong:
            failed += 1
            print(f"FAILED {case.stem}: {wrong}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
