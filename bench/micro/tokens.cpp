// SPDX-License-Identifier: Apache-2.0
// Who is asking: a token taken apart, and checked.
#include <cstdint>
#include <string>
#include <string_view>

#include "auth/token.h"
#include "micro.h"

namespace bench {

namespace {

namespace auth = quern::auth;

constexpr std::int64_t now_s = 1'700'000'000;
constexpr auth::TokenKey key{.record_key = "yM1Qx3pT8uZkVb5nWc7dRf2gHj4lSa6oEi9tYr0wBq1vXm3zKe",
                             .collection_secret = "Jd7hQw2pLx9sVb4nTc6kRf1gMj8lZa3oEi5tYr0uBq7vXm2zKe"};

std::string token_text() {
    auth::TokenClaims claims;
    claims.id = "h4k2m8p1q9z3x7c";
    claims.collection_id = "pbc_3142635823";
    claims.expires_s = now_s + 86'400;
    claims.refreshable = true;
    return auth::make_token(claims, key);
}

[[nodiscard]] bool is_valid(auth::Token& token, std::string_view text) {
    return token.parse(text).has_value() && token.verify(key, {.now_s = now_s}).has_value();
}

void parse(benchmark::State& state) {
    std::string const text = token_text();
    auth::Token token;
    require(token.parse(text).has_value() && token.unverified_claims().id == "h4k2m8p1q9z3x7c",
            "the token is taken apart wrong");
    measure(state, [&] {
        keep(token.parse(text));
        keep(token);
    });
}

void check(benchmark::State& state) {
    std::string const text = token_text();
    std::string forged = text;
    forged[forged.size() - 2] = forged[forged.size() - 2] == 'A' ? 'B' : 'A';
    auth::Token token;
    require(!is_valid(token, forged), "a forged token is taken for true");
    require(is_valid(token, text), "the token is refused");
    measure(state, [&] { keep(is_valid(token, text)); });
}

}  // namespace

void add_tokens() {
    benchmark::RegisterBenchmark("token/parse", parse);
    benchmark::RegisterBenchmark("token/parse_and_verify", check);
}

}  // namespace bench
