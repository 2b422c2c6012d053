// SPDX-License-Identifier: Apache-2.0
#include "engine/ram/engine.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include <quern/assert.h>
#include "engine/ram/database.h"
#include "engine/ram/select.h"

namespace quern::engine::ram {

namespace {

// The clock is asked once in so many steps of a statement.
constexpr std::uint32_t steps_per_clock_look = 64;

// What the makers, readers and the writer share.
class Committed {
public:
    explicit Committed(Options options) : options_(options) {}

    [[nodiscard]] Options const& options() const { return options_; }

    [[nodiscard]] std::shared_ptr<Tables const> get() const {
        std::scoped_lock const lock(mutex_);
        return tables_;
    }
    void set(Tables tables) {
        auto next = std::make_shared<Tables const>(std::move(tables));
        std::scoped_lock const lock(mutex_);
        tables_.swap(next);
    }

private:
    Options const options_;
    mutable std::mutex mutex_;
    std::shared_ptr<Tables const> tables_ = std::make_shared<Tables const>();  // guarded by mutex_
};

// Budget and chance of the statements of one reader.
class Statements {
public:
    explicit Statements(Options const& options) : clock_(options.clock), random_(options.random_seed) {}

    void set_budget(Budget budget) { budget_ = budget; }

    // For one statement. Lifetime: until the next call.
    [[nodiscard]] Run start() {
        steps_ = 0;
        deadline_us_ = clock_.monotonic_us() + budget_.run_max.count();
        return {[this] { return proceed(); }, budget_.code, random_};
    }

private:
    bool proceed() {
        if (budget_.run_max.count() == 0 || ++steps_ % steps_per_clock_look != 0) return true;
        return clock_.monotonic_us() < deadline_us_;
    }

    os::Clock const& clock_;
    std::mt19937_64 random_;
    Budget budget_;
    std::uint32_t steps_ = 0;
    std::int64_t deadline_us_ = 0;
};

class RamReader final : public Reader {
public:
    explicit RamReader(std::shared_ptr<Committed const> committed)
        : committed_(std::move(committed)), statements_(committed_->options()) {}

    Result<void> select(plan::BoundPlan bound, RowSink& sink) override {
        auto const tables = snapshot();
        return ram::select(bound, *tables, statements_.start(), sink);
    }
    Result<std::int64_t> count(plan::BoundPlan bound) override {
        auto const tables = snapshot();
        return ram::count(bound, *tables, statements_.start());
    }
    void set_budget(Budget budget) override { statements_.set_budget(budget); }
    void end_snapshot() override { held_.reset(); }
    void hold_snapshot() override { held_ = committed_->get(); }

private:
    [[nodiscard]] std::shared_ptr<Tables const> snapshot() const { return held_ ? held_ : committed_->get(); }

    std::shared_ptr<Committed const> committed_;
    Statements statements_;
    std::shared_ptr<Tables const> held_;
};

class RamTransaction final : public Transaction {
public:
    explicit RamTransaction(Committed const& committed)
        : workspace_(*committed.get()), statements_(committed.options()) {}

    [[nodiscard]] Tables const& tables() const { return workspace_.tables(); }

    Result<void> select(plan::BoundPlan bound, RowSink& sink) override {
        return ram::select(bound, workspace_.tables(), statements_.start(), sink);
    }
    Result<std::int64_t> count(plan::BoundPlan bound) override {
        return ram::count(bound, workspace_.tables(), statements_.start());
    }
    void set_budget(Budget budget) override { statements_.set_budget(budget); }
    void end_snapshot() override {}  // it reads its own state
    void hold_snapshot() override {}

    Result<void> insert(Collection const& collection, std::span<Assignment const> row) override {
        return workspace_.insert(collection, row);
    }
    Result<bool> update(Collection const& collection, std::string_view id,
                        std::span<Assignment const> changes) override {
        return workspace_.update(collection, id, changes);
    }
    Result<bool> remove(Collection const& collection, std::string_view id) override {
        return workspace_.remove(collection, id);
    }
    Result<void> truncate(Collection const& collection) override { return workspace_.truncate(collection); }
    Result<void> savepoint() override {
        workspace_.savepoint();
        return {};
    }
    Result<void> release_savepoint() override {
        workspace_.release_savepoint();
        return {};
    }
    Result<void> rollback_to_savepoint() override {
        workspace_.rollback_to_savepoint();
        return {};
    }
    Result<void> alter(std::span<TableChange const> changes, Schema const& schema) override {
        return workspace_.alter(changes, schema);
    }
    [[nodiscard]] bool is_active() const override { return true; }

private:
    Workspace workspace_;
    Statements statements_;
};

class RamWriter final : public Writer {
public:
    explicit RamWriter(std::shared_ptr<Committed> committed) : committed_(std::move(committed)) {}

    Result<Transaction*> begin() override {
        QUERN_ASSERT(!transaction_, "one transaction at a time");
        return &transaction_.emplace(*committed_);
    }
    Result<void> commit() override {
        QUERN_ASSERT(transaction_, "there is something to commit");
        committed_->set(transaction_->tables());
        transaction_.reset();
        return {};
    }
    void rollback() override { transaction_.reset(); }

private:
    std::shared_ptr<Committed> committed_;
    std::optional<RamTransaction> transaction_;
};

class RamEngine final : public Engine {
public:
    explicit RamEngine(Options options) : committed_(std::make_shared<Committed>(options)) {}

    [[nodiscard]] Abilities abilities() const override { return {.name = "ram", .durable = false}; }
    Result<std::unique_ptr<Reader>> open_reader() override { return std::make_unique<RamReader>(committed_); }
    Result<std::unique_ptr<Writer>> open_writer() override { return std::make_unique<RamWriter>(committed_); }
    Result<bool> has_table(std::string_view name) override {
        auto const tables = committed_->get();
        return std::ranges::any_of(
            *tables, [name](auto const& entry) { return entry.second->collection().name == name; });
    }

private:
    std::shared_ptr<Committed> committed_;
};

}  // namespace

std::unique_ptr<Engine> open(Options options) { return std::make_unique<RamEngine>(options); }

}  // namespace quern::engine::ram
