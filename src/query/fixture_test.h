// SPDX-License-Identifier: Apache-2.0
#pragma once

// The schema that the tests of this room ask questions about.
//
//   orgs      name, plan, api_secret (hidden)                       list: @request.auth.org = id
//   users     auth: email, emailVisibility, name, role, verified, org→orgs, teams→→orgs, roles (select,
//   many),
//             meta (json), password, tokenKey                       list: id = @request.auth.id
//   tags      name                                                  list: everyone
//   posts     title, score (int), rating, ok (bool), day (date), status (select), labels (select, many),
//             data (json), place (geoPoint), author→users, tags→→tags, nick (text, nullable),
//             points (number, nullable), secret (hidden)            list: everyone
//   comments  text, post→posts, author→users                        list: post.ok = true
//   salaries  user→users (unique), amount                           list: superusers

#include <memory>
#include <string>
#include <vector>

#include "schema/collection.h"

namespace quern::query {

class SchemaBuilder {
public:
    Collection& add(std::string name, CollectionType type = CollectionType::base) {
        auto collection = std::make_shared<Collection>();
        collection->id = "c_" + name;
        collection->name = std::move(name);
        collection->type = type;
        Field id = field("id", FieldType::text);
        id.primary_key = true;
        collection->fields.push_back(id);
        collections_.push_back(collection);
        return *collections_.back();
    }
    static Field field(std::string name, FieldType type) {
        Field made;
        made.id = "f_" + name;
        made.name = std::move(name);
        made.type = type;
        return made;
    }
    static Field relation(std::string name, std::string target, std::int64_t max_select = 1) {
        Field made = field(std::move(name), FieldType::relation);
        made.collection_id = "c_" + target;
        made.max_select = max_select;
        return made;
    }
    static Field many(Field made) {
        made.max_select = 9;
        return made;
    }
    static Field hidden(Field made) {
        made.hidden = true;
        return made;
    }
    static Field nullable(Field made) {
        made.nullable = true;
        return made;
    }
    std::shared_ptr<Schema const> build() {
        std::vector<std::shared_ptr<Collection const>> all(collections_.begin(), collections_.end());
        return std::make_shared<Schema const>(std::move(all), 1);
    }

private:
    std::vector<std::shared_ptr<Collection>> collections_;
};

inline std::shared_ptr<Schema const> fixture_schema() {
    using B = SchemaBuilder;
    B builder;
    Collection& orgs = builder.add("orgs");
    orgs.fields.push_back(B::field("name", FieldType::text));
    orgs.fields.push_back(B::field("plan", FieldType::text));
    orgs.fields.push_back(B::hidden(B::field("api_secret", FieldType::text)));
    orgs.list_rule = orgs.view_rule = "@request.auth.org = id";

    Collection& users = builder.add("users", CollectionType::auth);
    users.fields.push_back(B::field("email", FieldType::email));
    users.fields.push_back(B::field("emailVisibility", FieldType::boolean));
    users.fields.push_back(B::field("name", FieldType::text));
    users.fields.push_back(B::field("role", FieldType::text));
    users.fields.push_back(B::field("verified", FieldType::boolean));
    users.fields.push_back(B::relation("org", "orgs"));
    users.fields.push_back(B::relation("teams", "orgs", 9));
    users.fields.push_back(B::many(B::field("roles", FieldType::select)));
    users.fields.push_back(B::field("meta", FieldType::json));
    users.fields.push_back(B::hidden(B::field("password", FieldType::password)));
    users.fields.push_back(B::hidden(B::field("tokenKey", FieldType::text)));
    users.list_rule = users.view_rule = "id = @request.auth.id";

    Collection& tags = builder.add("tags");
    tags.fields.push_back(B::field("name", FieldType::text));
    tags.list_rule = tags.view_rule = "";

    Collection& posts = builder.add("posts");
    posts.fields.push_back(B::field("title", FieldType::text));
    posts.fields.push_back(B::field("score", FieldType::number));
    posts.fields.back().only_int = true;
    posts.fields.push_back(B::field("rating", FieldType::number));
    posts.fields.push_back(B::field("ok", FieldType::boolean));
    posts.fields.push_back(B::field("day", FieldType::date));
    posts.fields.push_back(B::field("status", FieldType::select));
    posts.fields.push_back(B::many(B::field("labels", FieldType::select)));
    posts.fields.push_back(B::field("data", FieldType::json));
    posts.fields.push_back(B::field("place", FieldType::geo_point));
    posts.fields.push_back(B::relation("author", "users"));
    posts.fields.push_back(B::relation("tags", "tags", 9));
    posts.fields.push_back(B::nullable(B::field("nick", FieldType::text)));
    posts.fields.push_back(B::nullable(B::field("points", FieldType::number)));
    posts.fields.push_back(B::hidden(B::field("secret", FieldType::text)));
    posts.list_rule = posts.view_rule = "";

    Collection& comments = builder.add("comments");
    comments.fields.push_back(B::field("text", FieldType::text));
    comments.fields.push_back(B::relation("post", "posts"));
    comments.fields.push_back(B::relation("author", "users"));
    comments.list_rule = comments.view_rule = "post.ok = true";

    Collection& salaries = builder.add("salaries");
    salaries.fields.push_back(B::relation("user", "users"));
    salaries.fields.push_back(B::field("amount", FieldType::number));
    salaries.indexes.push_back({"salaries_user", true, {{"user", false, false}}, ""});
    return builder.build();
}

}  // namespace quern::query
