// SPDX-License-Identifier: Apache-2.0

// Rows written, changed and removed, and the constraints that stop it.

#include <string>

#include "engine/sqlite/test_database.h"

namespace quern::engine::sqlite {
namespace {

using Rows = std::vector<std::string>;

class WriteTest : public DatabaseTest {
protected:
    void SetUp() override {
        DatabaseTest::SetUp();
        must(insert("users", {{"id", Value::of("u1")}, {"name", Value::of("Ann")}}));
        must(insert("tags", {{"id", Value::of("t1")}, {"name", Value::of("red")}}));
        must(insert("tags", {{"id", Value::of("t2")}, {"name", Value::of("blue")}}));
    }
};

TEST_F(WriteTest, AFieldThatIsNotGivenHasItsZeroValue) {
    must(insert("posts", {{"id", Value::of("p1")}}));
    EXPECT_EQ(all("posts", {"title", "body", "views", "score", "done", "kinds", "data", "author", "tags"}),
              Rows{"|null|0|0.000000|0|[]|null|null|[]"});
    auto plan = test::from(schema, "posts");
    plan.output = {test::column(plan, 0, "data"), test::column(plan, 0, "author")};
    auto const sealed = plan::seal(std::move(plan));
    RowFunction sink([](std::span<Value const> row) {
        EXPECT_TRUE(row[0].is_text()) << "json null is text";
        EXPECT_TRUE(row[1].is_null()) << "an empty relation is null";
        return true;
    });
    must(reader->select({*sealed, {}}, sink));
}

TEST_F(WriteTest, MultipleRelationKeepsItsOrder) {
    must(insert("posts", {{"id", Value::of("p1")}}, {{"tags", {"t2", "t1"}}}));
    EXPECT_EQ(all("posts", {"tags"}), Rows{R"(["t2","t1"])"});
    Collection const& posts = *schema->find("posts");
    std::string_view const ids[] = {"t1"};
    Transaction* transaction = must(writer->begin());
    Assignment const change[] = {set(posts, "tags", ids)};
    EXPECT_TRUE(must(transaction->update(posts, "p1", change)));
    EXPECT_FALSE(must(transaction->update(posts, "nobody", change)));
    must(writer->commit());
    EXPECT_EQ(all("posts", {"tags"}), Rows{R"(["t1"])"});
}

TEST_F(WriteTest, UpdateAndRemoveSayWhetherTheRowIsThere) {
    Collection const& users = *schema->find("users");
    Transaction* transaction = must(writer->begin());
    Assignment const change[] = {set(users, "name", Value::of("Eve"))};
    EXPECT_TRUE(must(transaction->update(users, "u1", change)));
    EXPECT_FALSE(must(transaction->update(users, "u2", change)));
    EXPECT_FALSE(must(transaction->remove(users, "u2")));
    EXPECT_TRUE(must(transaction->remove(users, "u1")));
    must(writer->commit());
    EXPECT_EQ(all("users", {"id"}), Rows{});
}

TEST_F(WriteTest, RemovingATargetShortensTheList) {
    must(insert("posts", {{"id", Value::of("p1")}}, {{"tags", {"t1", "t2"}}}));
    Transaction* transaction = must(writer->begin());
    EXPECT_TRUE(must(transaction->remove(*schema->find("tags"), "t1")));
    must(writer->commit());
    EXPECT_EQ(all("posts", {"tags"}), Rows{R"(["t2"])"});
}

TEST_F(WriteTest, AReferenceThatIsLeftIsAConflict) {
    must(insert("posts", {{"id", Value::of("p1")}, {"author", Value::of("u1")}}));
    Transaction* transaction = must(writer->begin());
    auto const removed = transaction->remove(*schema->find("users"), "u1");
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().code, ErrorCode::conflict);
    EXPECT_TRUE(transaction->is_active());
    EXPECT_FALSE(transaction->truncate(*schema->find("users")));
    writer->rollback();
}

TEST_F(WriteTest, ARecordMayPointAtItself) {
    must(insert("users", {{"id", Value::of("u2")}, {"boss", Value::of("u2")}}));
    Transaction* transaction = must(writer->begin());
    EXPECT_TRUE(must(transaction->remove(*schema->find("users"), "u2")));
    must(writer->commit());
}

TEST_F(WriteTest, RecordsMayPointAtEachOther) {
    Collection const& users = *schema->find("users");
    Transaction* transaction = must(writer->begin());
    Assignment const first[] = {set(users, "id", Value::of("a"))};
    Assignment const second[] = {set(users, "id", Value::of("b")), set(users, "boss", Value::of("a"))};
    Assignment const closing[] = {set(users, "boss", Value::of("b"))};
    must(transaction->insert(users, first));
    must(transaction->insert(users, second));
    EXPECT_TRUE(must(transaction->update(users, "a", closing)));
    must(writer->commit());
    transaction = must(writer->begin());
    must(transaction->truncate(users));
    must(writer->commit());
}

TEST_F(WriteTest, AnIdThatIsTakenIsNamed) {
    auto const again = insert("users", {{"id", Value::of("u1")}});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::conflict);
    EXPECT_EQ(again.error().fields,
              (std::vector<FieldError>{{"id", "validation_not_unique", "Value must be unique."}}));
}

TEST_F(WriteTest, TheFieldsOfAUniqueIndexAreNamed) {
    auto const odd = test::schema(
        {test::collection("a, b.c", {test::field("x, y", FieldType::text), test::field("z", FieldType::text)},
                          {Index{"u", true, {{"x, y", false, true}, {"z", false, false}}, ""}})},
        2);
    must(try_change({}, odd));
    schema = odd;
    must(insert("a, b.c", {{"id", Value::of("1")}, {"x, y", Value::of("A")}}));
    auto const again = insert("a, b.c", {{"id", Value::of("2")}, {"x, y", Value::of("a")}});
    ASSERT_FALSE(again);
    ASSERT_EQ(again.error().fields.size(), 2U);
    EXPECT_EQ(again.error().fields[0].field, "x, y");
    EXPECT_EQ(again.error().fields[1].field, "z");
}

TEST_F(WriteTest, PartialUniqueIndexLeavesEmptyTextOut) {
    auto const partial =
        test::schema({test::collection("p", {test::field("mail", FieldType::text)},
                                       {Index{"um", true, {{"mail", false, true}}, "mail"}})},
                     2);
    must(try_change({}, partial));
    schema = partial;
    must(insert("p", {{"id", Value::of("1")}}));
    must(insert("p", {{"id", Value::of("2")}}));
    must(insert("p", {{"id", Value::of("3")}, {"mail", Value::of("A@b")}}));
    EXPECT_FALSE(insert("p", {{"id", Value::of("4")}, {"mail", Value::of("a@B")}}));
}

TEST_F(WriteTest, AMissingTargetIsNamed) {
    auto const single = insert("posts", {{"id", Value::of("p1")}, {"author", Value::of("nobody")}});
    ASSERT_FALSE(single);
    EXPECT_EQ(single.error().code, ErrorCode::validation);
    ASSERT_EQ(single.error().fields.size(), 1U);
    ASSERT_FALSE(single.error().fields.empty());
    EXPECT_EQ(single.error().fields[0].field, "author");
    EXPECT_EQ(single.error().fields[0].code, "validation_missing_rel_records");
    auto const multiple = insert("posts", {{"id", Value::of("p1")}}, {{"tags", {"t1", "nothing"}}});
    ASSERT_FALSE(multiple);
    ASSERT_FALSE(multiple.error().fields.empty());
    EXPECT_EQ(multiple.error().fields[0].field, "tags");
    EXPECT_FALSE(insert("posts", {{"id", Value::of("p1")}}, {{"tags", {"t1", "t1"}}}));
}

TEST_F(WriteTest, AFailedInsertLeavesNothingOfItselfInItsTransaction) {
    Collection const& posts = *schema->find("posts");
    std::string_view const ids[] = {"t1", "nothing"};
    Transaction* transaction = must(writer->begin());
    Assignment const bad[] = {set(posts, "id", Value::of("bad")), set(posts, "tags", ids)};
    Assignment const good[] = {set(posts, "id", Value::of("good"))};
    EXPECT_FALSE(transaction->insert(posts, bad));
    EXPECT_TRUE(transaction->is_active());
    must(transaction->insert(posts, good));
    must(writer->commit());
    EXPECT_EQ(all("posts", {"id"}), Rows{"good"});
}

TEST_F(WriteTest, WrongTypesAreTheFieldsError) {
    auto const text = insert("posts", {{"id", Value::of("p")}, {"views", Value::of("many")}});
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ErrorCode::validation);
    ASSERT_FALSE(text.error().fields.empty());
    EXPECT_EQ(text.error().fields[0].field, "views");
    auto const null = insert("posts", {{"id", Value::of("p")}, {"title", {}}});
    ASSERT_FALSE(null);
    ASSERT_FALSE(null.error().fields.empty());
    EXPECT_EQ(null.error().fields[0].field, "title");
    auto const boolean = insert("posts", {{"id", Value::of("p")}, {"done", Value::of(std::int64_t{2})}});
    ASSERT_FALSE(boolean);
    ASSERT_FALSE(boolean.error().fields.empty());
    EXPECT_EQ(boolean.error().fields[0].field, "done");
}

TEST_F(WriteTest, SavepointsNest) {
    Collection const& users = *schema->find("users");
    Transaction* transaction = must(writer->begin());
    auto const add = [&](std::string_view id) {
        Assignment const row[] = {set(users, "id", Value::of(id))};
        must(transaction->insert(users, row));
    };
    must(transaction->savepoint());
    add("outer");
    must(transaction->savepoint());
    add("inner");
    must(transaction->rollback_to_savepoint());
    must(transaction->release_savepoint());
    must(writer->commit());
    EXPECT_EQ(all("users", {"id"}), (Rows{"outer", "u1"}));
}

TEST_F(WriteTest, ATransactionReadsItsOwnWrites) {
    Collection const& users = *schema->find("users");
    auto const plan = all_plan("users", {"id"});
    Transaction* transaction = must(writer->begin());
    Assignment const row[] = {set(users, "id", Value::of("new"))};
    must(transaction->insert(users, row));
    EXPECT_EQ(must(rows_of(*transaction, *plan)), (Rows{"new", "u1"}));
    EXPECT_EQ(must(transaction->count({*plan, {}})), 2);
    EXPECT_EQ(must(rows_of(*reader, *plan)), Rows{"u1"});
    writer->rollback();
    EXPECT_EQ(must(rows_of(*reader, *plan)), Rows{"u1"});
}

// An interrupted write makes SQLite undo the whole transaction; what comes next must not be committed alone.
TEST_F(WriteTest, LOCK_03_AfterSqliteUndidTheTransactionNothingMoreIsDone) {
    Collection const& users = *schema->find("users");
    Transaction* transaction = must(writer->begin());
    for (int index = 0; index < 2000; ++index) {
        std::string const id = "n" + std::to_string(index);
        Assignment const row[] = {set(users, "id", Value::of(std::string_view(id)))};
        must(transaction->insert(users, row));
    }
    transaction->set_budget({std::chrono::microseconds(1), ErrorCode::timeout});
    auto const truncated = transaction->truncate(users);
    ASSERT_FALSE(truncated);
    EXPECT_EQ(truncated.error().code, ErrorCode::timeout);
    EXPECT_FALSE(transaction->is_active());
    Assignment const late[] = {set(users, "id", Value::of("late"))};
    EXPECT_FALSE(transaction->insert(users, late));
    EXPECT_FALSE(transaction->savepoint());
    EXPECT_FALSE(writer->commit());
    EXPECT_EQ(all("users", {"id"}), Rows{"u1"});
    transaction = must(writer->begin());
    transaction->set_budget({});
    must(transaction->insert(users, late));
    must(writer->commit());
    EXPECT_EQ(all("users", {"id"}), (Rows{"late", "u1"}));
}

TEST_F(WriteTest, EverythingIsThereAfterReopening) {
    must(insert("posts", {{"id", Value::of("p1")}}, {{"tags", {"t2", "t1"}}}));
    EXPECT_TRUE(must(database->has_table("posts")));
    EXPECT_FALSE(must(database->has_table("nothing")));
    close();
    EXPECT_FALSE(std::filesystem::exists(directory_.path() / "data.db-wal"))
        << "the log was moved and removed";
    open();
    EXPECT_EQ(all("posts", {"id", "tags"}), Rows{R"(p1|["t2","t1"])"});
}

}  // namespace
}  // namespace quern::engine::sqlite
