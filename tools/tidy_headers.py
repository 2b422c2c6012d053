# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone. Headers whose text, and the text of all they include, is known to be good are
not compiled again: their hash is kept in build/tidy/headers.txt."""
import hashlib
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tidy_rules import Problem, includes

FLAGS = ("-std=c++23 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor "
         "-Wold-style-cast -Woverloaded-virtual -Werror -pthread -DQUERN_ALONE").split()
INCLUDE_DIRECTORIES = ["-Isrc", "-Iinclude", "-isystem", "build/sqlite"]


def resolve(tree, included):
    for folder in ("src/", "include/"):
        if folder + included in tree.texts:
            return folder + included
    return None


def closure(tree, path, seen):
    """All files of the tree that `path` brings along, itself included."""
    if path in seen:
        return
    seen.add(path)
    for _, included, _ in includes(tree.texts[path]):
        target = resolve(tree, included)
        if target:
            closure(tree, target, seen)


def digest(tree, path, compiler):
    files = set()
    closure(tree, path, files)
    hashed = hashlib.sha256(" ".join([compiler, *FLAGS]).encode())
    for file in sorted(files):
        hashed.update(file.encode() + b"\0" + tree.texts[file].encode() + b"\0")
    return hashed.hexdigest()


def compile_alone(tree, path):
    name = path.split("/", 1)[1]
    ran = subprocess.run(["g++", *FLAGS, *INCLUDE_DIRECTORIES, "-include", name, "-x", "c++", "/dev/null"],
                         cwd=tree.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode == 0:
        return None
    first = next((line for line in ran.stdout.splitlines() if "error" in line), "g++ failed")
    return Problem(path, 1, f"does not compile alone: {first}")


def check_headers(tree):
    headers = [path for path in tree.texts
               if path.endswith(".h") and path.startswith(("src/", "include/"))]
    compiler = subprocess.run(["g++", "-dumpfullversion"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
    kept = tree.root / "build/tidy/headers.txt"
    good = set(kept.read_text().split()) if kept.exists() else set()
    digests = {path: digest(tree, path, compiler.strip()) for path in headers}
    todo = [path for path in headers if digests[path] not in good]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = dict(zip(todo, pool.map(lambda path: compile_alone(tree, path), todo)))
    kept.parent.mkdir(parents=True, exist_ok=True)
    fresh = kept.with_suffix(".tmp")
    fresh.write_text("".join(f"{digests[path]}\n" for path in headers if problems.get(path) is None))
    os.replace(fresh, kept)
    return [problem for problem in problems.values() if problem]
