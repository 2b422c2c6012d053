# SPDX-License-Identifier: Apache-2.0
"""The rules that need only the text of the files. One function a rule; `check_tree` lists them."""
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import reference

LINE_COLUMNS_MAX = 110
FILE_LINES_MAX = 600
FILE_LINES_MAX_TABLE = 1200  # tests, and tables by name
FUNCTION_LINES_MAX = 70
FUNCTION_LINES_MAX_TEST = 140
BLOB_BYTES_MAX = 256 * 1024
BLOB_EXEMPT = {"tests/http/cases.jsonl"}
TODO_KINDS = ("later", "perf", "test", "docs")
RATCHET = "tools/tidy_ratchet.txt"


@dataclass(frozen=True, order=True)
class Problem:
    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


@dataclass
class Tree:
    """The files under check, by path relative to the root: texts of the text files, sizes of all."""

    root: Path
    texts: dict = field(default_factory=dict)
    sizes: dict = field(default_factory=dict)

    @staticmethod
    def of_checkout(root):
        tree = Tree(Path(root))
        for path in listed(tree.root):
            file = tree.root / path
            if not file.is_file() or file.is_symlink():
                continue
            data = file.read_bytes()
            tree.sizes[path] = len(data)
            if b"\0" in data:
                continue
            try:
                tree.texts[path] = data.decode("utf-8")
            except UnicodeDecodeError:
                pass
        return tree

    @staticmethod
    def of_texts(texts):
        """A tree made of {path: text}, for the tests of the rules."""
        return Tree(Path("/"), dict(texts), {path: len(text.encode()) for path, text in texts.items()})


def listed(root):
    """What git knows or would add. Outside a repository, everything but what is made."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"]
    ran = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if ran.returncode == 0:
        return sorted(set(filter(None, ran.stdout.decode().split("\0"))))
    made = {".git", "build", "data", "node_modules", "__pycache__", ".cache"}
    return sorted(path for path in (file.relative_to(root).as_posix() for file in root.rglob("*"))
                  if not made & set(path.split("/")))


def is_cpp(path):
    return path.endswith((".h", ".cpp"))


def is_test(path):
    return (path.startswith(("tests/", "fuzz/", "src/engine/conformance/"))
            or re.search(r"_test\.\w+$|/test_\w+\.h$", path) is not None)


def is_script(path, text):
    return path.endswith(".py") or text.startswith("#!")


def lines_of(text):
    return text.split("\n")


# --- the order of the rooms --------------------------------------------------------------------------------


def rooms(tree):
    """{room: rooms it may use}, and the problems of the table itself."""
    path = "src/rooms.txt"
    table, problems, order = {}, [], []
    for number, line in enumerate(lines_of(tree.texts.get(path, "")), 1):
        found = re.fullmatch(r"([a-z/]+) *: *(.*)", line)
        if found:
            order.append((found[1], number))
            table[found[1]] = set(found[2].split())
    below = set()
    for room, number in reversed(order):
        for used in sorted(table[room] - below):
            message = f"{room} may not use {used}, which does not stand below it"
            problems.append(Problem(path, number, message))
        below.add(room)
    return table, problems


def room_of(path, table):
    """The innermost room of the table that holds `path` (relative to src/), or None."""
    parts = path.split("/")[:-1]
    while parts:
        if "/".join(parts) in table:
            return "/".join(parts)
        parts.pop()
    return None


def includes(text):
    """(line number, path, quoted?) of each #include."""
    for number, line in enumerate(lines_of(text), 1):
        found = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', line)
        if found:
            yield number, found[1] or found[2], found[1] is not None


def rooms_of_tests(tree, table):
    """{room: rooms that its tests may use as well}, from quern_test_links_* in cmake/dependencies.cmake."""
    by_target = {"quern_" + room.replace("/", "_"): room for room in table}
    more = {}
    text = tree.texts.get("cmake/dependencies.cmake", "")
    for own, targets in re.findall(r"set\(quern_test_links_(\w+) ([^)]*)\)", text):
        linked = {by_target[target] for target in targets.split() if target in by_target}
        more[by_target.get("quern_" + own)] = linked.union(*(table[room] for room in linked))
    return more


def check_include_order(tree):
    table, problems = rooms(tree)
    more = rooms_of_tests(tree, table)
    for path, text in tree.texts.items():
        if not path.startswith("src/") or not path.endswith((".h", ".cpp", ".inc")):
            continue
        own = room_of(path[4:], table)
        if own is None:
            problems.append(Problem(path, 1, "stands in no room of src/rooms.txt"))
            continue
        for number, included, quoted in includes(text):
            if not quoted:
                continue
            if "src/" + included not in tree.texts:
                if "/" in included or not included.endswith(".inc"):  # generated tables have no directory
                    problems.append(Problem(path, number, f"no such file under src/: {included}"))
                continue
            room = room_of(included, table)
            allowed = table[own] | (more.get(own, set()) if is_test(path) else set())
            if room != own and room not in allowed:
                problems.append(Problem(path, number, f"{own} may not include {room} ({included})"))
    return problems


def check_public_door(tree):
    problems = []
    for path, text in tree.texts.items():
        if path.startswith("include/"):
            for number, included, quoted in includes(text):
                if quoted:
                    problems.append(Problem(path, number, "a public header includes nothing from src/"))
    return problems


# Libraries that only one room opens. The room's header is the door for everybody else.
LIBRARY_DOORS = {
    r"simdjson\.h": ("json",),
    r"sqlite3\.h": ("engine/sqlite",),
    r"sodium\.h|openssl/.*": ("crypto",),
    r"curl/.*": ("app",),
    r"re2/.*": ("schema", "library"),
    r"xxhash\.h": ("api",),
    r"libdeflate\.h|zlib\.h": ("http",),
    r"CLI/.*|spdlog/.*": ("app",),
}


def check_library_doors(tree):
    table, _ = rooms(tree)
    problems = []
    for path, text in tree.texts.items():
        if not path.startswith("src/") or not is_cpp(path) or is_test(path):
            continue
        own = room_of(path[4:], table)
        for number, included, quoted in includes(text):
            for pattern, doors in LIBRARY_DOORS.items():
                if not quoted and re.fullmatch(pattern, included) and own not in doors:
                    message = f"<{included}> is opened by {', '.join(doors)} only"
                    problems.append(Problem(path, number, message))
    return problems


# --- the outside world is os/ ------------------------------------------------------------------------------

SYSTEM_HEADERS = re.compile(
    r"(sys|netinet|arpa|linux)/.*|(unistd|fcntl|poll|signal|pthread|sched|dirent|netdb|termios)\.h")

# (what is matched, what is said, rooms that may). Checked on code without comments and literals.
OUTSIDE_WORLD = (
    (re.compile(r"\bf(re)?open\s*\(|\b[io]?fstream\b|(?<![\w>])::open\s*\("), "files are opened by os only",
     ("os",)),
    (re.compile(r"\bfilesystem::(?!path\b)\w+|\bfs::(?!path\b)\w+"), "the file system is touched by os only",
     ("os",)),
    (re.compile(r"\b(system|steady|high_resolution)_clock::now\b"), "time comes in as an argument", ("os",)),
    (re.compile(r"\brandom_device\b|\bs?rand\s*\("), "randomness comes in as an argument", ("os", "crypto")),
    (re.compile(r"\b(secure_)?getenv\s*\("), "the environment is read by app only", ("app", "os")),
)


def check_outside_world(tree):
    table, _ = rooms(tree)
    problems = []
    for path, text in tree.texts.items():
        if not path.startswith("src/") or not is_cpp(path) or is_test(path):
            continue
        own = room_of(path[4:], table)
        if own != "os":
            for number, included, quoted in includes(text):
                if not quoted and SYSTEM_HEADERS.fullmatch(included):
                    message = f"system calls live in os, not in {own} (<{included}>)"
                    problems.append(Problem(path, number, message))
        for number, line in enumerate(lines_of(code_only(text)), 1):
            for pattern, message, allowed in OUTSIDE_WORLD:
                if own not in allowed and pattern.search(line):
                    problems.append(Problem(path, number, message))
    return problems


# --- the form of a file ------------------------------------------------------------------------------------


def check_form(tree):
    problems = []
    for path, text in tree.texts.items():
        script = is_script(path, text)
        lines = lines_of(text)
        if is_cpp(path) and lines[0] != "// SPDX-License-Identifier: Apache-2.0":
            problems.append(Problem(path, 1, "the first line is the licence tag"))
        if script and "SPDX-License-Identifier: Apache-2.0" not in "\n".join(lines[:2]):
            problems.append(Problem(path, 1, "the licence tag is missing in the first two lines"))
        if path.endswith(".h") and "#pragma once" not in lines:
            problems.append(Problem(path, 1, "#pragma once is missing"))
        written = (".cmake", "CMakeLists.txt", "rooms.txt", ".md", ".def")
        if not (is_cpp(path) or script or path.endswith(written)):
            continue
        if text and not text.endswith("\n"):
            problems.append(Problem(path, len(lines), "the last line does not end"))
        for number, line in enumerate(lines, 1):
            if line != line.rstrip():
                problems.append(Problem(path, number, "white space at the end of the line"))
            if "\t" in line:
                problems.append(Problem(path, number, "a tab"))
            if (is_cpp(path) or script or path.endswith(".cmake")) and len(line) > LINE_COLUMNS_MAX:
                problems.append(Problem(path, number, f"{len(line)} columns, at most {LINE_COLUMNS_MAX}"))
    return problems


def check_blobs(tree):
    return [Problem(path, 1, f"{size} bytes, at most {BLOB_BYTES_MAX}")
            for path, size in tree.sizes.items() if size > BLOB_BYTES_MAX and path not in BLOB_EXEMPT]


def check_todo(tree):
    problems = []
    word = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b(\((\w+)\):)?")
    for path, text in tree.texts.items():
        if not (is_cpp(path) or is_script(path, text) or path.endswith((".cmake", ".def", ".inc"))):
            continue
        for number, line in enumerate(lines_of(text), 1):
            found = word.search(line)
            if found and (found[1] != "TO" "DO" or found[3] not in TODO_KINDS):
                message = "an open end is written TO" f"DO(kind): with kind {', '.join(TODO_KINDS)}"
                problems.append(Problem(path, number, message))
    return problems


# A path that exists on one person's machine only.
PRIVATE_PATH = re.compile(r"(?<![\w.~/}])/(root|home|Users|work|workspace|builds)/[\w.]")


def check_private_paths(tree):
    problems = []
    for path, text in tree.texts.items():
        if path == "LICENSE" or path.startswith("tests/http/"):
            continue
        for number, line in enumerate(lines_of(text), 1):
            if PRIVATE_PATH.search(line):
                problems.append(Problem(path, number, "a path that exists on one machine only"))
    return problems


# --- prose -------------------------------------------------------------------------------------------------


NAMED_FILE = re.compile(r"`((?:src|tools|tests|bench|cmake|docs|include|examples)/[\w./-]+)`")


def check_links(tree):
    """Relative links in Markdown, and files of the tree named in back quotes, lead somewhere."""
    problems = []
    known = set(tree.sizes)
    for path in tree.sizes:
        parts = path.split("/")
        known.update("/".join(parts[:count]) for count in range(1, len(parts)))
    for path, text in tree.texts.items():
        if not path.endswith(".md"):
            continue
        folder = path.split("/")[:-1]
        for number, line in enumerate(lines_of(text), 1):
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:|#", target):
                    continue
                parts = list(folder)
                for part in target.split("#")[0].rstrip("/").split("/"):
                    if part == "..":
                        if parts:
                            parts.pop()
                    elif part != ".":
                        parts.append(part)
                if "/".join(parts) not in known:
                    problems.append(Problem(path, number, f"the link leads nowhere: {target}"))
            for target in NAMED_FILE.findall(line):
                if target.rstrip("/") not in known:
                    problems.append(Problem(path, number, f"there is no {target}"))
    return problems


def is_built(tree, path):
    """Whether the everyday build compiles this .cpp: a test of a room, or an example that the tree lists."""
    if path.startswith("src/"):
        return path.endswith("_test.cpp")
    parts = path.split("/")
    if parts[0] != "examples" or len(parts) != 3:
        return False
    listed_there = f"add_subdirectory({parts[1]})" in tree.texts.get("examples/CMakeLists.txt", "")
    return listed_there and parts[2] in tree.texts.get(f"examples/{parts[1]}/CMakeLists.txt", "")


def check_examples(tree):
    """`Example: FILE [marker]` in a public header names a marked part of a program that is built."""
    problems = []
    for path, text in tree.texts.items():
        if not path.startswith("include/"):
            continue
        for number, line in enumerate(lines_of(text), 1):
            word = re.search(r"//\s*Example:(.*)", line)
            if not word:
                continue
            target = re.fullmatch(r"\s*(\S+\.cpp) \[(\w+)\]", word[1])
            if not target:
                problems.append(Problem(path, number, "an example is written FILE.cpp [marker]"))
            elif target[1] not in tree.texts or not is_built(tree, target[1]):
                problems.append(Problem(path, number, f"no example is built from {target[1]}"))
            elif reference.quoted(tree.texts[target[1]], target[2]) is None:
                problems.append(Problem(path, number, f"{target[1]} has no part [{target[2]}]"))
    return problems


def check_reference_pages(tree):
    return [Problem(path, 1, "is not what the code's tables say; ./dev docs writes it anew")
            for path in reference.check_reference(tree)]


# --- lengths -----------------------------------------------------------------------------------------------


def code_only(text):
    """The text with comments and literals blanked out, line for line."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"([^\s()\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def functions(text):
    """(first line, name, length in lines) of each function body. Counts braces, no parser."""
    stack, found = [], []
    code = re.sub(r"(?m)^[ \t]*#(?:.*\\\n)*.*$", lambda match: "\n" * match[0].count("\n"), code_only(text))
    head, number, depth_function = "", 1, 0
    for index, character in enumerate(code):
        if character == "\n":
            number += 1
        if character == "{":
            before = code[index - 1] if index else " "
            if re.match(r"[\w>]", before):  # a value in braces; the head goes on behind it
                kind = "value"
            elif depth_function:
                kind = "block"
            elif ")" in head and not re.match(r"\s*(namespace|extern)\b", head):
                kind = "function"
                depth_function += 1
            else:
                kind = "scope"
            stack.append((kind, number, head))
            if kind != "value":
                head = ""
        elif character == "}" and stack:
            kind, start, start_head = stack.pop()
            if kind == "function":
                depth_function -= 1
                name = re.findall(r"([\w:~]+)\s*\(", start_head)
                found.append((start, name[0] if name else "?", number - start + 1))
            head = start_head + "{}" if kind == "value" else ""
        elif character == ";":
            if not stack or stack[-1][0] != "value":
                head = ""
        else:
            head += character
    return found


def measures(tree):
    """(key in the ratchet, path, line, what, value, limit) of everything that has a length."""
    for path, text in tree.texts.items():
        if not (is_cpp(path) or is_script(path, text) or path.endswith((".inc", ".def"))):
            continue
        table = is_test(path) or path.endswith((".inc", ".def"))
        length = text.count("\n")
        yield path, path, 1, "lines", length, FILE_LINES_MAX_TABLE if table else FILE_LINES_MAX
        if is_cpp(path):
            limit = FUNCTION_LINES_MAX_TEST if is_test(path) else FUNCTION_LINES_MAX
            for line, name, count in functions(text):
                yield f"{path}::{name}", path, line, f"lines in {name}", count, limit


def check_lengths(tree):
    allowed, problems, used = {}, [], set()
    for number, line in enumerate(lines_of(tree.texts.get(RATCHET, "")), 1):
        if line and not line.startswith("#"):
            key, value = line.rsplit(" ", 1)
            allowed[key] = (int(value), number)
    for key, path, line, what, value, limit in measures(tree):
        if key in allowed:
            limit_here, number = allowed[key]
            used.add(key)
            if value > limit_here:
                problems.append(Problem(path, line, f"{value} {what}, was {limit_here} and may only shrink"))
            elif value <= limit:
                problems.append(Problem(RATCHET, number, f"{key} keeps the limit now, take it off the list"))
        elif value > limit:
            problems.append(Problem(path, line, f"{value} {what}, at most {limit}"))
    for key in allowed.keys() - used:
        problems.append(Problem(RATCHET, allowed[key][1], f"there is no {key}"))
    return problems


RULES = (check_include_order, check_public_door, check_library_doors, check_outside_world, check_form,
         check_blobs, check_todo, check_private_paths, check_links, check_examples,
         check_reference_pages, check_lengths)


def check_tree(tree):
    return [problem for rule in RULES for problem in rule(tree)]
