// SPDX-License-Identifier: Apache-2.0

// Tables that follow their collections: nothing is lost unasked, and children stay.

#include <sqlite3.h>

#include <map>

#include "engine/sqlite/test_database.h"

namespace quern::engine::sqlite {
namespace {

using Rows = std::vector<std::string>;

class AlterTest : public DatabaseTest {
protected:
    // The schema after `edit` of the collections, with the next version.
    template <class Edit>
    std::shared_ptr<Schema const> edited(Edit edit) {
        std::map<std::string, Collection> by_name;
        for (auto const& one : schema->collections()) by_name[one->name] = *one;
        edit(by_name);
        std::vector<Collection> collections;
        for (auto& [name, one] : by_name) collections.push_back(std::move(one));
        return test::schema(std::move(collections), schema->version() + 1);
    }
    template <class Edit>
    void edit(Edit edit) {
        change(schema, edited(edit));
    }
    template <class Edit>
    Error refused(Edit edit) {
        auto const result = try_change(schema, edited(edit));
        EXPECT_FALSE(result);
        return result ? Error(ErrorCode::internal) : result.error();
    }

    // users u1 u2 (boss u1), tags t1 t2, posts p1 p2 with authors and tags, a comment on each.
    void fill() {
        must(insert("users", {{"id", Value::of("u1")}, {"name", Value::of("Ann")}}));
        must(insert("users",
                    {{"id", Value::of("u2")}, {"name", Value::of("Bob")}, {"boss", Value::of("u1")}}));
        must(insert("tags", {{"id", Value::of("t1")}, {"name", Value::of("red")}}));
        must(insert("tags", {{"id", Value::of("t2")}, {"name", Value::of("blue")}}));
        must(insert("posts",
                    {{"id", Value::of("p2")},
                     {"title", Value::of("two")},
                     {"views", Value::of(std::int64_t{2})},
                     {"author", Value::of("u2")}},
                    {{"tags", {"t2", "t1"}}}));
        must(insert("posts",
                    {{"id", Value::of("p1")}, {"title", Value::of("12")}, {"author", Value::of("u1")}}));
        must(insert("comments", {{"id", Value::of("c1")}, {"post", Value::of("p1")}}));
    }
    std::string query(std::string const& sql) {
        sqlite3* raw = nullptr;
        Rows rows;
        sqlite3_open_v2((directory_.path() / "data.db").c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
        sqlite3_exec(
            raw, sql.c_str(),
            [](void* out, int, char** values, char**) {
                static_cast<Rows*>(out)->emplace_back(values[0] == nullptr ? "null" : values[0]);
                return 0;
            },
            &rows, nullptr);
        sqlite3_close(raw);
        std::string text;
        for (auto const& row : rows) text += row + ";";
        return text;
    }
    static Field& field_of(Collection& collection, std::string_view name) {
        return collection.fields[collection.find(name).value()];
    }
};

using Collections = std::map<std::string, Collection>;

TEST_F(AlterTest, RenamesKeepDataRelationsAndIndexes) {
    fill();
    edit([](Collections& all) {
        all["posts"].name = "articles";
        field_of(all["posts"], "title").name = "heading";
        field_of(all["posts"], "tags").name = "labels";
        all["posts"].indexes[0].columns[0].field = "heading";
        all["tags"].name = "labels";
    });
    EXPECT_EQ(all("articles", {"id", "heading", "author", "labels"}),
              (Rows{"p1|12|u1|[]", R"(p2|two|u2|["t2","t1"])"}));
    must(insert("articles", {{"id", Value::of("p3")}, {"heading", Value::of("x")}}, {{"labels", {"t1"}}}));
    Transaction* transaction = must(writer->begin());
    EXPECT_FALSE(transaction->remove(*schema->find("articles"), "p1"))
        << "the comment's reference moved along";
    writer->rollback();
    close();
    EXPECT_EQ(
        query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"),
        "articles;articles__labels;comments;labels;users;");
    EXPECT_EQ(query("SELECT count(*) FROM sqlite_schema WHERE name = 'i_title' AND sql LIKE '%heading%'"),
              "1;");
}

TEST_F(AlterTest, NamesMayBeExchanged) {
    fill();
    edit([](Collections& all) {
        std::swap(all["users"].name, all["tags"].name);
        field_of(all["posts"], "title").name = "body";
        all["posts"].fields[2].name = "title";
        all["posts"].indexes.clear();
    });
    EXPECT_EQ(all("tags", {"id", "name"}), (Rows{"u1|Ann", "u2|Bob"}));
    EXPECT_EQ(all("users", {"id", "name"}), (Rows{"t1|red", "t2|blue"}));
    EXPECT_EQ(all("posts", {"body", "title"}), (Rows{"12|null", "two|null"}));
}

TEST_F(AlterTest, AddedFieldsHaveTheirZeroValue) {
    fill();
    edit([](Collections& all) {
        all["posts"].fields.push_back(test::many("extra", FieldType::select));
        all["posts"].fields.push_back(test::field("ok", FieldType::boolean));
        all["posts"].fields.push_back(test::relation("editor", "c_users"));
        all["posts"].fields.push_back(test::relation("readers", "c_users", 9));
        all["posts"].fields.push_back(test::nullable(test::integer("n")));
    });
    EXPECT_EQ(all("posts", {"id", "extra", "ok", "editor", "readers", "n"}),
              (Rows{"p1|[]|0|null|[]|null", "p2|[]|0|null|[]|null"}));
    must(insert("posts", {{"id", Value::of("p3")}, {"editor", Value::of("u1")}}, {{"readers", {"u2"}}}));
    EXPECT_FALSE(insert("posts", {{"id", Value::of("p4")}, {"editor", Value::of("nobody")}}));
}

TEST_F(AlterTest, ARebuildKeepsChildrenAndTheOrderOfInsertion) {
    fill();
    edit([](Collections& all) {
        Collection& posts = all["posts"];
        std::erase_if(posts.fields, [](Field const& field) { return field.name == "score"; });
        Collection& users = all["users"];
        users.fields.push_back(test::field("fresh", FieldType::text));
        field_of(users, "name").nullable = true;
        field_of(all["tags"], "name").nullable = true;
    });
    EXPECT_EQ(all("comments", {"id", "post"}), Rows{"c1|p1"});
    EXPECT_EQ(all("posts", {"id", "author", "tags"}), (Rows{"p1|u1|[]", R"(p2|u2|["t2","t1"])"}));
    EXPECT_EQ(all("users", {"id", "name", "boss", "fresh"}), (Rows{"u1|Ann|null|", "u2|Bob|u1|"}));
    auto plan = test::from(schema, "posts");
    plan.output = {test::column(plan, 0, "id")};
    plan.sort = {{plan::SortKey::Kind::operand, plan::column(0, Collection::rowid_field), false}};
    EXPECT_EQ(must(rows_of(*reader, *plan::seal(std::move(plan)))), (Rows{"p2", "p1"}));
    Transaction* transaction = must(writer->begin());
    EXPECT_FALSE(transaction->remove(*schema->find("users"), "u1")) << "keys are enforced again";
    writer->rollback();
    EXPECT_FALSE(insert("comments", {{"id", Value::of("c2")}, {"post", Value::of("nothing")}}));
    close();
    EXPECT_EQ(query("PRAGMA integrity_check"), "ok;");
    EXPECT_EQ(query("PRAGMA foreign_key_check"), "");
    EXPECT_EQ(query("SELECT count(*) FROM sqlite_schema WHERE name = 'i_title'"), "1;");
    EXPECT_EQ(query("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%quern%'"), "0;");
    EXPECT_EQ(query("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name LIKE '_relation%'"),
              "4;");
}

TEST_F(AlterTest, TypesChangeWhereNothingIsLost) {
    fill();
    edit([](Collections& all) {
        field_of(all["posts"], "views").only_int = false;
        field_of(all["tags"], "name").type = FieldType::json;
    });
    EXPECT_EQ(all("posts", {"views"}), (Rows{"0.000000", "2.000000"}));
    EXPECT_EQ(all("tags", {"name"}), (Rows{"\"red\"", "\"blue\""}));
    edit([](Collections& all) {
        field_of(all["posts"], "views").only_int = true;
        field_of(all["tags"], "name").type = FieldType::editor;
    });
    EXPECT_EQ(all("posts", {"views"}), (Rows{"0", "2"}));
    EXPECT_EQ(all("tags", {"name"}), (Rows{"red", "blue"}));
}

TEST_F(AlterTest, AValueThatDoesNotFitRefusesTheChange) {
    fill();
    auto const error =
        refused([](Collections& all) { field_of(all["posts"], "title").type = FieldType::number; });
    EXPECT_EQ(error.code, ErrorCode::validation);
    EXPECT_NE(error.message.find("title"), std::string::npos);
    EXPECT_NE(error.message.find("p2"), std::string::npos) << error.message;
    ASSERT_EQ(error.fields.size(), 1U);
    EXPECT_EQ(error.fields[0].field, "title");
    EXPECT_EQ(all("posts", {"id", "title", "tags"}), (Rows{"p1|12|[]", R"(p2|two|["t2","t1"])"}));
    auto const null = refused([](Collections& all) { field_of(all["posts"], "body").nullable = false; });
    EXPECT_EQ(null.fields.at(0).field, "body");
    must(insert("posts", {{"id", Value::of("p3")}, {"title", Value::of("z")}}));
    close();
    EXPECT_EQ(query("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%quern%'"), "0;");
}

TEST_F(AlterTest, RelationsBecomeMultipleAndSingleAgain) {
    fill();
    edit([](Collections& all) {
        field_of(all["posts"], "author").max_select = 5;
        field_of(all["comments"], "post").max_select = 5;
    });
    EXPECT_EQ(all("posts", {"author", "tags"}), (Rows{R"(["u1"]|[])", R"(["u2"]|["t2","t1"])"}));
    EXPECT_EQ(all("comments", {"post"}), Rows{R"(["p1"])"});
    edit([](Collections& all) { field_of(all["posts"], "author").max_select = 1; });
    EXPECT_EQ(all("posts", {"author"}), (Rows{"u1", "u2"}));
    auto const error = refused([](Collections& all) { field_of(all["posts"], "tags").max_select = 1; });
    EXPECT_EQ(error.fields.at(0).field, "tags");
    EXPECT_EQ(all("posts", {"tags"}), (Rows{"[]", R"(["t2","t1"])"}));
    close();
    EXPECT_EQ(query("PRAGMA foreign_key_check"), "");
    EXPECT_EQ(query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%\\_\\_%' ESCAPE "
                    "'\\' ORDER BY 1"),
              "comments__post;posts__tags;");
}

TEST_F(AlterTest, ARelationMayGetAnotherTargetIfItsIdsAreThere) {
    fill();
    auto const error =
        refused([](Collections& all) { field_of(all["posts"], "author").collection_id = "c_tags"; });
    ASSERT_EQ(error.fields.size(), 1U) << error.message;
    EXPECT_EQ(error.fields.at(0).field, "author");
    EXPECT_EQ(error.fields.at(0).code, "validation_missing_rel_records");
    auto const multiple =
        refused([](Collections& all) { field_of(all["posts"], "tags").collection_id = "c_users"; });
    ASSERT_EQ(multiple.fields.size(), 1U) << multiple.message;
    EXPECT_EQ(multiple.fields.at(0).field, "tags");
    must(insert("users", {{"id", Value::of("t1")}}));
    must(insert("users", {{"id", Value::of("t2")}}));
    edit([](Collections& all) { field_of(all["posts"], "tags").collection_id = "c_users"; });
    EXPECT_EQ(all("posts", {"tags"}), (Rows{"[]", R"(["t2","t1"])"}));
}

TEST_F(AlterTest, CollectionsAreDroppedWithTheirJoinTables) {
    fill();
    EXPECT_EQ(refused([](Collections& all) { all.erase("users"); }).code, ErrorCode::conflict);
    edit([](Collections& all) {
        all.erase("comments");
        all.erase("posts");
    });
    EXPECT_FALSE(must(database->has_table("posts")));
    EXPECT_FALSE(must(database->has_table("posts__tags")));
    EXPECT_TRUE(must(database->has_table("tags")));
    edit([](Collections& all) {
        all["posts"] = test::collection("posts", {test::field("new", FieldType::text)});
    });
    must(insert("posts", {{"id", Value::of("p1")}, {"new", Value::of("x")}}));
}

TEST_F(AlterTest, ANewUniqueIndexThatMeetsDuplicatesIsRefused) {
    fill();
    must(insert("tags", {{"id", Value::of("t3")}, {"name", Value::of("red")}}));
    auto const add = [](Collections& all) {
        all["tags"].indexes = {Index{"u_name", true, {{"name", false, false}}, ""}};
    };
    auto const error = refused(add);
    EXPECT_EQ(error.code, ErrorCode::conflict);
    EXPECT_EQ(error.fields.at(0).field, "name");
    Transaction* transaction = must(writer->begin());
    EXPECT_TRUE(must(transaction->remove(*schema->find("tags"), "t3")));
    must(writer->commit());
    edit(add);
    EXPECT_FALSE(insert("tags", {{"id", Value::of("t4")}, {"name", Value::of("blue")}}));
    edit([](Collections& all) { all["tags"].indexes.clear(); });
    must(insert("tags", {{"id", Value::of("t4")}, {"name", Value::of("blue")}}));
}

TEST_F(AlterTest, AChangeIsUndoneWithItsTransaction) {
    fill();
    auto const next = edited([](Collections& all) { field_of(all["tags"], "name").name = "label"; });
    TableChange const change[] = {{schema->find("c_tags"), next->find("c_tags")}};
    Collection const& tags = *schema->find("tags");
    Collection const& later = *next->find("tags");
    Transaction* transaction = must(writer->begin());
    must(transaction->savepoint());
    must(transaction->alter(change, *next));
    Assignment const row[] = {set(later, "id", Value::of("t3")), set(later, "label", Value::of("x"))};
    must(transaction->insert(later, row));
    must(transaction->rollback_to_savepoint());
    Assignment const old_row[] = {set(tags, "id", Value::of("t3")), set(tags, "name", Value::of("x"))};
    must(transaction->insert(tags, old_row));
    must(writer->commit());
    EXPECT_EQ(all("tags", {"id", "name"}), (Rows{"t1|red", "t2|blue", "t3|x"}));
}

// Triggers, views and indexes made in the shell.
TEST_F(AlterTest, WhatOthersPutOnATableSurvivesItsRebuild) {
    fill();
    close();
    sqlite3* raw = nullptr;
    sqlite3_open((directory_.path() / "data.db").c_str(), &raw);
    EXPECT_EQ(sqlite3_exec(raw, R"(CREATE VIEW names AS SELECT name FROM tags;
        CREATE INDEX mine ON tags(name);
        CREATE TRIGGER watch AFTER DELETE ON tags
            BEGIN UPDATE users SET name = OLD.name WHERE id = 'u1'; END;)",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(raw);
    open();
    edit([](Collections& all) { field_of(all["tags"], "name").nullable = true; });
    Transaction* transaction = must(writer->begin());
    EXPECT_TRUE(must(transaction->remove(*schema->find("tags"), "t1")));
    must(writer->commit());
    EXPECT_EQ(all("users", {"name"}), (Rows{"red", "Bob"}));
    close();
    EXPECT_EQ(query("SELECT group_concat(name) FROM names"), "blue;");
    EXPECT_EQ(query("SELECT count(*) FROM sqlite_schema WHERE name = 'mine'"), "1;");
}

}  // namespace
}  // namespace quern::engine::sqlite
