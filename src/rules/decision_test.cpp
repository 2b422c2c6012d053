// SPDX-License-Identifier: Apache-2.0
#include "rules/decision.h"

#include <gtest/gtest.h>

namespace quern::rules {
namespace {

std::shared_ptr<Schema const> schema_with(Rule list, Rule update) {
    auto notes = std::make_shared<Collection>();
    notes->id = "c_notes";
    notes->name = "notes";
    for (char const* const name : {"id", "title"}) {
        Field field;
        field.id = field.name = name;
        notes->fields.push_back(field);
    }
    notes->list_rule = std::move(list);
    notes->update_rule = std::move(update);
    return std::make_shared<Schema const>(std::vector<std::shared_ptr<Collection const>>{notes}, 1);
}

TEST(Decision, NothingIsLockedEmptyIsOpenTextIsACondition) {
    auto const schema = schema_with("", "title = 'x'");
    Collection const& notes = *schema->find("notes");
    Principal const anyone;
    EXPECT_EQ(decide(notes, query::Action::list, anyone).kind, Decision::Kind::open);
    EXPECT_EQ(decide(notes, query::Action::update, anyone).kind, Decision::Kind::condition);
    EXPECT_EQ(decide(notes, query::Action::remove, anyone).kind, Decision::Kind::locked);

    EXPECT_EQ(authorise(notes, query::Action::list, anyone)->kind(), query::Access::Kind::all);
    auto const update = authorise(notes, query::Action::update, anyone);
    ASSERT_TRUE(update);
    EXPECT_EQ(update->kind(), query::Access::Kind::by_rule);
    EXPECT_EQ(update->action(), query::Action::update);
    auto const remove = authorise(notes, query::Action::remove, anyone);
    ASSERT_FALSE(remove);
    EXPECT_EQ(remove.error().code, ErrorCode::forbidden);
}

TEST(Decision, SuperusersMayDoEverything) {
    auto const schema = schema_with(std::nullopt, "title = 'x'");
    Principal superuser;
    superuser.superuser = true;
    for (auto const action : {query::Action::list, query::Action::view, query::Action::create,
                              query::Action::update, query::Action::remove}) {
        EXPECT_EQ(decide(*schema->find("notes"), action, superuser).kind, Decision::Kind::open);
    }
}

TEST(CheckRules, NamesEveryBrokenRuleWithPosition) {
    auto const good = schema_with("title = 'x' && @request.method = 'GET'", "");
    EXPECT_TRUE(check_rules(good, *good->find("notes")));

    auto const broken = schema_with("title = 'x' && titel = 1", "title =");
    auto const checked = check_rules(broken, *broken->find("notes"));
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, ErrorCode::validation);
    ASSERT_EQ(checked.error().fields.size(), 2U);
    EXPECT_EQ(checked.error().fields[0].field, "listRule");
    EXPECT_EQ(checked.error().fields[0].message, "Invalid listRule at position 16: unknown field \"titel\".");
    EXPECT_EQ(checked.error().fields[1].field, "updateRule");
}

}  // namespace
}  // namespace quern::rules
