// SPDX-License-Identifier: Apache-2.0
#include <quern/extract.h>

#include <cstdio>

#include <quern/json_writer.h>

#include "http/render.h"

namespace quern {

void Services::put(std::type_index type, std::shared_ptr<void> service) {
    for (auto& [known, place] : services_) {
        if (known != type) continue;
        place = std::move(service);
        return;
    }
    services_.emplace_back(type, std::move(service));
}

void* Services::find(std::type_index type) const {
    for (auto const& [known, service] : services_) {
        if (known == type) return service.get();
    }
    return nullptr;
}

namespace detail {

Error text_fault(std::string_view place, std::string_view name, std::string_view what) {
    Error error(ErrorCode::parameter_invalid, "The " + std::string(place) + " \"" + std::string(name) +
                                                  "\" is not " + std::string(what) + ".");
    error.fields.push_back({std::string(place) + "." + std::string(name), "invalid_value",
                            "Must be " + std::string(what) + "."});
    return error;
}

Error missing_fault(std::string_view place, std::string_view name) {
    Error error(ErrorCode::parameter_invalid,
                "The " + std::string(place) + " \"" + std::string(name) + "\" is missing.");
    error.fields.push_back({std::string(place) + "." + std::string(name), "missing", "Is required."});
    return error;
}

}  // namespace detail

namespace {

// What went wrong inside is for whoever runs the program: its text may quote statements and files.
bool is_private(ErrorCode code) {
    return code == ErrorCode::internal || code == ErrorCode::corrupt || code == ErrorCode::io;
}

void report(Error const& error, std::string_view where) {
    std::string line = "quern: ";
    if (!where.empty()) line += std::string(where) + ": ";
    line += std::string(name(error.code)) + ": " + error.message + '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void write_problem(http::Exchange& exchange, Error const& error) {
    if (!is_private(error.code) || error == Error(error.code)) return write_problem(exchange.response, error);
    http::Request const& request = exchange.request;
    std::string where(http::name(request.method));
    where += ' ';
    where += request.target;
    report(error, where);
    write_problem(exchange.response, Error(error.code));
}

void write_problem(http::Response& response, Error const& error) {
    if (is_private(error.code) && error != Error(error.code)) {
        report(error, "");
        return write_problem(response, Error(error.code));
    }
    int const status = http_status(error.code);
    response.status = status;
    response.content_type = "application/problem+json";
    json::Writer writer(response.body);
    writer.begin_object();
    writer.key("type");
    writer.string("about:blank");
    writer.key("title");
    writer.string(http::reason_phrase(status));
    writer.key("status");
    writer.integer(status);
    writer.key("detail");
    writer.string(error.message);
    if (!error.fields.empty()) {
        writer.key("errors");
        writer.begin_array();
        for (FieldError const& fault : error.fields) {
            writer.begin_object();
            writer.key("location");
            writer.string(fault.field);
            writer.key("code");
            writer.string(fault.code);
            writer.key("message");
            writer.string(fault.message);
            writer.end_object();
        }
        writer.end_array();
    }
    writer.end_object();
}

namespace {

// A line end in a header would let whoever chose the text write headers of their own.
bool is_header_text(std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

}  // namespace

void Answer<Reply>::write(Reply&& reply, Call& call) {
    http::Response& response = call.exchange.response;
    bool fine = is_header_text(reply.content_type);
    for (auto const& [name, value] : reply.headers)
        fine = fine && is_header_text(name) && is_header_text(value);
    if (!fine)
        return write_problem(response,
                             Error(ErrorCode::internal, "A header of the answer holds a line end."));
    response.status = reply.status;
    response.content_type = call.exchange.arena.copy(reply.content_type);
    for (auto const& [name, value] : reply.headers) response.add_header(name, value);
    response.body.append(reply.body);
}

}  // namespace quern
