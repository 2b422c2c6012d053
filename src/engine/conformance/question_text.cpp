// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/question_text.h"

#include <sstream>

#include "query/planner.h"

namespace quern::engine::conformance {

namespace {

// What the lines say, by their first words.
struct Question {
    std::string collection;
    std::string filter;
    std::string sort;
    std::vector<std::string> fields;
};

Result<Question> read_lines(std::vector<std::string> const& lines) {
    Question question;
    for (std::string const& line : lines) {
        auto const blank = line.find(' ');
        std::string const verb = line.substr(0, blank);
        std::string const rest = blank == std::string::npos ? "" : line.substr(blank + 1);
        if (verb == "ask") {
            question.collection = rest;
        } else if (verb == "filter") {
            question.filter = rest;
        } else if (verb == "by") {
            question.sort = rest;
        } else if (verb == "output") {
            std::istringstream words(rest);
            for (std::string word; words >> word;) question.fields.push_back(word);
        } else {
            return fail(ErrorCode::bad_request, "this line is not understood: " + line);
        }
    }
    return question;
}

}  // namespace

Result<Request> read_question(std::shared_ptr<Schema const> const& schema,
                              std::vector<std::string> const& lines) {
    QUERN_TRY(Question const question, read_lines(lines));
    Collection const* const collection = schema->find(question.collection);
    if (collection == nullptr)
        return fail(ErrorCode::bad_request, "no such collection: " + question.collection);
    std::vector<std::uint16_t> columns;
    for (std::string const& name : question.fields) {
        auto const field = collection->find(name);
        if (!field) return fail(ErrorCode::bad_request, "no such field: " + name);
        columns.push_back(static_cast<std::uint16_t>(*field));
    }

    query::ListQuestion list{.collection = *collection, .access = query::Access::all()};
    list.filter = question.filter;
    list.sort = question.sort;
    list.output.columns = columns;
    query::RequestValues caller;
    caller.principal.superuser = true;
    query::Planner planner;
    Arena arena;
    QUERN_TRY(auto const query, planner.list(schema, list, caller, arena));
    return Request(query.prepared->plan,
                   std::vector<ram::OwnedValue>(query.values.begin(), query.values.end()));
}

}  // namespace quern::engine::conformance
