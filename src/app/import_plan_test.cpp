// SPDX-License-Identifier: Apache-2.0
#include "app/import_plan.h"

#include <gtest/gtest.h>

#include "app/import_client.h"
#include "app/import_progress.h"

namespace quern::app {
namespace {

constexpr std::string_view cities = R"({"id":"c2","name":"cities","type":"base","fields":[
    {"name":"id","type":"text"},
    {"name":"name","type":"text"},
    {"name":"country","type":"relation","collectionId":"c1","maxSelect":1},
    {"name":"lat","type":"number"},
    {"name":"pin","type":"password"},
    {"name":"photo","type":"file"},
    {"name":"created","type":"autodate"},
    {"name":"odd","type":"vector"}]})";

class ImportPlanTest : public testing::Test {
protected:
    // The body of the first row, or every reason against it.
    std::string write(std::string_view row_json) {
        text_ = "[" + std::string(row_json) + "]";
        std::size_t const size = text_.size();
        text_.append(json::padding_bytes, '\0');
        auto const plan = make();
        if (!plan) return "!! " + plan.error().message;
        auto source = open_source(std::string_view(text_).substr(0, size), ImportFormat::json, ',');
        EXPECT_EQ((*source)->next(), RowSource::Outcome::row);
        Buffer output;
        auto const written = plan->write_row(**source, output);
        if (written) return std::string(output.view());
        std::string problems;
        for (Refusal const& problem : written.error()) problems += "! " + problem + "\n";
        return problems;
    }
    Result<ImportPlan> make() {
        auto const tree = json::Tree::parse(collection);
        EXPECT_TRUE(tree);
        auto plan = ImportPlan::make(tree->root(), options);
        if (plan && lookup) plan->set_lookup(plan->lookups().at(0).entry, lookup);
        return plan;
    }

    std::string_view collection = cities;
    ImportOptions options;
    Lookup lookup;

private:
    std::string text_;
};

TEST_F(ImportPlanTest, NamesThatMatchGoIntoTheirFields) {
    EXPECT_EQ(write(R"({"lat":"42.50","name":"Vila"})"), R"({"name":"Vila","lat":42.50})");
    EXPECT_EQ(write("{}"), "{}");
    EXPECT_EQ(write(R"({"id":"a","collectionId":"x","collectionName":"y","expand":{}})"), R"({"id":"a"})");
}

TEST_F(ImportPlanTest, RenamesLeadElsewhere) {
    options.renames = {"name=title.en", "lat=position.0"};
    EXPECT_EQ(write(R"({"title":{"en":"Vila"},"position":[42.5,1]})"), R"({"name":"Vila","lat":42.5})");
    // The field's own name is no longer looked at, so it goes nowhere.
    EXPECT_EQ(write(R"({"title":{"en":"Vila"},"name":"x"})"),
              "! name: goes into no field; leave it out with --ignore name\n");
}

TEST_F(ImportPlanTest, LookupsReplaceValues) {
    options.maps = {"country=countries.cca2"};
    lookup = [](std::string_view value) -> std::optional<std::string_view> {
        if (value == "AD") return "andorra";
        return std::nullopt;
    };
    EXPECT_EQ(write(R"({"country":"AD"})"), R"({"country":"andorra"})");
    EXPECT_EQ(write(R"({"country":"XX"})"), "! country: \"XX\" stands for no record\n");
    auto const plan = make();
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->lookups().at(0).collection, "countries");
    EXPECT_EQ(plan->lookups().at(0).unique_field, "cca2");
    EXPECT_EQ(plan->lookups().at(0).target_id, "c1");
}

TEST_F(ImportPlanTest, EveryReasonIsTold) {
    EXPECT_EQ(write(R"({"lat":"007","name":true,"tld":".ad"})"),
              "! tld: goes into no field; leave it out with --ignore tld\n"
              "! name: true does not fit a field of type text\n"
              "! lat: \"007\" is not a number\n");
}

TEST_F(ImportPlanTest, NothingIsLeftOutUnasked) {
    EXPECT_EQ(write(R"({"created":"2024-01-01","photo":"a.png","odd":1})"),
              "! created: is filled by the server alone; leave it out with --ignore created\n"
              "! photo: holds files, which cannot be imported this way; leave it out with --ignore photo\n"
              "! odd: has the unknown type 'vector'; leave it out with --ignore odd\n");
    options.ignored = {"created", "photo", "odd"};
    EXPECT_EQ(write(R"({"created":"2024-01-01","photo":"a.png","odd":1,"name":"x"})"), R"({"name":"x"})");
    options.ignored = {};
    options.ignore_unknown = true;
    EXPECT_EQ(write(R"({"created":"2024-01-01","tld":1,"name":"x"})"), R"({"name":"x"})");
}

TEST_F(ImportPlanTest, PasswordsAreConfirmed) {
    EXPECT_EQ(write(R"({"pin":"12345678"})"), R"({"pin":"12345678","passwordConfirm":"12345678"})");
}

TEST_F(ImportPlanTest, OptionsMustFit) {
    struct Case {
        std::vector<std::string> maps;
        std::vector<std::string> renames;
    };
    for (Case const& c :
         {Case{{"country"}, {}}, Case{{"country=countries"}, {}}, Case{{"country=.x"}, {}},
          Case{{"town=countries.cca2"}, {}}, Case{{"name=countries.cca2"}, {}}, Case{{}, {"name"}},
          Case{{}, {"=x"}}, Case{{}, {"name="}}, Case{{}, {"town=x"}}, Case{{}, {"photo=x"}}}) {
        options.maps = c.maps;
        options.renames = c.renames;
        auto const plan = make();
        ASSERT_FALSE(plan);
        EXPECT_EQ(plan.error().code, ErrorCode::parameter_invalid);
    }
}

TEST_F(ImportPlanTest, ViewsCannotBeWrittenTo) {
    collection = R"({"type":"view","fields":[]})";
    EXPECT_FALSE(make());
    collection = R"({"message":"x"})";
    EXPECT_FALSE(make());
}

TEST(ImportClient, ErrorsInOneLine) {
    EXPECT_EQ(
        error_text(400, R"({"status":400,"message":"Failed.","data":{"name":{"code":"c","message":"Blank."},)"
                        R"("lat":{"code":"d","message":"Too small."}}})"),
        "name: Blank.; lat: Too small.");
    EXPECT_EQ(error_text(403, R"({"status":403,"message":"Not allowed.","data":{}})"),
              "Not allowed. (status 403)");
    EXPECT_EQ(error_text(502, "<html>"), "status 502: <html>");
    EXPECT_EQ(error_text(500, ""), "status 500: ");
}

TEST(ImportClient, PercentEncoding) { EXPECT_EQ(percent_encode("a b/ä?&"), "a%20b%2F%C3%A4%3F%26"); }

TEST(ImportProgress, Lines) {
    EXPECT_EQ(with_thousands(0), "0");
    EXPECT_EQ(with_thousands(999), "999");
    EXPECT_EQ(with_thousands(171'075), "171,075");
    EXPECT_EQ(with_thousands(1'000'000), "1,000,000");
    EXPECT_EQ(
        progress_line({.rows = 76'000, .bytes_done = 45, .bytes_total = 100, .elapsed_us = 2'000'000}, true),
        "[#########...........]  45 %  76,000 rows  38,000 rows/s  2 s left");
    EXPECT_EQ(progress_line({.rows = 0, .bytes_done = 0, .bytes_total = 0, .elapsed_us = 0}, false),
              "100 %  0 rows");
}

}  // namespace
}  // namespace quern::app
