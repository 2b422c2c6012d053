// SPDX-License-Identifier: Apache-2.0
#pragma once

// A store inside a program: what every contestant of the `store-` legs does, in which order, and what must
// hold before a figure is printed. The contestant brings a Store: how its library opens, inserts, reads and
// changes. The same in Go is bench/rivals/go-store; who changes one changes both.
//
//   usage: PROGRAM DIRECTORY ram|durable [ROWS [SECONDS]]
//
// Classes: `seed` inserts ROWS items in transactions of 1,000. `read` reads an item by a random id, `query`
// the first twenty items of a random bucket by name, `write` adds one to the amount of a random item in a
// transaction of its own, `write-32` does so from 32 threads at once; each ROWS times or for SECONDS,
// whichever ends first. A lap is what one operation took; the clock is read once between two of them.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <linux/magic.h>
#include <sys/statfs.h>

#include "program.h"

namespace bench::store {

constexpr std::int64_t buckets = 100;
constexpr std::size_t rows_of_transaction = 1000;
constexpr std::size_t rows_of_page = 20;
constexpr int callers = 32;
// The same for every contestant; SQLite's own default is 2 MiB.
constexpr std::size_t cache_bytes = std::size_t{16} << 20;
constexpr std::string_view schema =
    "CREATE TABLE buckets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE items (id INTEGER PRIMARY KEY, bucket_id INTEGER NOT NULL REFERENCES buckets(id), "
    "name TEXT NOT NULL, amount INTEGER NOT NULL, note TEXT NOT NULL, UNIQUE (bucket_id, name))";

struct Arguments {
    std::filesystem::path directory;
    bool durable;
    std::int64_t rows = 20'000;
    std::chrono::seconds seconds{5};

    [[nodiscard]] std::filesystem::path file() const { return directory / "store.db"; }
};

// In memory a sync is free, so a figure for durable writes would be made up.
inline void refuse_memory(std::filesystem::path const& directory) {
    struct statfs found {};
    require(statfs(directory.c_str(), &found) == 0, "DIRECTORY is not there");
    if (found.f_type != TMPFS_MAGIC && found.f_type != RAMFS_MAGIC) return;
    std::fprintf(stderr, "%s is in memory, where nothing is durable: name a directory on a disk\n",
                 directory.c_str());
    std::exit(2);
}

inline Arguments read_arguments(int count, char const* const* arguments) {
    std::string_view const mode = count > 2 ? arguments[2] : "";
    if (count > 5 || (mode != "ram" && mode != "durable"))
        give_up("usage: DIRECTORY ram|durable [ROWS [SECONDS]]");
    Arguments read{arguments[1], mode == "durable"};
    if (count > 3) read.rows = std::atoll(arguments[3]);
    if (count > 4) read.seconds = std::chrono::seconds(std::atoi(arguments[4]));
    require(read.rows >= 1 && read.rows <= 10'000'000, "ROWS is 1 to 10000000");
    require(read.seconds.count() >= 1, "SECONDS is at least 1");
    if (read.durable) {
        refuse_memory(read.directory);
        require(!std::filesystem::exists(read.file()), "DIRECTORY has a store.db already");
    }
    return read;
}

// What the row with that id is, in the contestant's own struct.
template <class Item>
Item item(std::int64_t id) {
    char name[24];
    // Times an odd number, so that names differ and do not come in the order of the ids.
    std::snprintf(name, sizeof name, "item %08x", static_cast<std::uint32_t>(id) * 2654435761U);
    return Item{.id = id,
                .bucket_id = (id - 1) % buckets + 1,
                .name = name,
                .amount = id % 1000,
                .note = "What is to be known of the item with the number " + std::to_string(id)};
}

template <class Item>
bool is_item(Item const& one, Item const& other) {
    return one.id == other.id && one.bucket_id == other.bucket_id && one.name == other.name &&
           one.amount == other.amount && one.note == other.note;
}

// splitmix64: the same numbers in every language.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    // 1 to `last`.
    std::int64_t operator()(std::int64_t last) {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        return static_cast<std::int64_t>((mixed ^ (mixed >> 31)) % static_cast<std::uint64_t>(last)) + 1;
    }

private:
    std::uint64_t state_;
};

// The laps of one caller.
class Laps {
public:
    using Clock = std::chrono::steady_clock;

    explicit Laps(std::int64_t expected) { laps_ns_.reserve(static_cast<std::size_t>(expected)); }
    void start() { last_ = Clock::now(); }
    Clock::time_point lap() {
        auto const now = Clock::now();
        laps_ns_.push_back(nanoseconds(now));
        return last_ = now;
    }
    // What came behind the last lap belongs to it: a commit to the insert in front of it.
    void extend() {
        auto const now = Clock::now();
        laps_ns_.back() += nanoseconds(now);
        last_ = now;
    }
    void add(Laps const& other) {
        laps_ns_.insert(laps_ns_.end(), other.laps_ns_.begin(), other.laps_ns_.end());
    }
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(laps_ns_.size()); }
    // Of the sorted laps the one that so many of a hundred do not exceed.
    [[nodiscard]] double percentile_us(std::size_t percent) {
        std::sort(laps_ns_.begin(), laps_ns_.end());
        return static_cast<double>(laps_ns_[(laps_ns_.size() * percent + 99) / 100 - 1]) / 1e3;
    }

private:
    [[nodiscard]] std::uint64_t nanoseconds(Clock::time_point now) const {
        return static_cast<std::uint64_t>(std::chrono::nanoseconds(now - last_).count());
    }
    std::vector<std::uint64_t> laps_ns_;
    Clock::time_point last_;
};

// Wall and CPU time, from start() to stop(), added up.
class Spent {
public:
    void start() {
        cpu_start_us_ = bench::cpu_us();
        start_ = Laps::Clock::now();
    }
    void stop() {
        seconds_ += std::chrono::duration<double>(Laps::Clock::now() - start_).count();
        cpu_us_ += bench::cpu_us() - cpu_start_us_;
    }
    [[nodiscard]] double seconds() const { return seconds_; }
    [[nodiscard]] double cpu_us() const { return cpu_us_; }

private:
    Laps::Clock::time_point start_;
    double cpu_start_us_ = 0;
    double seconds_ = 0;
    double cpu_us_ = 0;
};

struct Figures {
    char const* name;
    Laps laps;
    Spent spent;
};

struct Totals {
    std::int64_t buckets = 0;
    std::int64_t items = 0;
    std::int64_t amount = 0;
};

struct Settings {
    std::string version;
    std::string journal;
    std::int64_t synchronous = 0;
};

inline void print(std::vector<Figures> figures, Settings const& settings) {
    std::string text = "{\"classes\": [";
    for (auto& [name, laps, spent] : figures) {
        char line[256];
        std::snprintf(line, sizeof line,
                      "%s{\"class\": \"%s\", \"count\": %lld, \"seconds\": %.6f, \"ops_per_second\": %.1f, "
                      "\"p50_us\": %.3f, \"p99_us\": %.3f, \"cpu_us\": %.1f}",
                      name == figures.front().name ? "" : ", ", name, static_cast<long long>(laps.count()),
                      spent.seconds(), static_cast<double>(laps.count()) / spent.seconds(),
                      laps.percentile_us(50), laps.percentile_us(99), spent.cpu_us());
        text += line;
    }
    constexpr char const* names[] = {"off", "normal", "full", "extra"};
    require(settings.synchronous >= 0 && settings.synchronous <= 3, "synchronous is something else");
    std::printf("%s], \"sqlite_version\": \"%s\", \"journal\": \"%s\", \"synchronous\": \"%s\"}\n",
                text.c_str(), settings.version.c_str(), settings.journal.c_str(),
                names[settings.synchronous]);
}

// The run of one contestant. A Store has an Item, and
//   void insert(std::span<Item const>, Laps&)   in one transaction, a lap each
//   Item read(std::int64_t id)
//   std::vector<Item> page(std::int64_t bucket)
//   void add_one(std::int64_t id)               by many threads at once
//   Totals totals(), Settings settings()
template <class Store>
class Run {
    using Item = typename Store::Item;

public:
    Run(Store& store, Arguments arguments) : store_(store), arguments_(std::move(arguments)) {}

    void all() {
        figures_.push_back(seed());
        probe_rows();
        figures_.push_back(alone("read", 1000, [this](std::int64_t id) { keep(store_.read(id)); }));
        figures_.push_back(
            alone("query", 1000, [this](std::int64_t id) { keep(store_.page((id - 1) % buckets + 1)); }));
        figures_.push_back(alone("write", 100, [this](std::int64_t id) {
            store_.add_one(id);
            ++amount_;
        }));
        figures_.push_back(together());
        probe_totals();
        print(std::move(figures_), store_.settings());
    }

private:
    Figures seed() {
        Figures figures{"seed", Laps(arguments_.rows), {}};
        std::vector<Item> rows;
        for (std::int64_t id = 1; id <= arguments_.rows;) {
            for (rows.clear(); rows.size() < rows_of_transaction && id <= arguments_.rows; ++id) {
                rows.push_back(item<Item>(id));
                amount_ += rows.back().amount;
            }
            figures.spent.start();
            figures.laps.start();
            store_.insert(rows, figures.laps);
            figures.laps.extend();
            figures.spent.stop();
        }
        return figures;
    }

    // One caller, after a warm-up of so many operations.
    template <class Operation>
    Figures alone(char const* name, int warm_up, Operation operation) {
        Random random(1);
        for (int time = 0; time < warm_up; ++time) operation(random(arguments_.rows));
        Figures figures{name, Laps(arguments_.rows), {}};
        figures.spent.start();
        repeat(arguments_.rows, random, figures.laps, operation);
        figures.spent.stop();
        return figures;
    }

    Figures together() {
        Figures figures{"write-32", Laps(arguments_.rows), {}};
        std::vector<Laps> laps(callers, Laps(0));
        figures.spent.start();
        {
            std::vector<std::jthread> threads;
            for (int caller = 0; caller < callers; ++caller)
                threads.emplace_back([this, caller, &mine = laps[static_cast<std::size_t>(caller)]] {
                    std::int64_t const share =
                        arguments_.rows / callers + (caller < arguments_.rows % callers ? 1 : 0);
                    mine = Laps(share);
                    repeat(share, Random(static_cast<std::uint64_t>(caller) + 100), mine,
                           [this](std::int64_t id) { store_.add_one(id); });
                });
        }
        figures.spent.stop();
        for (Laps const& one : laps) figures.laps.add(one);
        amount_ += figures.laps.count();
        return figures;
    }

    template <class Operation>
    void repeat(std::int64_t count, Random random, Laps& laps, Operation operation) {
        laps.start();
        auto const end = Laps::Clock::now() + arguments_.seconds;
        for (std::int64_t time = 0; time < count; ++time) {
            operation(random(arguments_.rows));
            if (laps.lap() >= end) return;
        }
    }

    void probe_rows() {
        for (std::int64_t const id : {std::int64_t{1}, arguments_.rows / 2 + 1, arguments_.rows})
            require(is_item(store_.read(id), item<Item>(id)), "a row is another one");
        std::vector<Item> wanted;
        constexpr std::int64_t bucket = 7;
        for (std::int64_t id = bucket; id <= arguments_.rows; id += buckets) wanted.push_back(item<Item>(id));
        std::ranges::sort(wanted, {}, &Item::name);
        if (wanted.size() > rows_of_page) wanted.resize(rows_of_page);
        require(std::ranges::equal(store_.page(bucket), wanted, is_item<Item>), "a bucket has other items");
        probe_totals();
    }

    // As many rows as were inserted, and every change that was acknowledged.
    void probe_totals() {
        Totals const totals = store_.totals();
        require(totals.buckets == buckets, "the number of buckets is wrong");
        require(totals.items == arguments_.rows, "the number of items is wrong");
        require(totals.amount == amount_, "a change was lost, or made twice");
        Settings const settings = store_.settings();
        require(!arguments_.durable || (settings.journal == "wal" && settings.synchronous == 2),
                "it is not durable");
    }

    Store& store_;
    Arguments arguments_;
    std::int64_t amount_ = 0;
    std::vector<Figures> figures_;
};

// The whole program. What it made is removed at its end.
template <class Store>
int run(int count, char const* const* words) {
    Arguments const arguments = read_arguments(count, words);
    {
        Store store(arguments);
        Run<Store>(store, arguments).all();
    }
    if (arguments.durable) {
        for (char const* const suffix : {"", "-wal", "-shm"})
            std::filesystem::remove(arguments.file().string() + suffix);
    }
    return 0;
}

}  // namespace bench::store
