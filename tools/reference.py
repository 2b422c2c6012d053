# SPDX-License-Identifier: Apache-2.0
"""Reference pages made from the tables in the code, so that both say the same."""
import re

ERRORS = "include/quern/errors.def"

# (heading, what it is about, files in which every numeric constant is a limit of that kind)
LIMITS = (
    ("HTTP", "Beyond them the request is refused and its connection closed.", ["src/http/limits.h"]),
    ("Server", "Times, sizes and counts of connections, with their defaults.", ["src/server/options.h"]),
    ("Questions", "Filters, rules, `sort`, `fields`, `expand`: beyond them 400, before any row is read.",
     ["src/query/limits.h"]),
    ("Lists", "Paging.", ["src/api/parameters.h"]),
    ("JSON", "Bodies.", ["src/json/reader.h"]),
    ("Writes", "The writer's queue; beyond it 503 with `Retry-After`.",
     ["src/store/store.h", "src/store/removal.h"]),
    ("Sign-in", "Passwords and tokens.",
     ["src/crypto/password.h", "src/auth/password_pool.h", "src/auth/token.h", "src/auth/credentials.h",
      "src/auth/auth_collection.h"]),
)


def make_errors(tree):
    lines = ["# Errors", "", "Made from the table in the code by `./dev docs`; do not edit.", "",
             'An error is answered as `{"status": …, "message": …, "data": {…}}`. `data` names the inputs at',
             'fault, each with a code that stays and a message for people:',
             '`{"title": {"code": "validation_required", "message": …}}`. The message may say more than the',
             "text below.", "",
             "| kind | status | text |", "|---|---:|---|"]
    for name, status, text in re.findall(r'^QUERN_ERROR\((\w+), (\d+), "(.*)"\)$', tree.texts[ERRORS], re.M):
        lines.append(f"| `{name}` | {status} | {text} |")
    return "\n".join(lines) + "\n"


# Files whose options (members with a default) are limits too.
OPTIONS = ("src/server/options.h", "src/store/store.h")
NO_LIMITS = ("port",)


def constants(path, text):
    """(name, value, comment) of constants, and of options with a default, in the order of the file."""
    comment, before = [], ""
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith("//"):
            comment = comment + [stripped[2:].strip()] if stripped != "//" else []  # the last paragraph only
            continue
        found = re.fullmatch(r"(inline constexpr |static constexpr )?(std::[\w:]+|\w+) (\w+)"
                             r"(?: = ([^;{]+)|\{([^;]*)\});(?:\s*//\s*(.*))?", stripped)
        if found and (found[1] or path in OPTIONS) and found[3] not in NO_LIMITS:
            value, unit = found[4] or found[5] or "", re.search(r"chrono::(milli|micro|)seconds", found[2])
            if re.fullmatch(r"[\w\s:'*+{}()-]+", value) and re.search(r"[1-9]", value):
                said = " ".join(comment) or found[6] or before
                yield found[3], shown(value) + (f" {unit[1]}seconds" if unit else ""), said
                before = "as above"
        elif not stripped:
            before = ""
        comment = []


def shown(value):
    """A value as a number where it is plain arithmetic: digits in groups of three."""
    plain = re.sub(r"std::\w+\{(\d+)\}", r"\1", value).replace("'", "")
    if re.fullmatch(r"[\d\s*+()<-]+", plain):
        return f"{eval(plain):,}".replace(",", " ")  # digits and operators only, see the line above
    return value


def make_limits(tree):
    lines = ["# Limits", "", "Made from the constants in the code by `./dev docs`; do not edit.", "",
             "Everything has a limit, and what exceeds it is refused with an answer that says so; no memory",
             "is taken on the word of an announced size. Options show their defaults."]
    for heading, about, paths in LIMITS:
        rows = [row for path in paths for row in constants(path, tree.texts.get(path, ""))]
        if rows:
            lines += ["", f"## {heading}", "", about, "", "| name | value | meaning |", "|---|---:|---|"]
            lines += [f"| `{name}` | {value} | {said.replace('|', '/')} |" for name, value, said in rows]
    return "\n".join(lines) + "\n"


QUOTE = re.compile(r"(<!-- quoted from (\S+)(?: \[(\w+)\])? -->\n```\w*\n)(.*?)(```\n)", re.S)


def quoted(text, marker):
    """The lines between the two lines `// [marker]`, or all without one; None where they are not there."""
    lines = text.split("\n")[:-1]
    if marker is None:
        return "\n".join(lines) + "\n"
    ends = [number for number, line in enumerate(lines) if line.strip() == f"// [{marker}]"]
    if len(ends) != 2:
        return None
    inner = lines[ends[0] + 1:ends[1]]
    indents = [len(line) - len(line.lstrip()) for line in inner if line]
    return "\n".join(line[min(indents, default=0):] for line in inner) + "\n"


def quote_again(tree, page):
    """A page with its quotations as the quoted files have them now. A quotation is a code block behind the
    line `<!-- quoted from FILE [marker] -->`; one of what is not there says so."""
    def renew(found):
        text = quoted(tree.texts.get(found[2], ""), found[3]) if found[2] in tree.texts else None
        return found[1] + (f"there is no {found[2]} [{found[3]}]\n" if text is None else text) + found[5]
    return QUOTE.sub(renew, page)


def pages_with_quotes(tree):
    return [path for path, text in tree.texts.items() if path.endswith(".md") and QUOTE.search(text)]


PAGES = {"docs/reference/errors.md": make_errors, "docs/reference/limits.md": make_limits}


def check_reference(tree):
    """The pages are what would be written now. Returns the paths of those that are not."""
    if ERRORS not in tree.texts:
        return []
    stale = [path for path, make in PAGES.items() if tree.texts.get(path) != make(tree)]
    return stale + [path for path in pages_with_quotes(tree)
                    if quote_again(tree, tree.texts[path]) != tree.texts[path]
                    or "```cpp\nthere is no " in tree.texts[path]]
