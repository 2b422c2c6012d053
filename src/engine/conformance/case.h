// SPDX-License-Identifier: Apache-2.0
#pragma once

// The suite's cases as text.
//
// A file begins with collections (definition.h) and rows; each case then starts from a fresh database that
// holds them. `#` begins a comment line, blank lines mean nothing.
//
//     collection posts
//     field title text
//     rows posts
//     {"id": "p1", "title": "x"}
//
//     case a text is found
//     from posts                     a request (plan_text.h) …
//     where title = "x"
//     sort id
//     output id title
//     answer                         … its rows, as JSON arrays, in order (`answer unordered`: in any);
//     ["p1", "x"]
//     count 1                        its count(), which all requests may have instead of or behind an answer
//
// A request may also be in the product's own language (question_text.h): `ask posts`, `filter …`, `by …`.
//
// Every request is also counted with its condition negated: the two must add up to all rows.
//
// A case may write first, or in between. Outside begin and commit a writing line is a transaction of its own.
//
//     begin | commit | rollback | savepoint | release | back
//     insert posts {"id": "p2"}
//     update posts p2 {"title": "y"}
//     remove posts p2
//     truncate posts
//     alter                          then collections as they shall be, `drop posts`, and `end`; the rest
//     stays fails conflict title           behind a writing line: it fails so, and the fields at fault are
//     these fails validation author:validation_missing_rel_records finds nothing                  behind
//     update and remove: there is no such row

#include <filesystem>
#include <string>
#include <vector>

#include <quern/error.h>

namespace quern::engine::conformance {

struct Case {
    std::string file;  // the file's stem
    std::string name;
    std::vector<std::string> setup;  // lines of the file before its first case
    std::vector<std::string> lines;
};

// The cases of all *.txt files in a directory, by file name and place.
[[nodiscard]] std::vector<Case> read_cases(std::filesystem::path const& directory);

// Runs a case on one of engine_names(); nothing when it passes, else what went wrong.
[[nodiscard]] std::string run_case(Case const& test, std::string_view engine);

}  // namespace quern::engine::conformance
