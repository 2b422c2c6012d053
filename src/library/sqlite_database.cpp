// SPDX-License-Identifier: Apache-2.0

// The Database as programs see it.

#include <quern/sqlite.h>

#include "crypto/random.h"
#include "library/shared_reads.h"
#include "library/sqlite_core.h"
#include "os/file.h"

namespace quern {

namespace {

// A submitted write owns itself until it is told.
class SubmittedWrite final : public detail::QueuedWrite {
public:
    SubmittedWrite(std::move_only_function<Result<void>(Transaction&)> work,
                   std::move_only_function<void(Result<void>)> done)
        : work_(std::move(work)), done_(std::move(done)) {}
    Result<void> run(Transaction& transaction) override { return work_(transaction); }
    void done(Result<void> result) override {
        std::unique_ptr<SubmittedWrite> const self(this);
        done_(std::move(result));
    }

private:
    std::move_only_function<Result<void>(Transaction&)> work_;
    std::move_only_function<void(Result<void>)> done_;
};

std::filesystem::path temporary_path() {
    constexpr std::size_t name_chars = 20;
    crypto::SystemRandom random;
    std::filesystem::path const memory = "/dev/shm";
    auto const place = os::file_system_of(memory);
    bool const in_memory = place && place->volatile_memory;
    return (in_memory ? memory : std::filesystem::path("/tmp")) /
           ("quern-" + crypto::random_text(random, crypto::alphabet_id, name_chars) + ".db");
}

}  // namespace

namespace detail {

Result<void> check_bound(SqlText const& sql, std::size_t bound) {
    if (sql.bind_count() == bound) return {};
    return fail(ErrorCode::parameter_invalid, "The SQL text takes " + std::to_string(sql.bind_count()) +
                                                  " values, not " + std::to_string(bound) + ".");
}

}  // namespace detail

Database::Database(std::shared_ptr<detail::DatabaseCore> core) : core_(std::move(core)) {}

Database::~Database() { core_->close(); }

Result<std::shared_ptr<Database>> Database::open(std::filesystem::path const& path, DatabaseOptions options) {
    if (path.empty() || path == ":memory:")
        return fail(ErrorCode::parameter_invalid,
                    "A database is a file; one for a test is opened with open_temporary().");
    QUERN_TRY(auto core, detail::DatabaseCore::open(path, options, false));
    return std::shared_ptr<Database>(new Database(std::move(core)));
}

Result<std::shared_ptr<Database>> Database::open_temporary(DatabaseOptions options) {
    options.exclusive = true;
    options.durability = Durability::relaxed;
    QUERN_TRY(auto core, detail::DatabaseCore::open(temporary_path(), options, true));
    return std::shared_ptr<Database>(new Database(std::move(core)));
}

Result<detail::SqlRun> Database::read(detail::SqlKey& key) {
    QUERN_TRY(auto* const reader, core_->reader());
    return reader->start(key);
}

Result<detail::SqlRun> Database::read(SqlText const& sql, std::size_t bound) {
    if (sql.kind() != SqlKind::read)
        return fail(ErrorCode::parameter_invalid, "A text that writes is for a transaction.");
    QUERN_CHECK(detail::check_bound(sql, bound));
    QUERN_TRY(auto* const reader, core_->reader());
    return reader->start(sql);
}

Result<void> Database::write(detail::WriteWork& work) {
    detail::drop_shared_snapshots();
    return core_->writer->write(work, false);
}

void Database::submit(std::move_only_function<Result<void>(Transaction&)> work,
                      std::move_only_function<void(Result<void>)> done) {
    auto queued = std::make_unique<SubmittedWrite>(std::move(work), std::move(done));
    core_->writer->submit(*queued.release());
}

DatabaseStatistics Database::statistics() const {
    DatabaseStatistics statistics;
    core_->add_to(statistics);
    return statistics;
}

// --- migrations ---

namespace {

Result<std::int64_t> version_of(detail::SqlConnection& connection) {
    return connection.engine().query_integer("PRAGMA user_version");
}

// One script. Does nothing when another process was faster.
class Migration final : public detail::WriteWork {
public:
    Migration(detail::SqlConnection& connection, std::string_view script, std::int64_t version)
        : connection_(connection), script_(script), version_(version) {}

    Result<void> run(Transaction&) override {
        QUERN_TRY(auto const version, version_of(connection_));
        if (version >= version_) return {};
        detail::LegacyRenameReset const reset(connection_);
        QUERN_CHECK(connection_.execute_script(script_));
        QUERN_TRY(auto const broken, connection_.engine().query_text("PRAGMA foreign_key_check"));
        if (!broken.empty())
            return fail(ErrorCode::validation, "Migration " + std::to_string(version_) +
                                                   " leaves a foreign key of the table \"" + broken +
                                                   "\" that points nowhere.");
        return connection_.execute("PRAGMA user_version = " + std::to_string(version_));
    }

private:
    detail::SqlConnection& connection_;
    std::string_view script_;
    std::int64_t version_;
};

// Reads the version in its turn.
class VersionWork final : public detail::WriteWork {
public:
    explicit VersionWork(detail::SqlConnection& connection) : connection_(connection) {}
    Result<void> run(Transaction&) override {
        QUERN_TRY(version, version_of(connection_));
        return {};
    }
    std::int64_t version = 0;

private:
    detail::SqlConnection& connection_;
};

}  // namespace

Result<void> Database::migrate(std::span<std::string_view const> scripts) {
    detail::SqlWriter& writer = *core_->writer;
    VersionWork now(writer.connection());
    QUERN_CHECK(writer.write(now, false));
    if (now.version < 0 || static_cast<std::uint64_t>(now.version) > scripts.size())
        return fail(ErrorCode::unsupported, "The database file is of version " + std::to_string(now.version) +
                                                ", which is later than this program's " +
                                                std::to_string(scripts.size()) + ".");
    for (auto index = static_cast<std::size_t>(now.version); index < scripts.size(); ++index) {
        Migration migration(writer.connection(), scripts[index], static_cast<std::int64_t>(index) + 1);
        QUERN_CHECK(writer.write(migration, true));
    }
    return {};
}

}  // namespace quern
