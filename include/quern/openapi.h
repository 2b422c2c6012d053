// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an App can do, as an OpenAPI 3.1 document made from the types of its handlers.
//
// Each route becomes an operation: captures, headers and queries are its parameters with their rules, Json<T>
// is its body, and what the handler returns is its answer. Structs become components by their names. Where
// two have the same, all of that name are called by their namespaces as well, `shop.Item`, whatever the order
// of the routes; those that even then have the same name get a number. The names that begin with `quern.` are
// the document's own.
//
// Extract<T> and Answer<T> of your own are described when they have
//   static void describe(openapi::Operation& operation);

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <vector>

#include <quern/capture.h>
#include <quern/extract.h>
#include <quern/http.h>
#include <quern/route.h>

namespace quern {

// What the document says of the service as a whole.
struct OpenApiInfo {
    std::string title = "Service";
    std::string version = "1";
    std::string description = {};
};

namespace openapi {

// The pattern as a document writes it: /todos/{id}.
[[nodiscard]] std::string path_text(RouteShape const& shape);

// Components of a document: schemas of structs, written once each.
// Threads: one at a time.
class Schemas {
public:
    Schemas();
    Schemas(Schemas const&) = delete;
    Schemas& operator=(Schemas const&) = delete;
    ~Schemas();

    // A reference to a struct's schema as JSON. `write` is called when it is new; a struct may hold itself.
    // A struct may have several schemas: `variant` is part of the name of those that are not its whole.
    [[nodiscard]] std::string reference(std::type_index type, std::string (*write)(Schemas&),
                                        std::string_view variant = {});
    // Gives all structs so far their final names, and forgets what was written: it is written again. Before
    // that, references point to names that are only told apart.
    void settle_names();
    // `"Name":schema,...` of all so far.
    [[nodiscard]] std::string members() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// One route, as it is being described.
// Threads: one at a time.
class Operation {
public:
    // Lifetime: both are borrowed.
    Operation(Schemas& schemas, RouteShape const& shape);
    ~Operation();

    [[nodiscard]] Schemas& schemas() { return schemas_; }
    // `in` is "path", "query" or "header"; `schema` is JSON.
    void parameter(std::string_view in, std::string_view name, bool is_required, std::string_view schema);
    void body(std::string_view media_type, std::string_view schema);
    // An empty media type means an answer without content. The first description of a status counts.
    void response(int status, std::string_view media_type, std::string_view schema);
    // A response that is a problem (RFC 9457).
    void problem(int status);
    // Whatever other error there is.
    void other_problems();
    // The responses that follow under 200 are meant for another status.
    void under_status(int status);

    // The operation as JSON.
    [[nodiscard]] std::string text() const;

private:
    struct State;
    Schemas& schemas_;
    RouteShape const& shape_;
    std::unique_ptr<State> state_;
};

// A route and who describes it.
struct Route {
    http::Method method;
    RouteShape const* shape;
    void (*describe)(Operation&);
};

// The whole document. Cost: some microseconds a route; keep it.
[[nodiscard]] std::string document(OpenApiInfo const& info, std::vector<Route> const& routes);

// A page that shows the document at `document_path`, self-contained: it loads nothing from elsewhere.
[[nodiscard]] std::string page(OpenApiInfo const& info, std::string_view document_path);

}  // namespace openapi

namespace detail {

template <class T>
concept DescribesRequest = requires(openapi::Operation& operation) {
    Extract<T>::describe(operation);
};
template <class T>
concept DescribesAnswer = requires(openapi::Operation& operation) {
    Answer<T>::describe(operation);
};

template <class P>
void describe_parameter(openapi::Operation& operation, RouteShape const& shape, std::size_t& capture) {
    if constexpr (Captured<P>) {
        for (std::size_t index = 0; RouteSegment const& segment : shape.parts()) {
            if (segment.kind == RouteSegment::Kind::literal || index++ != capture) continue;
            operation.parameter("path", segment.text, true, FromText<P>::schema);
        }
        ++capture;
        if constexpr (!std::convertible_to<P, std::string_view>) operation.problem(400);
    } else if constexpr (DescribesRequest<P>) {
        Extract<P>::describe(operation);
    }
}

// Describes a handler by its parameters and its result.
template <RouteShape const& Shape, class Returned, class Parameters>
struct DescribeRoute;
template <RouteShape const& Shape, class Returned, class... P>
struct DescribeRoute<Shape, Returned, std::tuple<P...>> {
    static void run(openapi::Operation& operation) {
        [[maybe_unused]] std::size_t capture = 0;
        (describe_parameter<std::remove_cvref_t<P>>(operation, Shape, capture), ...);
        using Result = std::remove_cvref_t<Returned>;
        if constexpr (DescribesAnswer<Result>) {
            Answer<Result>::describe(operation);
        } else {
            operation.response(200, {}, {});
        }
    }
};

}  // namespace detail

}  // namespace quern
