// SPDX-License-Identifier: Apache-2.0
#include <quern/openapi.h>

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <quern/json_writer.h>
#include <quern/schema.h>
#include "http/render.h"

namespace quern {

namespace detail {

std::string json_quoted(std::string_view text) {
    Buffer output;
    json::append_string(output, text);
    return std::string(output.view());
}

void describe_header(openapi::Operation& operation, std::string_view name, std::string_view schema,
                     bool is_required) {
    operation.parameter("header", name, is_required, schema);
    operation.problem(400);
}
void describe_body(openapi::Operation& operation) {
    operation.body("*/*", "{}");
    operation.problem(413);
}
void describe_text(openapi::Operation& operation) {
    operation.response(200, http::content_type_text, R"({"type":"string"})");
}
void describe_not_found(openapi::Operation& operation) { operation.problem(404); }
void describe_errors(openapi::Operation& operation) { operation.other_problems(); }
void describe_empty(openapi::Operation& operation) { operation.response(204, {}, {}); }
void describe_status(openapi::Operation& operation, int status) { operation.under_status(status); }

}  // namespace detail

namespace openapi {

namespace {

using detail::json_quoted;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

// "shop::(anonymous namespace)::Item<web::Name>" is shop.Item_web.Name_ with its scope, else Item_web.Name_.
std::string name_of(std::type_index type, bool with_scope) {
    int status = 0;
    char* const demangled = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string name = demangled != nullptr ? demangled : type.name();
    std::free(demangled);
    replace_all(name, "(anonymous namespace)::", "");
    std::size_t const scope = name.substr(0, name.find('<')).rfind("::");
    if (!with_scope && scope != std::string::npos) name.erase(0, scope + 2);
    replace_all(name, "::", ".");
    for (char& c : name) {
        bool const fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          c == '_' || c == '.';
        if (!fine) c = '_';
    }
    return name;
}

// Of what this file adds to the components.
constexpr std::string_view problem_name = "quern.Problem";

void append_item(std::string& list, std::string_view item) {
    if (!list.empty()) list += ',';
    list += item;
}

}  // namespace

struct Schemas::State {
    struct Component {
        std::type_index type;
        std::string variant;
        std::string name;
        std::string schema;
        bool is_written = false;
    };
    std::vector<Component> components;  // in the order met

    [[nodiscard]] std::size_t place_of(std::type_index type, std::string_view variant) {
        for (std::size_t place = 0; place < components.size(); ++place) {
            if (components[place].type == type && components[place].variant == variant) return place;
        }
        components.push_back({type, std::string(variant), "_" + std::to_string(components.size()), {}});
        return components.size() - 1;
    }
};

Schemas::Schemas() : state_(std::make_unique<State>()) {}
Schemas::~Schemas() = default;

std::string Schemas::reference(std::type_index type, std::string (*write)(Schemas&),
                               std::string_view variant) {
    std::size_t const place = state_->place_of(type, variant);
    if (!std::exchange(state_->components[place].is_written, true)) {
        std::string schema = write(*this);  // which may add components
        state_->components[place].schema = std::move(schema);
    }
    return R"({"$ref":"#/components/schemas/)" + state_->components[place].name + "\"}";
}

void Schemas::settle_names() {
    std::map<std::string, std::set<std::type_index>> types_of;
    for (auto const& component : state_->components)
        types_of[name_of(component.type, false)].insert(component.type);
    std::set<std::string> taken{std::string(problem_name)};
    for (auto& component : state_->components) {
        std::string name = name_of(component.type, false);
        if (types_of[name].size() > 1) name = name_of(component.type, true);
        name += component.variant;
        component.name = name;
        for (int number = 2; !taken.insert(component.name).second; ++number)
            component.name = name + "_" + std::to_string(number);
        component.schema.clear();
        component.is_written = false;
    }
}

std::string Schemas::members() const {
    std::map<std::string_view, std::string_view> sorted;
    for (auto const& component : state_->components) sorted.emplace(component.name, component.schema);
    std::string list;
    for (auto const& [name, schema] : sorted)
        append_item(list, json_quoted(name) + ":" + std::string(schema));
    return list;
}

struct Operation::State {
    std::string parameters;
    std::string body;
    std::map<int, std::string> responses;
    int success = 200;
};

Operation::Operation(Schemas& schemas, RouteShape const& shape)
    : schemas_(schemas), shape_(shape), state_(std::make_unique<State>()) {}
Operation::~Operation() = default;

void Operation::parameter(std::string_view in, std::string_view name, bool is_required,
                          std::string_view schema) {
    std::string text = R"({"name":)" + json_quoted(name) + R"(,"in":)" + json_quoted(in) + R"(,"required":)" +
                       (is_required ? "true" : "false");
    // OpenAPI has no word for it: a path parameter is one segment there.
    for (RouteSegment const& segment : shape_.parts()) {
        if (in == "path" && segment.kind == RouteSegment::Kind::rest && segment.text == name)
            text += R"(,"description":"The rest of the path, which may hold slashes.")";
    }
    append_item(state_->parameters, text + R"(,"schema":)" + std::string(schema) + "}");
}

void Operation::body(std::string_view media_type, std::string_view schema) {
    state_->body = R"({"required":true,"content":{)" + json_quoted(media_type) + R"(:{"schema":)" +
                   std::string(schema) + "}}}";
}

void Operation::response(int status, std::string_view media_type, std::string_view schema) {
    if (status == 200) status = std::exchange(state_->success, 200);
    std::string text = R"({"description":)" + json_quoted(http::reason_phrase(status));
    if (!media_type.empty())
        text += R"(,"content":{)" + json_quoted(media_type) + R"(:{"schema":)" + std::string(schema) + "}}";
    state_->responses.emplace(status, text + "}");
}

namespace {

std::string problem_text(std::string_view description) {
    return R"({"description":)" + json_quoted(description) +
           R"(,"content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/)" +
           std::string(problem_name) + R"("}}}})";
}

constexpr int any_other_status = 1000;  // behind all others

}  // namespace

void Operation::problem(int status) {
    state_->responses.emplace(status, problem_text(http::reason_phrase(status)));
}

void Operation::other_problems() {
    state_->responses.emplace(any_other_status, problem_text("Another error"));
}

void Operation::under_status(int status) { state_->success = status; }

std::string Operation::text() const {
    std::string text = "{";
    if (!state_->parameters.empty()) text += R"("parameters":[)" + state_->parameters + "],";
    if (!state_->body.empty()) text += R"("requestBody":)" + state_->body + ",";
    std::string responses;
    for (auto const& [status, response] : state_->responses)
        append_item(
            responses,
            (status == any_other_status ? "\"default\":" : "\"" + std::to_string(status) + "\":") + response);
    return text + R"("responses":{)" + responses + "}}";
}

std::string path_text(RouteShape const& shape) {
    std::string path;
    for (RouteSegment const& segment : shape.parts()) {
        path += '/';
        bool const is_literal = segment.kind == RouteSegment::Kind::literal;
        path += is_literal ? std::string(segment.text) : "{" + std::string(segment.text) + "}";
    }
    return path.empty() ? "/" : path;
}

namespace {

std::string method_of(http::Method method) {
    std::string name(http::name(method));
    for (char& c : name) c = static_cast<char>(c + ('a' - 'A'));
    return name;
}

constexpr std::string_view problem_schema =
    R"({"type":"object","properties":{"type":{"type":"string"},"title":{"type":"string"},)"
    R"("status":{"type":"integer"},"detail":{"type":"string"},"errors":{"type":"array","items":)"
    R"({"type":"object","properties":{"location":{"type":"string"},"code":{"type":"string"},)"
    R"("message":{"type":"string"}}}}}})";

}  // namespace

std::string document(OpenApiInfo const& info, std::vector<Route> const& routes) {
    Schemas schemas;
    for (Route const& route : routes) {
        Operation operation(schemas, *route.shape);
        route.describe(operation);
    }
    // Only who has met all structs knows which names are unique.
    schemas.settle_names();
    std::map<std::string, std::string> paths;
    for (Route const& route : routes) {
        Operation operation(schemas, *route.shape);
        route.describe(operation);
        append_item(paths[path_text(*route.shape)],
                    json_quoted(method_of(route.method)) + ":" + operation.text());
    }
    std::string text = R"({"openapi":"3.1.0","info":{"title":)" + json_quoted(info.title) + R"(,"version":)" +
                       json_quoted(info.version);
    if (!info.description.empty()) text += R"(,"description":)" + json_quoted(info.description);
    std::string list;
    for (auto const& [path, operations] : paths)
        append_item(list, json_quoted(path) + ":{" + operations + "}");
    std::string components = schemas.members();
    append_item(components, json_quoted(problem_name) + ":" + std::string(problem_schema));
    return text + R"(},"paths":{)" + list + R"(},"components":{"schemas":{)" + components + "}}}";
}

namespace {

std::string escaped_html(std::string_view text) {
    std::string html;
    for (char const c : text) {
        if (c == '<') {
            html += "&lt;";
        } else if (c == '&') {
            html += "&amp;";
        } else {
            html += c;
        }
    }
    return html;
}

constexpr std::string_view page_style =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "summary{cursor:pointer;padding:.3rem 0}summary b{display:inline-block;width:5rem}"
    "pre{background:#f4f4f4;padding:.7rem;overflow:auto;font-size:13px}";

// Everything from the document is put in as text, never as markup.
constexpr std::string_view page_script = R"js(
const add = (to, tag, text) => { const made = document.createElement(tag); made.textContent = text || '';
  to.append(made); return made; };
const json = (to, title, value) => { if (!value) return; add(to, 'h4', title);
  add(to, 'pre', JSON.stringify(value, null, 2)); };
fetch(document.body.dataset.place).then(reply => reply.json()).then(api => {
  const main = document.querySelector('main');
  add(main, 'p', api.info.description);
  for (const [path, operations] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const box = add(main, 'details'), line = add(box, 'summary');
      add(line, 'b', method.toUpperCase()); line.append(path);
      json(box, 'Parameters', operation.parameters); json(box, 'Body', operation.requestBody);
      json(box, 'Answers', operation.responses);
    }
  add(main, 'h2', 'Schemas');
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    const box = add(main, 'details'); add(box, 'summary', name);
    add(box, 'pre', JSON.stringify(schema, null, 2));
  }
});
)js";

}  // namespace

std::string page(OpenApiInfo const& info, std::string_view document_path) {
    std::string const title = escaped_html(info.title);
    return "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>" + title + "</title><style>" +
           std::string(page_style) + "</style><body data-place=\"" + std::string(document_path) + "\"><h1>" +
           title + " <small>" + escaped_html(info.version) + "</small></h1><main></main><script>" +
           std::string(page_script) + "</script></body></html>\n";
}

}  // namespace openapi

}  // namespace quern
