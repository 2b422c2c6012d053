// SPDX-License-Identifier: Apache-2.0
#include "app/import.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <quern/assert.h>
#include <quern/buffer.h>
#include <quern/json_writer.h>
#include "app/import_client.h"
#include "app/import_plan.h"
#include "app/import_progress.h"
#include "app/import_sender.h"
#include "app/import_source.h"
#include "app/late_curl.h"
#include "json/reader.h"
#include "os/clock.h"
#include "os/file.h"

namespace quern::app {

namespace {

// Largest file: it is read as a whole.
constexpr std::size_t import_file_bytes_max = std::size_t{4} * 1024 * 1024 * 1024;
// Records a page while the keys of --map are listed.
constexpr std::size_t lookup_page_rows = 1000;

constexpr int exit_done = 0;
constexpr int exit_rows_refused = 1;
constexpr int exit_ended_early = 2;

// How many rows ended how.
struct Counts {
    std::size_t rows = 0;
    std::size_t imported = 0;
    std::size_t refused = 0;
    std::size_t unknown = 0;
    std::size_t not_sent = 0;
};

// A file's text with the room behind it that the JSON parser needs.
struct PaddedText {
    std::string bytes;
    std::size_t size = 0;
    [[nodiscard]] std::string_view view() const { return std::string_view(bytes).substr(0, size); }
};

Result<PaddedText> read_padded(std::filesystem::path const& path) {
    PaddedText text;
    QUERN_TRY(text.bytes, os::read_file(path, import_file_bytes_max));
    text.size = text.bytes.size();
    text.bytes.append(json::padding_bytes, '\0');
    return text;
}

// The JSON of a 200; anything else is an error with the server's words.
Result<json::Tree> expect_json(Result<ApiAnswer> answer, std::string_view what) {
    if (!answer) return fail(std::move(answer).error());
    if (answer->status != 200) {
        return fail(ErrorCode::bad_request,
                    fmt::format("{}: {}", what, error_text(answer->status, answer->body)));
    }
    return json::Tree::parse(answer->body);
}

// Who writes: the token as given, or one for the superuser's address and password.
Result<std::string> find_token(ImportOptions const& options) {
    if (!options.token.empty() || options.email.empty()) return options.token;
    Buffer body;
    json::Writer writer(body);
    writer.begin_object();
    writer.member("identity", options.email);
    writer.member("password", options.password);
    writer.end_object();
    ApiClient client({.url = options.url, .token = {}});
    QUERN_TRY(
        auto const answer,
        expect_json(client.post("/api/collections/_superusers/auth-with-password", body.view()), "sign-in"));
    auto const token = answer.root().find("token");
    if (!token || token->text().empty())
        return fail(ErrorCode::body_invalid, "sign-in: the answer has no token");
    return std::string(token->text());
}

// What a lookup goes through: a text as it is, a number by its digits.
using Keys = std::unordered_map<std::string, std::string>;

Result<void> add_keys(json::Node items, LookupNeed const& need, Keys& keys) {
    for (json::Node const item : items) {
        auto const id = item.find("id");
        auto const key = item.find(need.unique_field);
        if (!id || !key) {
            return fail(ErrorCode::parameter_invalid,
                        fmt::format("--map: '{}' has no field '{}'", need.collection, need.unique_field));
        }
        if (key->is_null() || (key->is(json::Type::string) && key->text().empty())) continue;
        std::string const text(key->is(json::Type::string) ? key->text() : key->raw());
        auto const [place, added] = keys.emplace(text, id->text());
        if (!added && place->second != id->text()) {
            return fail(ErrorCode::parameter_invalid, fmt::format("--map: two records of '{}' have {} = {}",
                                                                  need.collection, need.unique_field, text));
        }
    }
    return {};
}

// Lists the target once, so that a row costs no request of its own.
Result<Lookup> load_lookup(ApiClient& client, LookupNeed const& need) {
    std::string const base = "/api/collections/" + percent_encode(need.collection);
    QUERN_TRY(auto const target, expect_json(client.get(base), need.collection));
    auto const id = target.root().find("id");
    if (!id || id->text() != need.target_id) {
        return fail(ErrorCode::parameter_invalid,
                    fmt::format("--map: '{}' does not point at '{}'", need.field, need.collection));
    }
    auto keys = std::make_shared<Keys>();
    for (std::size_t page = 1;; ++page) {
        std::string const query = fmt::format("/records?page={}&perPage={}&skipTotal=1&sort=id&fields=id,{}",
                                              page, lookup_page_rows, percent_encode(need.unique_field));
        QUERN_TRY(auto const list, expect_json(client.get(base + query), need.collection));
        auto const items = list.root().find("items");
        if (!items)
            return fail(ErrorCode::body_invalid, fmt::format("{}: the answer is no list", need.collection));
        QUERN_CHECK(add_keys(*items, need, *keys));
        if (items->size() < lookup_page_rows) break;
    }
    return Lookup([keys](std::string_view value) -> std::optional<std::string_view> {
        auto const found = keys->find(std::string(value));
        if (found == keys->end()) return std::nullopt;
        return found->second;
    });
}

Result<ImportPlan> make_plan(ApiClient& client, ImportOptions const& options) {
    QUERN_TRY(auto const collection,
              expect_json(client.get("/api/collections/" + percent_encode(options.collection)),
                          options.collection));
    QUERN_TRY(auto plan, ImportPlan::make(collection.root(), options));
    for (LookupNeed const& need : plan.lookups()) {
        QUERN_TRY(auto lookup, load_lookup(client, need));
        plan.set_lookup(need.entry, std::move(lookup));
    }
    return plan;
}

Result<std::unique_ptr<RowSource>> open_rows(std::string_view padded_text, ImportOptions const& options) {
    ImportFormat format = guess_format(options.file, padded_text);
    if (options.format == "json") format = ImportFormat::json;
    if (options.format == "ndjson") format = ImportFormat::ndjson;
    if (options.format == "csv") format = ImportFormat::csv;
    if (options.separator.size() != 1)
        return fail(ErrorCode::parameter_invalid, "--separator: one character");
    return open_source(padded_text, format, options.separator.front());
}

// Rows on their way: read, made into requests, sent, counted.
class Run {
public:
    Run(RowSource& rows, ImportPlan const& plan, Progress& progress, std::string file)
        : rows_(rows), plan_(plan), progress_(progress), file_(std::move(file)) {}

    // Without a sender rows are checked and counted, nothing more.
    // Errors: as RecordSender::send(); body_invalid — the file cannot be read on, or its names fit nothing.
    [[nodiscard]] Result<void> run(RecordSender* sender) {
        sender_ = sender;
        for (;;) {
            switch (rows_.next()) {
            case RowSource::Outcome::end: return {};
            case RowSource::Outcome::broken:
                return fail(ErrorCode::body_invalid, fmt::format("{}: {}", rows_.place(), rows_.problem()));
            case RowSource::Outcome::bad:
                ++counts_.rows;
                ++counts_.refused;
                report(rows_.place(), rows_.problem());
                break;
            case RowSource::Outcome::row: QUERN_CHECK(take_row()); break;
            }
            progress_.advance(counts_.rows, rows_.offset());
        }
    }

    void take_delivered(Delivered const& delivered) {
        switch (delivered.delivery) {
        case Delivery::imported: ++counts_.imported; return;
        case Delivery::refused: ++counts_.refused; break;
        case Delivery::unknown: ++counts_.unknown; break;
        case Delivery::not_sent: ++counts_.not_sent; break;
        }
        std::string_view const prefix = delivered.delivery == Delivery::unknown ? "unknown whether imported: "
                                        : delivered.delivery == Delivery::not_sent ? "not sent: "
                                                                                   : "";
        report(delivered.place, fmt::format("{}{}", prefix, delivered.text));
    }

    [[nodiscard]] Counts const& counts() const { return counts_; }

private:
    Result<void> take_row() {
        // Names that fit nothing in the very first row are a mistake in the command, not in the row.
        if (counts_.rows == 0) {
            if (auto const unknown = plan_.unknown_names(rows_); !unknown.empty()) {
                return fail(ErrorCode::body_invalid, fmt::format("{}", fmt::join(unknown, "\n")));
            }
        }
        ++counts_.rows;
        body_.clear();
        if (auto const written = plan_.write_row(rows_, body_); !written) {
            ++counts_.refused;
            report(rows_.place(), fmt::format("{}", fmt::join(written.error(), "; ")));
            return {};
        }
        if (sender_ == nullptr) {
            ++counts_.imported;
            return {};
        }
        auto sent = sender_->send(rows_.place(), body_.view());
        if (!sent) ++counts_.not_sent;
        return sent;
    }

    void report(std::string_view place, std::string_view text) {
        progress_.line(fmt::format("{}: {}: {}", file_, place, text));
    }

    RowSource& rows_;
    ImportPlan const& plan_;
    RecordSender* sender_ = nullptr;
    Progress& progress_;
    std::string file_;
    Counts counts_;
    Buffer body_;
};

std::string summary(Counts const& counts, bool dry_run, std::int64_t elapsed_us) {
    std::string text = fmt::format("{} rows: {} {}, {} refused", with_thousands(counts.rows),
                                   with_thousands(counts.imported), dry_run ? "would be sent" : "imported",
                                   with_thousands(counts.refused));
    if (counts.unknown > 0) text += fmt::format(", {} unknown", with_thousands(counts.unknown));
    if (counts.not_sent > 0) text += fmt::format(", {} not sent", with_thousands(counts.not_sent));
    return text + fmt::format(" in {:.1f} s", static_cast<double>(elapsed_us) / 1e6);
}

// Sends the rows and waits for the last answer.
Result<void> send_all(Run& run, ApiTarget const& target, ImportOptions const& options,
                      os::Clock const& clock) {
    if (options.dry_run) return run.run(nullptr);
    RecordSender sender(target, options.collection, options.concurrency, clock,
                        [&run](Delivered const& delivered) { run.take_delivered(delivered); });
    Result<void> ended = run.run(&sender);
    Result<void> finished = sender.finish();
    return ended ? finished : ended;
}

// The exit code, or what kept the run from beginning.
Result<int> import_file(ImportOptions const& options, os::Clock const& clock) {
    // Everything that can be wrong with the command is found before the first record is sent.
    QUERN_TRY(auto const text, read_padded(options.file));
    QUERN_TRY(auto const rows, open_rows(text.view(), options));
    QUERN_TRY(auto token, find_token(options));
    ApiClient client({.url = options.url, .token = std::move(token)});
    QUERN_TRY(auto const plan, make_plan(client, options));

    Progress progress(stderr, clock, text.size);
    Run run(*rows, plan, progress, options.file.filename().string());
    Result<void> const ended = send_all(run, client.target(), options, clock);
    progress.finish();

    Counts const& counts = run.counts();
    if (!ended && counts.rows == 0) return fail(ended.error());
    fmt::print("{}\n", summary(counts, options.dry_run, progress.elapsed_us()));
    if (!ended) {
        fmt::print(stderr, "quern import: ended early: {}\n", ended.error().message);
        return exit_ended_early;
    }
    return counts.imported == counts.rows ? exit_done : exit_rows_refused;
}

}  // namespace

int run_import(ImportOptions const& options) {
    os::SystemClock const clock;
    if (auto const opened = load_curl(); !opened) {
        fmt::print(stderr, "quern import: {}\n", opened.error().message);
        return exit_ended_early;
    }
    QUERN_ASSERT(curl().global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK, "libcurl starts");
    ImportOptions cleaned = options;
    while (cleaned.url.ends_with('/')) cleaned.url.pop_back();
    Result<int> const code = import_file(cleaned, clock);
    curl().global_cleanup();
    if (code) return *code;
    std::string text = code.error().message;
    for (FieldError const& field : code.error().fields)
        text += fmt::format("; {}: {}", field.field, field.message);
    fmt::print(stderr, "quern import: {}\n", text);
    return exit_ended_early;
}

CLI::App* add_import(CLI::App& app, ImportOptions& options) {
    CLI::App* import =
        app.add_subcommand("import", "Make records of the rows of a file, through a running server");
    import->add_option("collection", options.collection, "Collection that gets the records")->required();
    import->add_option("file", options.file, "JSON array, NDJSON or CSV")->required();
    import->add_option("--url", options.url, "Where the server is")->capture_default_str();
    import->add_option("--email", options.email, "Superuser who writes");
    import->add_option("--password", options.password, "The superuser's password")->envname("QUERN_PASSWORD");
    import->add_option("--token", options.token, "Token to write with, instead of --email")
        ->envname("QUERN_TOKEN");
    import
        ->add_option(
            "--map", options.maps,
            "FIELD=COLLECTION.UNIQUEFIELD: the file has the unique field's value, the record gets the id")
        ->allow_extra_args(false);
    import
        ->add_option("--rename", options.renames,
                     "FIELD=PATH: what the file calls the field, e.g. name=name.common")
        ->allow_extra_args(false);
    import->add_option("--ignore", options.ignored, "NAME: a column or member that no field takes")
        ->allow_extra_args(false);
    import->add_flag("--ignore-unknown", options.ignore_unknown, "Leave out every name that no field takes");
    import->add_option("--format", options.format, "What the file is")
        ->check(CLI::IsMember({"auto", "json", "ndjson", "csv"}))
        ->capture_default_str();
    import->add_option("--separator", options.separator, "Between the cells of CSV")->capture_default_str();
    import->add_option("--concurrency", options.concurrency, "Requests in flight")
        ->check(CLI::Range(std::size_t{1}, import_concurrency_max))
        ->capture_default_str();
    import->add_flag("--dry-run", options.dry_run, "Check every row, send nothing");
    return import;
}

}  // namespace quern::app
