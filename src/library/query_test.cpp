// SPDX-License-Identifier: Apache-2.0
#include <quern/query.h>

#include <gtest/gtest.h>

#include <string>

#include <quern/app.h>
#include <quern/dump.h>
#include <quern/multipart.h>

namespace quern {
namespace {

enum class Order { oldest, newest };
QUERN_DESCRIBE_ENUM(Order, oldest, newest)

struct Page {
    std::uint32_t page = 1;
    std::optional<bool> done;
    std::string_view q;
    std::vector<std::string> tag;
    Order order = Order::oldest;
    static constexpr auto rules =
        quern::rules(quern::on<&Page::page>(has_default, quern::at_least(1), quern::at_most(100)),
                     quern::on<&Page::tag>(quern::max_length(2), quern::each(quern::min_length(1))),
                     quern::on<&Page::order>(has_default), quern::on<&Page::q>(quern::max_length(5)));
};
QUERN_DESCRIBE(Page, page, done, q, tag, order)

struct Where {
    std::int64_t id = 0;
    std::string_view file;
};
QUERN_DESCRIBE(Where, id, file)

std::string faults(LocalReply const& reply) {
    std::string list = std::to_string(reply.status);
    std::string_view rest = reply.body;
    for (std::string_view const mark = "\"location\":\""; rest.find(mark) != std::string_view::npos;) {
        rest.remove_prefix(rest.find(mark) + mark.size());
        std::string_view const code_mark = "\"code\":\"";
        std::string_view const code = rest.substr(rest.find(code_mark) + code_mark.size());
        list += " " + std::string(rest.substr(0, rest.find('"'))) + "=" +
                std::string(code.substr(0, code.find('"')));
    }
    return list;
}

TEST(Query, ReadsAStruct) {
    App app;
    app.get<"/list">([](Query<Page> query) { return *query; });
    auto const get = [&app](std::string_view target) { return app.request(http::Method::get, target); };
    EXPECT_EQ(get("/list?q=").body, R"({"page":1,"done":null,"q":"","tag":[],"order":"oldest"})");
    EXPECT_EQ(get("/list?tag=a&page=7&q=x%20%C3%A4+y&tag=b&done=true&order=newest").body,
              R"({"page":7,"done":true,"q":"x ä y","tag":["a","b"],"order":"newest"})");
    EXPECT_EQ(faults(get("/list?page=0&q=123456&tag=a&tag=&tag=b&done=maybe&order=best&x=1&page=2")),
              "422 query.done=invalid_value query.order=not_in_list query.x=unknown_key "
              "query.page=duplicate_key query.page=too_small query.q=too_long query.tag=too_long "
              "query.tag[1]=too_short");
    EXPECT_EQ(faults(get("/list?page=-1")), "422 query.page=invalid_value query.q=missing");
    EXPECT_EQ(faults(get("/list?q=%zz")), "400 query.q=invalid_value");
}

TEST(Path, ReadsTheCapturesByName) {
    App app;
    app.get<"/users/{id}/{file...}">([](Path<Where> path, Query<Where> query) {
        return std::to_string(path->id + query->id) + std::string(path->file);
    });
    EXPECT_EQ(app.request(http::Method::get, "/users/4/a/b.txt?id=1&file=x").body, "5a/b.txt");
    EXPECT_EQ(faults(app.request(http::Method::get, "/users/x/a?id=1&file=x")), "400 path.id=invalid_value");
}

TEST(Multipart, IsAParameterOfAHandler) {
    App app;
    app.post<"/form">([](Multipart form) {
        auto const* const file = form.find("file");
        return file != nullptr ? std::string(file->filename) + "=" + std::string(file->bytes) : "none";
    });
    std::string const body =
        "--x\r\nContent-Disposition: form-data; name=file; filename=f\r\n\r\n1\r\n--x--\r\n";
    http::Header const form[] = {{"content-type", "multipart/form-data; boundary=x"}};
    EXPECT_EQ(app.request(http::Method::post, "/form", body, form).body, "f=1");
    EXPECT_EQ(app.request(http::Method::post, "/form", body).status, 415);
    EXPECT_EQ(app.request(http::Method::post, "/form", "--x", form).status, 400);
}

}  // namespace
}  // namespace quern
