# SPDX-License-Identifier: Apache-2.0
"""Each rule of tidy refuses what it must and lets the rest alone."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import reference  # noqa: E402
import tidy_headers  # noqa: E402
import tidy_rules  # noqa: E402
from tidy_rules import Tree  # noqa: E402

ROOMS = "app : http os base\nhttp : base\nengine/sqlite : base\nos : base\nbase :\n"
TAG = "// SPDX-License-Identifier: Apache-2.0\n"


def found(rule, texts):
    tree = Tree.of_texts({"src/rooms.txt": ROOMS, **texts})
    return [f"{problem.path}:{problem.line}" for problem in rule(tree)]


class Rooms(unittest.TestCase):
    def test_the_table_may_not_point_upwards(self):
        self.assertEqual(found(tidy_rules.check_include_order, {"src/rooms.txt": "base : os\nos :\n"}), [])
        self.assertEqual(found(tidy_rules.check_include_order, {"src/rooms.txt": "os :\nbase : os\n"}),
                         ["src/rooms.txt:2"])

    def test_an_include_follows_the_table(self):
        texts = {
            "src/base/a.h": "",
            "src/http/h.h": '#include "base/a.h"\n#include "http/h2.h"\n#include <vector>\n',
            "src/http/h2.h": "",
            "src/engine/sqlite/s.cpp": '#include "base/a.h"\n#include "http/h.h"\n',
            "src/base/b.cpp": '#include "http/h.h"\n#include "table.inc"\n#include "base/none.h"\n',
        }
        self.assertEqual(found(tidy_rules.check_include_order, texts),
                         ["src/engine/sqlite/s.cpp:2", "src/base/b.cpp:1", "src/base/b.cpp:3"])

    def test_a_test_may_use_the_rooms_that_the_build_links_to_it(self):
        texts = {
            "cmake/dependencies.cmake": "set(quern_test_links_http quern_engine_sqlite)\n",
            "src/engine/sqlite/s.h": "",
            "src/os/o.h": "",
            "src/http/h_test.cpp": '#include "engine/sqlite/s.h"\n#include "os/o.h"\n',
            "src/http/h.cpp": '#include "engine/sqlite/s.h"\n',
        }
        self.assertEqual(found(tidy_rules.check_include_order, texts),
                         ["src/http/h_test.cpp:2", "src/http/h.cpp:1"])

    def test_a_file_outside_every_room(self):
        self.assertEqual(found(tidy_rules.check_include_order, {"src/attic/a.cpp": ""}),
                         ["src/attic/a.cpp:1"])

    def test_a_public_header_includes_nothing_of_ours(self):
        self.assertEqual(found(tidy_rules.check_public_door, {"include/quern/a.h": '#include "base/a.h"\n'}),
                         ["include/quern/a.h:1"])

    def test_a_library_has_one_door(self):
        include = "#include <sqlite3.h>\n"
        texts = {"src/http/a.cpp": include, "src/engine/sqlite/a.cpp": include}
        self.assertEqual(found(tidy_rules.check_library_doors, texts), ["src/http/a.cpp:1"])


class OutsideWorld(unittest.TestCase):
    def found(self, text, path="src/http/a.cpp"):
        return found(tidy_rules.check_outside_world, {path: text})

    def test_system_headers(self):
        self.assertEqual(self.found("#include <sys/socket.h>\n"), ["src/http/a.cpp:1"])
        self.assertEqual(self.found("#include <sys/socket.h>\n", "src/os/a.cpp"), [])
        self.assertEqual(self.found("#include <sys/socket.h>\n", "src/http/a_test.cpp"), [])

    def test_files_time_and_chance(self):
        for line in ("std::ofstream f(name);", "std::fopen(name, mode);", "auto f = ::open(name);",
                     "std::filesystem::remove(path);", "std::chrono::steady_clock::now();",
                     "std::random_device r;", "std::getenv(name);"):
            self.assertEqual(self.found(line + "\n"), ["src/http/a.cpp:1"], line)
        for line in ("std::filesystem::path p;", "Store::open(p);", "// std::fopen(name)",
                     'f("std::fopen(");', "steady_clock::time_point at;"):
            self.assertEqual(self.found(line + "\n"), [], line)


class Form(unittest.TestCase):
    def found(self, path, text):
        return found(tidy_rules.check_form, {path: text})

    def test_licence_and_pragma(self):
        self.assertEqual(self.found("src/http/a.h", TAG + "#pragma once\n"), [])
        self.assertEqual(self.found("src/http/a.h", TAG), ["src/http/a.h:1"])
        self.assertEqual(self.found("src/http/a.cpp", "int a;\n"), ["src/http/a.cpp:1"])
        self.assertEqual(self.found("run", "#!/bin/sh\nls\n"), ["run:1"])

    def test_lines(self):
        columns = tidy_rules.LINE_COLUMNS_MAX
        self.assertEqual(self.found("src/http/a.cpp", TAG + "é" * columns + "\n"), [])
        self.assertEqual(self.found("src/http/a.cpp", TAG + "a" * (columns + 1) + "\n"),
                         ["src/http/a.cpp:2"])
        self.assertEqual(self.found("src/http/a.cpp", TAG + "a \n\tb\n"),
                         ["src/http/a.cpp:2", "src/http/a.cpp:3"])
        self.assertEqual(self.found("src/http/a.cpp", TAG + "a"), ["src/http/a.cpp:2"])

    def test_open_ends_have_a_kind(self):
        rule = tidy_rules.check_todo
        self.assertEqual(found(rule, {"src/http/a.cpp": "// TO" "DO(perf): faster\n"}), [])
        bad = "// TO" "DO: faster\n// FIX" "ME\n// TO" "DO(now): x\n"
        self.assertEqual(found(rule, {"src/http/a.cpp": bad}),
                         ["src/http/a.cpp:1", "src/http/a.cpp:2", "src/http/a.cpp:3"])

    def test_paths_of_one_machine(self):
        rule = tidy_rules.check_private_paths
        self.assertEqual(found(rule, {"a.md": "see /ho" "me/ann/x\n"}), ["a.md:1"])
        self.assertEqual(found(rule, {"a.md": "see https://example.org/ho" "me/ann and src/ho" "me/x\n"}), [])

    def test_blobs(self):
        tree = Tree(Path("/"), {}, {"a.bin": tidy_rules.BLOB_BYTES_MAX + 1, "b.bin": 1})
        self.assertEqual([problem.path for problem in tidy_rules.check_blobs(tree)], ["a.bin"])

    def test_links(self):
        page = "[b](b.md) [up](../c.md#x) [no](d.md) [web](https://example.org) `src/" "no.cpp`\n"
        texts = {"docs/a.md": page, "docs/b.md": "", "c.md": ""}
        self.assertEqual(found(tidy_rules.check_links, texts), ["docs/a.md:1", "docs/a.md:1"])


class ExamplesInHeaders(unittest.TestCase):
    BUILT = {"examples/CMakeLists.txt": "add_subdirectory(shop)\n",
             "examples/shop/CMakeLists.txt": "add_executable(shop main.cpp)\n",
             "examples/shop/main.cpp": "// [part]\nint a;\n// [part]\n// [open]\n",
             "examples/old/CMakeLists.txt": "add_executable(old main.cpp)\n",
             "examples/old/main.cpp": "// [part]\nint a;\n// [part]\n",
             "src/http/a_test.cpp": "    // [part]\n    int a;\n    // [part]\n",
             "src/http/a.cpp": "// [part]\nint a;\n// [part]\n"}

    def found(self, line, path="include/quern/a.h"):
        return found(tidy_rules.check_examples, {**self.BUILT, path: "\n" + line + "\n"})

    def test_a_part_that_is_built_is_an_example(self):
        self.assertEqual(self.found("// Example: examples/shop/main.cpp [part]"), [])
        self.assertEqual(self.found("    // Example:  src/http/a_test.cpp [part]"), [])
        self.assertEqual(self.found("// Example: whatever", "src/http/b.h"), [])

    def test_what_is_not_there_or_not_built_is_none(self):
        for line in ("// Example: examples/shop/main.cpp [none]", "// Example: examples/shop/main.cpp [open]",
                     "// Example: examples/shop/other.cpp [part]", "// Example: examples/old/main.cpp [part]",
                     "// Example: src/http/a.cpp [part]", "// Example: examples/shop/main.cpp",
                     "// Example: f(1)", "// Example:"):
            self.assertEqual(self.found(line), ["include/quern/a.h:2"], line)


class Reference(unittest.TestCase):
    def test_a_page_that_lags_behind_is_found(self):
        texts = {"include/quern/errors.def": 'QUERN_ERROR(timeout, 503, "Too long.")\n',
                 "src/http/limits.h": "// Of a line.\ninline constexpr std::size_t line_max = 8 * 1'024;\n"}
        tree = Tree.of_texts(texts)
        for path, make in reference.PAGES.items():
            tree.texts[path] = make(tree)
        self.assertIn("| `timeout` | 503 | Too long. |", tree.texts["docs/reference/errors.md"])
        self.assertIn("| `line_max` | 8 192 | Of a line. |", tree.texts["docs/reference/limits.md"])
        self.assertEqual(tidy_rules.check_reference_pages(tree), [])
        tree.texts["src/http/limits.h"] += "inline constexpr int other_max = 3;\n"
        found = [problem.path for problem in tidy_rules.check_reference_pages(tree)]
        self.assertEqual(found, ["docs/reference/limits.md"])

    def test_a_quotation_is_what_its_file_has(self):
        page = "# A\n<!-- quoted from examples/a.cpp [part] -->\n```cpp\nold\n```\nend\n"
        code = "// no\n    // [part]\n    int a;\n\n        int b;\n    // [part]\n"
        tree = Tree.of_texts({"include/quern/errors.def": "", "docs/a.md": page, "examples/a.cpp": code})
        for path, make in reference.PAGES.items():
            tree.texts[path] = make(tree)

        def stale():
            return [problem.path for problem in tidy_rules.check_reference_pages(tree)]

        self.assertEqual(stale(), ["docs/a.md"])
        tree.texts["docs/a.md"] = reference.quote_again(tree, page)
        self.assertEqual(tree.texts["docs/a.md"], page.replace("old\n", "int a;\n\n    int b;\n"))
        self.assertEqual(stale(), [])
        tree.texts["examples/a.cpp"] = "// nothing\n"
        tree.texts["docs/a.md"] = reference.quote_again(tree, page)
        self.assertEqual(stale(), ["docs/a.md"], "what is not there is a problem, not an empty block")


class Lengths(unittest.TestCase):
    def test_functions_are_found(self):
        text = """
namespace a {
struct S : B {
    S(int x) : x_{x}, y_(x) {
        if (x) { f(); }
    }
    int x_{0};
};
#define M(x) \\
    { x }
constexpr int table[] = {1, 2};
enum class E { a, b };
template <class T>
auto g(T const& t) -> int {
    auto const h = [&](int y) {
        return "}" + '{' + y;  // }
    };
    return h(1);
}
}  // namespace a
"""
        self.assertEqual(tidy_rules.functions(text), [(4, "S", 3), (14, "g", 6)])

    def test_a_long_function_and_the_ratchet(self):
        limit = tidy_rules.FUNCTION_LINES_MAX
        long = "void f() {\n" + "x;\n" * (limit - 1) + "}\n"
        short = "void f() {\n" + "x;\n" * (limit - 2) + "}\n"
        rule, ratchet = tidy_rules.check_lengths, tidy_rules.RATCHET
        key = f"src/http/a.cpp::f {limit + 1}\n"
        self.assertEqual(found(rule, {"src/http/a.cpp": short}), [])
        self.assertEqual(found(rule, {"src/http/a.cpp": long}), ["src/http/a.cpp:1"])
        self.assertEqual(found(rule, {"src/http/a.cpp": long, ratchet: key}), [])
        self.assertEqual(found(rule, {"src/http/a.cpp": short, ratchet: key}), [f"{ratchet}:1"])
        longer = "x;\n" + long.replace("x;", "x;\nx;")
        self.assertEqual(found(rule, {"src/http/a.cpp": longer, ratchet: key}), ["src/http/a.cpp:2"])
        self.assertEqual(found(rule, {ratchet: key}), [f"{ratchet}:1"])

    def test_files(self):
        text = "x;\n" * (tidy_rules.FILE_LINES_MAX + 1)
        self.assertEqual(found(tidy_rules.check_lengths, {"src/http/a.cpp": text}), ["src/http/a.cpp:1"])
        self.assertEqual(found(tidy_rules.check_lengths, {"src/http/a_test.cpp": text}), [])


class Headers(unittest.TestCase):
    def test_a_header_that_leans_on_others_is_found_and_a_good_one_is_remembered(self):
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            (root / "src/base").mkdir(parents=True)
            texts = {"src/base/bad.h": "#pragma once\nstd::string name();\n",
                     "src/base/good.h": '#pragma once\n#include "base/inner.h"\nint const f = g();\n',
                     "src/base/inner.h": "#pragma once\ninline int g() { return 1; }\n"}
            for path, text in texts.items():
                (root / path).write_text(text)
            tree = Tree(root, texts, {})
            bad = [problem.path for problem in tidy_headers.check_headers(tree)]
            self.assertEqual(bad, ["src/base/bad.h"])
            self.assertEqual(len((root / "build/tidy/headers.txt").read_text().split()), 2)
            before = tidy_headers.digest(tree, "src/base/good.h", "12")
            tree.texts["src/base/inner.h"] += "\n"
            self.assertNotEqual(tidy_headers.digest(tree, "src/base/good.h", "12"), before)


if __name__ == "__main__":
    unittest.main()
