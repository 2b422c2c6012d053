// SPDX-License-Identifier: Apache-2.0
#include "schema/collection_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "json/path.h"

namespace quern {
namespace {

struct TestRandom {
    std::mt19937 engine{1};
    void fill(std::span<std::byte> bytes) {
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine());
    }
};

constexpr std::string_view now = "2023-11-14 22:13:20.000Z";

Field system_field(std::string name, FieldType type, bool hidden) {
    Field field;
    field.id = std::string(quern::name(type)) + "_" + name;
    field.name = std::move(name);
    field.type = type;
    field.system = true;
    field.hidden = hidden;
    return field;
}

// "path: code" of everything at fault.
std::string show(Error const& error) {
    std::string text;
    for (FieldError const& one : error.fields)
        text += (text.empty() ? "" : ", ") + one.field + ": " + one.code;
    return text.empty() ? error.message : text;
}

class CollectionJson : public testing::Test {
protected:
    CollectionJson() {
        Collection users = make_collection("users", CollectionType::auth, random_, now);
        users.id = "_pb_users_auth_";
        for (Field const& field : auth_fields_) users.fields.push_back(field);
        users.indexes = auth_indexes(users.id);
        add(std::move(users));
    }

    static std::vector<Index> auth_indexes(std::string_view id) {
        return {{.name = "idx_tokenKey_" + std::string(id),
                 .unique = true,
                 .columns = {{.field = "tokenKey"}},
                 .where_not_empty = {}},
                {.name = "idx_email_" + std::string(id),
                 .unique = true,
                 .columns = {{.field = "email"}},
                 .where_not_empty = "email"}};
    }

    void add(Collection collection) {
        collections_.push_back(std::make_shared<Collection const>(std::move(collection)));
        schema_ = Schema(collections_, collections_.size());
    }

    Result<Collection> read(std::string_view json, Collection const* before = nullptr) {
        auto const tree = json::Tree::parse(json);
        EXPECT_TRUE(tree) << json;
        CollectionReading const reading{.schema = schema_,
                                        .before = before,
                                        .random = random_,
                                        .now = now,
                                        .auth_fields = auth_fields_,
                                        .auth_indexes = auth_indexes,
                                        .coming = coming_,
                                        .check_rule = check_rule_};
        return read_collection(tree->root(), reading);
    }

    std::string errors(std::string_view json, Collection const* before = nullptr) {
        auto const collection = read(json, before);
        return collection ? "" : show(collection.error());
    }
    // Errors of a collection with that one field.
    std::string field_errors(std::string const& field) {
        return errors(R"({"name":"c","fields":[)" + field + "]}");
    }
    std::string index_errors(std::string const& index) {
        Buffer quoted;
        json::append_string(quoted, index);
        return errors(
            R"({"name":"c","fields":[{"name":"t","type":"text"},
                          {"name":"r","type":"relation","collectionId":"users","maxSelect":3}],"indexes":[)" +
            std::string(quoted.view()) + "]}");
    }

    static std::string names(Collection const& collection) {
        std::string text;
        for (Field const& field : collection.fields) text += (text.empty() ? "" : ",") + field.name;
        return text;
    }

    TestRandom random_;
    std::vector<Field> auth_fields_ = {system_field("password", FieldType::password, true),
                                       system_field("tokenKey", FieldType::text, true),
                                       system_field("email", FieldType::email, false),
                                       system_field("emailVisibility", FieldType::boolean, false),
                                       system_field("verified", FieldType::boolean, false)};
    std::vector<std::shared_ptr<Collection const>> collections_;
    std::vector<Collection> coming_;
    std::function<std::optional<std::string>(Collection const&, std::string_view)> check_rule_;
    Schema schema_;
};

std::string printed(Collection const& collection) {
    Buffer buffer;
    json::Writer writer(buffer);
    write_collection(collection, collection.options_json, writer);
    EXPECT_TRUE(json::is_json(buffer.view())) << buffer.view();
    return std::string(buffer.view());
}

TEST_F(CollectionJson, ReadsACollectionOfEveryType) {
    auto const collection =
        read(R"j({"name":"posts","type":"base","listRule":"","viewRule":"id != ''","fields":[
        {"name":"title","type":"text","required":true,"min":2,"max":5,"pattern":"^[a-z]+$",
         "help":"h","presentable":true},
        {"name":"n","type":"number","onlyInt":true,"min":-1,"max":10,"nullable":true},
        {"name":"b","type":"bool"},
        {"name":"e","type":"email","onlyDomains":["X.com"]},
        {"name":"u","type":"url","exceptDomains":["x.com"]},
        {"name":"d","type":"date","min":"2020","max":"2021-01-01T00:00:00Z"},
        {"name":"s","type":"select","values":["a","b","a"],"maxSelect":2},
        {"name":"j","type":"json","maxSize":20},
        {"name":"ed","type":"editor","maxSize":10,"convertURLs":true},
        {"name":"g","type":"geoPoint"},
        {"name":"f","type":"file","maxSelect":3,"mimeTypes":["image/png"],
         "thumbs":["10x10"],"protected":true},
        {"name":"r","type":"relation","collectionId":"users","maxSelect":5,
         "minSelect":1,"cascadeDelete":true},
        {"name":"self","type":"relation","collectionId":"posts"},
        {"name":"pw","type":"password","min":8,"cost":10},
        {"name":"created","type":"autodate","onCreate":true}],
        "indexes":["create unique index idx_p on posts (title)"]})j");
    ASSERT_TRUE(collection) << show(collection.error());
    EXPECT_EQ(names(*collection), "id,title,n,b,e,u,d,s,j,ed,g,f,r,self,pw,created");
    EXPECT_EQ(collection->list_rule, Rule(""));
    EXPECT_EQ(collection->view_rule, Rule("id != ''"));
    EXPECT_EQ(collection->create_rule, Rule());
    EXPECT_EQ(collection->fields[1].max, 5.0);
    EXPECT_TRUE(collection->fields[2].nullable);
    EXPECT_EQ(collection->fields[4].only_domains, std::vector<std::string>{"x.com"});
    EXPECT_EQ(collection->fields[6].min_date, "2020-01-01 00:00:00.000Z");
    EXPECT_EQ(collection->fields[7].values, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(collection->fields[12].collection_id, "_pb_users_auth_");
    EXPECT_EQ(collection->fields[13].collection_id, collection->id);
    EXPECT_EQ(collection->created, now);
    EXPECT_EQ(collection->options_json, "{}");

    // What is printed reads back as the same.
    std::string const text = printed(*collection);
    auto const again = read(text);
    ASSERT_TRUE(again) << show(again.error());
    EXPECT_EQ(*again, *collection);
    auto const tree = json::Tree::parse(text);
    json::Node const fields = tree->root().find("fields").value();
    for (json::Node const node : fields) {
        auto const field = read_field(node);
        ASSERT_TRUE(field);
        EXPECT_EQ(*field, *std::ranges::find(collection->fields, field->name, &Field::name));
    }
}

TEST_F(CollectionJson, PrintsTheOptionsOfEachTypeAlone) {
    Field number;
    number.id = "number1";
    number.name = "n";
    number.type = FieldType::number;
    number.min = 1.5;
    Buffer buffer;
    json::Writer writer(buffer);
    write_field(number, writer);
    EXPECT_EQ(buffer.view(),
              R"({"id":"number1","name":"n","system":false,"hidden":false,"presentable":false,)"
              R"("required":false,"nullable":false,"help":"","min":1.5,"max":null,"onlyInt":false,)"
              R"("type":"number"})");
    buffer.clear();
    Field text;
    text.id = "text1";
    text.name = "t";
    json::Writer text_writer(buffer);
    write_field(text, text_writer);
    EXPECT_NE(buffer.view().find(R"("min":0,"max":0,"pattern":"","autogeneratePattern":"")"),
              std::string_view::npos);
}

TEST_F(CollectionJson, NamesOfCollections) {
    EXPECT_EQ(errors("{}"), "name: validation_required");
    EXPECT_EQ(errors(R"({"name":""})"), "name: validation_required");
    EXPECT_EQ(errors(R"({"name":"posts_2"})"), "");
    for (std::string const name : {"1a", "a b", "a-b", "é", "a\\u0000"}) {
        EXPECT_NE(errors("{\"name\":\"" + name + "\"}"), "") << name;
    }
    for (std::string const name : {"_x", "sqlite_x", "SQLITE_x", "a__b", "a_"}) {
        EXPECT_EQ(errors("{\"name\":\"" + name + "\"}"), "name: validation_not_in_invalid") << name;
    }
    EXPECT_EQ(errors(R"({"name":"a_VIA_b"})"), "name: validation_found_via");
    EXPECT_EQ(errors(R"({"name":"Users"})"), "name: validation_collection_name_exists");
    EXPECT_EQ(errors("{\"name\":\"" + std::string(256, 'a') + "\"}"), "name: validation_length_out_of_range");
    EXPECT_EQ(errors(R"({"name":5})"), "name: validation_invalid_type");
    EXPECT_EQ(errors(R"({"name":"c","type":"zz"})"), "type: validation_in_invalid");
    EXPECT_EQ(errors(R"({"name":"c","type":"view"})"), "type: validation_in_invalid");
    EXPECT_EQ(errors(R"({"name":"c","id":"a b"})"), "id: validation_match_invalid");
    EXPECT_EQ(errors(R"({"name":"c","id":"_pb_users_auth_"})"), "id: validation_not_unique");
    EXPECT_EQ(read(R"({"name":"c","id":"mine"})")->id, "mine");
}

TEST_F(CollectionJson, NamesOfFields) {
    EXPECT_EQ(errors(R"({"name":"c","fields":"x"})"), "fields: validation_invalid_type");
    EXPECT_EQ(field_errors("1"), "fields.0: validation_invalid_type");
    EXPECT_EQ(field_errors(R"({"name":"x"})"), "fields.0.type: validation_in_invalid");
    EXPECT_EQ(field_errors(R"({"name":"x","type":"zz"})"), "fields.0.type: validation_in_invalid");
    EXPECT_EQ(field_errors(R"({"type":"text"})"), "fields.0.name: validation_required");
    for (std::string const name : {"1a", "a b", "a.b", "é"}) {
        EXPECT_EQ(field_errors(R"({"type":"text","name":")" + name + "\"}"),
                  "fields.0.name: validation_match_invalid");
    }
    for (std::string const name :
         {"collectionId", "collectionName", "expand", "rowid", "OID", "_rowid_", "_v", "true", "null"}) {
        EXPECT_EQ(field_errors(R"({"type":"text","name":")" + name + "\"}"),
                  "fields.0.name: validation_not_in_invalid")
            << name;
    }
    EXPECT_EQ(field_errors(R"({"type":"text","name":"a_via_b"})"), "fields.0.name: validation_found_via");
    EXPECT_EQ(field_errors(R"({"type":"text","name":"a"},{"type":"text","name":"A"})"),
              "fields.1.name: validation_duplicated_field_name");
    EXPECT_EQ(field_errors(R"({"type":"text","name":"a","id":"x"},{"type":"text","name":"b","id":"x"})"),
              "fields.1.id: validation_not_unique");
    EXPECT_EQ(field_errors(R"({"type":"text","name":"a","primaryKey":true})"),
              "fields.0.primaryKey: validation_in_invalid");
    std::string many;
    for (std::size_t index = 0; index <= fields_max; ++index) {
        many +=
            (index ? "," : "") + std::string(R"({"type":"bool","name":"f)") + std::to_string(index) + "\"}";
    }
    EXPECT_EQ(field_errors(many), "fields: validation_limit_exceeded");
}

TEST_F(CollectionJson, OptionsOfFields) {
    auto const one = [&](std::string const& options) {
        return field_errors(R"({"name":"x",)" + options + "}");
    };
    EXPECT_EQ(one(R"("type":"text","min":5,"max":2)"),
              "fields.0.max: validation_min_greater_equal_than_required");
    EXPECT_EQ(one(R"("type":"text","min":-1)"), "fields.0.min: validation_min_greater_equal_than_required");
    EXPECT_EQ(one(R"("type":"text","min":1.5)"), "fields.0.min: validation_only_int_constraint");
    EXPECT_EQ(one(R"("type":"text","min":"x")"), "fields.0.min: validation_invalid_type");
    EXPECT_EQ(one(R"("type":"text","pattern":"(")"), "fields.0.pattern: validation_invalid_regex");
    EXPECT_EQ(one(R"("type":"text","autogeneratePattern":"[a-z")"),
              "fields.0.autogeneratePattern: validation_invalid_regex");
    EXPECT_EQ(one(R"("type":"number","min":5,"max":2)"), "fields.0.max: validation_min_number_constraint");
    EXPECT_EQ(one(R"("type":"number","min":1.5,"onlyInt":true)"),
              "fields.0.min: validation_only_int_constraint");
    EXPECT_EQ(one(R"("type":"number","min":1e400)"), "fields.0.min: validation_invalid_type");
    EXPECT_EQ(one(R"("type":"email","onlyDomains":["x"],"exceptDomains":["y"])"),
              "fields.0.exceptDomains: validation_empty, fields.0.onlyDomains: validation_empty");
    EXPECT_EQ(one(R"("type":"url","onlyDomains":["x y"])"), "fields.0.onlyDomains.0: validation_is_domain");
    EXPECT_EQ(one(R"("type":"date","min":"x")"), "fields.0.min: validation_invalid_date");
    EXPECT_EQ(one(R"("type":"date","min":"2021","max":"2020")"),
              "fields.0.max: validation_min_greater_equal_than_required");
    EXPECT_EQ(one(R"("type":"autodate")"),
              "fields.0.onCreate: validation_required, fields.0.onUpdate: validation_required");
    EXPECT_EQ(one(R"("type":"select")"), "fields.0.values: validation_required");
    EXPECT_EQ(one(R"("type":"select","values":["a"],"maxSelect":2)"),
              "fields.0.maxSelect: validation_max_less_equal_than_required");
    EXPECT_EQ(one(R"("type":"select","values":["a",""])"), "fields.0.values.1: validation_required");
    EXPECT_EQ(one(R"("type":"select","values":["a",1])"), "fields.0.values: validation_invalid_type");
    EXPECT_EQ(one(R"("type":"relation")"), "fields.0.collectionId: validation_required");
    EXPECT_EQ(one(R"("type":"relation","collectionId":"nope")"),
              "fields.0.collectionId: validation_field_relation_missing_collection");
    EXPECT_EQ(one(R"("type":"relation","collectionId":"users","maxSelect":2,"minSelect":3)"),
              "fields.0.maxSelect: validation_min_greater_equal_than_required");
    EXPECT_EQ(one(R"("type":"relation","collectionId":"users","maxSelect":2,"nullable":true)"),
              "fields.0.nullable: validation_invalid_value");
    EXPECT_EQ(one(R"("type":"json","maxSize":-1)"),
              "fields.0.maxSize: validation_min_greater_equal_than_required");
    EXPECT_EQ(one(R"("type":"password","cost":100)"),
              "fields.0.cost: validation_max_less_equal_than_required");
    EXPECT_EQ(one(R"("type":"relation","collectionId":"users","maxSelect":0)"), "");
    coming_ = {make_collection("later", CollectionType::base, random_, now)};
    EXPECT_EQ(one(R"("type":"relation","collectionId":"later")"), "");
}

TEST_F(CollectionJson, TheIdIsAlwaysThereAndFirst) {
    auto const collection = read(R"({"name":"c","fields":[{"name":"t","type":"text"},
        {"name":"id","type":"text","min":3,"max":0,"pattern":"","required":false,
         "hidden":true,"system":false}]})");
    ASSERT_TRUE(collection);
    EXPECT_EQ(names(*collection), "id,t");
    Field const& id = collection->fields[0];
    EXPECT_TRUE(id.system && id.primary_key && id.required && !id.hidden);
    EXPECT_EQ(id.min, 3.0);
    EXPECT_FALSE(id.max);
    EXPECT_EQ(id.pattern, "");
    EXPECT_EQ(field_errors(R"({"name":"id","type":"number"})"),
              "fields.0.type: validation_field_type_change");
    EXPECT_EQ(field_errors(R"({"name":"ID","type":"text"})"),
              "fields.0.name: validation_duplicated_field_name");
    EXPECT_EQ(names(*read(R"({"name":"c"})")), "id");
}

TEST_F(CollectionJson, AuthCollectionsGetTheirFieldsIndexesAndOptions) {
    auto const collection = read(R"({"name":"staff","type":"auth","authRule":"verified = true",
        "authToken":{"duration":60},"fields":[{"name":"nick","type":"text"},
        {"name":"email","type":"email","required":true}]})");
    ASSERT_TRUE(collection) << show(collection.error());
    EXPECT_EQ(names(*collection), "id,password,tokenKey,emailVisibility,verified,nick,email");
    EXPECT_TRUE(collection->fields[6].system && collection->fields[6].required);
    EXPECT_EQ(collection->indexes.size(), 2U);
    EXPECT_EQ(collection->options_json, R"({"authRule":"verified = true","authToken":{"duration":60}})");
    EXPECT_NE(printed(*collection).find(R"("system":false,"authRule":"verified = true")"), std::string::npos);
    EXPECT_EQ(errors(R"({"name":"staff","type":"auth","fields":[{"name":"email","type":"text"}]})"),
              "fields.0.type: validation_field_type_change");
    // A base collection has no options, whatever the body says.
    EXPECT_EQ(read(R"({"name":"c","authRule":"x"})")->options_json, "{}");
}

TEST_F(CollectionJson, ChangesKeepWhatTheBodyLeavesOut) {
    auto posts =
        read(R"({"name":"posts","listRule":"","fields":[{"name":"a","type":"text","max":9,"required":true},
        {"name":"b","type":"number"}],"indexes":["create index i on posts (a desc) where a != ''"]})");
    ASSERT_TRUE(posts);
    add(*posts);
    Collection const& before = *collections_.back();
    auto const renamed = read(R"({"name":"articles"})", &before);
    ASSERT_TRUE(renamed);
    EXPECT_EQ(renamed->name, "articles");
    EXPECT_EQ(renamed->id, before.id);
    EXPECT_EQ(renamed->fields, before.fields);
    EXPECT_EQ(renamed->indexes, before.indexes);
    EXPECT_EQ(renamed->list_rule, Rule(""));
    EXPECT_EQ(read(R"({"listRule":null})", &before)->list_rule, Rule());

    // By id: a rename, the index follows, options that are not named stay.
    auto const changed = read(
        R"({"fields":[{"id":")" + before.fields[1].id + R"(","name":"z"},{"name":"b","min":1}]})", &before);
    ASSERT_TRUE(changed) << show(changed.error());
    EXPECT_EQ(names(*changed), "id,z,b");
    EXPECT_EQ(changed->fields[1].id, before.fields[1].id);
    EXPECT_EQ(changed->fields[1].max, 9.0);
    EXPECT_EQ(changed->fields[2].id, before.fields[2].id);
    EXPECT_EQ(changed->fields[2].min, 1.0);
    EXPECT_EQ(changed->indexes[0].columns[0].field, "z");
    EXPECT_EQ(changed->indexes[0].where_not_empty, "z");

    // Fields that the list leaves out go; an index on one must go too.
    EXPECT_EQ(
        errors(R"({"fields":[{"name":"b"}]})", &before),
        "indexes.0: validation_invalid_index_expression, indexes.0: validation_invalid_index_expression");
    EXPECT_EQ(names(*read(R"({"fields":[{"name":"b"}],"indexes":[]})", &before)), "id,b");
    EXPECT_EQ(names(*read(R"({"fields":[],"indexes":null})", &before)), "id");
    // A new field of an old name is the old field.
    EXPECT_EQ(read(R"({"fields":[{"name":"b","type":"text"}],"indexes":[]})", &before)->fields[1].id,
              before.fields[2].id);
    EXPECT_EQ(errors(R"({"fields":[{"name":"b","type":"password"}],"indexes":[]})", &before),
              "fields.0.type: validation_field_type_change");
    EXPECT_EQ(errors(R"({"type":"auth"})", &before), "type: validation_collection_type_change");
    EXPECT_EQ(errors(R"({"id":"x"})", &before), "id: validation_invalid_value");
    EXPECT_EQ(errors(R"({"name":"users"})", &before), "name: validation_collection_name_exists");
    EXPECT_EQ(errors(R"({"name":"Posts"})", &before), "");
}

TEST_F(CollectionJson, FieldIdsStayApartFromRemovedOnes) {
    auto posts = read(R"({"name":"posts","fields":[{"name":"a","type":"text"}]})");
    add(*posts);
    Collection const& before = *collections_.back();
    auto const swapped =
        read(R"({"fields":[{"id":")" + before.fields[1].id + R"(","name":"b"},{"name":"c","type":"text"}]})",
             &before);
    ASSERT_TRUE(swapped);
    // The name "a" is free again, but its id is not.
    add(*swapped);
    auto const again = read(R"({"fields":[{"name":"b"},{"name":"c"},{"name":"a","type":"text"}]})",
                            collections_.back().get());
    ASSERT_TRUE(again);
    EXPECT_NE(again->fields[3].id, before.fields[1].id);
}

TEST_F(CollectionJson, SystemPartsAreProtected) {
    Collection const& users = *collections_.front();
    EXPECT_EQ(names(*read(R"({"fields":[]})", &users)), names(users));
    EXPECT_EQ(errors(R"({"fields":[{"id":"email_email","name":"mail"}]})", &users),
              "fields.0.name: validation_system_field_change");
    EXPECT_EQ(errors(R"({"fields":[{"name":"password","type":"text"}]})", &users),
              "fields.0.type: validation_field_type_change");
    auto const shown =
        read(R"({"fields":[{"name":"password","hidden":false,"system":false,"min":10}]})", &users);
    ASSERT_TRUE(shown);
    EXPECT_TRUE(shown->fields[*shown->find("password")].hidden);
    EXPECT_TRUE(shown->fields[*shown->find("password")].system);
    EXPECT_EQ(shown->fields[*shown->find("password")].min, 10.0);
    EXPECT_EQ(read(R"({"indexes":[]})", &users)->indexes.size(), 2U);

    Collection superusers = users;
    superusers.id = "pbc_3142635823";
    superusers.name = "_superusers";
    superusers.system = true;
    superusers.indexes.clear();
    add(superusers);
    Collection const& system = *collections_.back();
    EXPECT_EQ(errors(R"({"name":"x"})", &system), "name: validation_collection_system_name_change");
    EXPECT_EQ(errors(R"({"listRule":""})", &system), "listRule: validation_collection_system_rule_change");
    EXPECT_EQ(errors(R"({"listRule":null,"name":"_superusers"})", &system), "");
    // Nobody makes a field or a collection of the system's own.
    EXPECT_FALSE(read(R"({"name":"c","system":true,"fields":[{"name":"x","type":"text","system":true}]})")
                     ->fields[1]
                     .system);
}

TEST_F(CollectionJson, RulesAreGivenToTheirCheck) {
    check_rule_ = [](Collection const& collection, std::string_view rule) -> std::optional<std::string> {
        EXPECT_EQ(collection.fields.size(), 2U);
        if (rule == "good") return std::nullopt;
        return "No.";
    };
    EXPECT_EQ(errors(R"({"name":"c","listRule":"good","viewRule":"bad","createRule":"","updateRule":null,
                         "fields":[{"name":"t","type":"text"}]})"),
              "viewRule: validation_invalid_rule");
    EXPECT_EQ(errors(R"({"name":"c","listRule":5})"), "listRule: validation_invalid_type");
}

TEST_F(CollectionJson, Indexes) {
    EXPECT_EQ(index_errors("create index i on c (t)"), "");
    EXPECT_EQ(index_errors("create index i on c (T, id)"), "");
    for (std::string const sql :
         {"", "create index", "create index i on c ()", "create index i on c (t,)", "create table x",
          "create index i on c (lower(t))", "create index i on c (t) where t is not null",
          "create index i on c (t) where t != 'x'", "create index i on c (t); drop table c",
          "create index i on c (t collate foo)", "create index i on c (\"t)", "create index i on c (nope)",
          "create index i on c (r)", "create index i on c (t) where nope != ''", "drop index i",
          "create index \"a b\" on c (t)", "create index sqlite_x on c (t)",
          "create index i on c (t desc asc)"}) {
        EXPECT_EQ(index_errors(sql), "indexes.0: validation_invalid_index_expression") << sql;
    }
    EXPECT_EQ(index_errors("create index IDX_email__pb_users_auth_ on c (t)"),
              "indexes.0: validation_duplicated_index_name");
    EXPECT_EQ(errors(R"j({"name":"c","indexes":["create index a on c (id)","create index A on c (id)"]})j"),
              "indexes.1: validation_duplicated_index_name");
    EXPECT_EQ(errors(R"({"name":"c","indexes":[1]})"), "indexes.0: validation_invalid_type");
}

TEST(IndexSql, ReadsAndPrints) {
    auto const roundtrip = [](std::string_view sql) {
        auto const index = parse_index(sql);
        return index ? print_index(*index, "posts") : "refused";
    };
    EXPECT_EQ(roundtrip("create index i on x (a)"), "CREATE INDEX `i` ON `posts` (`a`)");
    EXPECT_EQ(roundtrip("CREATE UNIQUE INDEX IF NOT EXISTS `i` ON \"x\" ([a] COLLATE NOCASE DESC, 'b' ASC)"),
              "refused");
    EXPECT_EQ(
        roundtrip("CREATE UNIQUE INDEX IF NOT EXISTS `i` ON \"x\" ([a] COLLATE NOCASE DESC,\n\t`b` ASC) ;"),
        "CREATE UNIQUE INDEX `i` ON `posts` (`a` COLLATE NOCASE DESC, `b`)");
    EXPECT_EQ(roundtrip("create index `i` on `x` (`a`) where `a` <> ''"),
              "CREATE INDEX `i` ON `posts` (`a`) WHERE `a` != ''");
    EXPECT_EQ(roundtrip("create index main.i on x (a collate binary)"), "CREATE INDEX `i` ON `posts` (`a`)");
    std::string const printed_once =
        roundtrip("CREATE UNIQUE INDEX i ON t (a COLLATE NOCASE DESC) WHERE a != ''");
    EXPECT_EQ(roundtrip(printed_once), printed_once);
}

}  // namespace
}  // namespace quern
