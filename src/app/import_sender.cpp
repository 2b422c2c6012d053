// SPDX-License-Identifier: Apache-2.0
#include "app/import_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <quern/assert.h>

namespace quern::app {

namespace {

constexpr long status_ok = 200;
constexpr long status_unauthorized = 401;
constexpr long status_forbidden = 403;
constexpr long status_not_found = 404;
constexpr long status_too_many_requests = 429;
constexpr long status_unavailable = 503;

constexpr int step_ms_max = 1000;  // longest sleep without looking at the clock

std::int64_t pause_us(int attempts) {
    std::int64_t const doubled = import_pause_us << std::min(attempts - 1, 20);
    return std::min(doubled, import_pause_us_max);
}

}  // namespace

// One record in flight.
struct RecordSender::Slot {
    EasyHandle easy;
    std::string place;
    std::string json;
    std::string answer;
    int attempts = 0;

    // Called before libcurl sends a request. When the connection it goes over turns out to be closed before
    // an answer, libcurl sends the request again by itself; but the server may have done the work before it
    // went away. So a request of which anything was sent is not sent a second time.
    static int on_request(void* easy, char*, char*, int, int) {
        long sent_bytes = 0;
        curl().easy_getinfo(static_cast<CURL*>(easy), CURLINFO_REQUEST_SIZE, &sent_bytes);
        return sent_bytes == 0 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
    }
};

RecordSender::RecordSender(ApiTarget const& target, std::string_view collection, std::size_t concurrency,
                           os::Clock const& clock, std::function<void(Delivered const&)> told)
    : clock_(clock),
      told_(std::move(told)),
      headers_(make_headers(target.token)),
      multi_(curl().multi_init()) {
    QUERN_ASSERT(multi_ != nullptr, "memory for requests");
    QUERN_ASSERT(concurrency > 0, "at least one request at a time");
    curl().multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(concurrency));
    // The answer's other fields would only be thrown away.
    std::string const url =
        fmt::format("{}/api/collections/{}/records?fields=id", target.url, percent_encode(collection));
    for (std::size_t i = 0; i < concurrency; ++i) {
        auto slot = std::make_unique<Slot>();
        slot->easy.reset(curl().easy_init());
        CURL* const easy = slot->easy.get();
        QUERN_ASSERT(easy != nullptr, "memory for a request");
        prepare_request(easy);
        curl().easy_setopt(easy, CURLOPT_URL, url.c_str());
        curl().easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
        curl().easy_setopt(easy, CURLOPT_POST, 1L);
        curl().easy_setopt(easy, CURLOPT_WRITEDATA, &slot->answer);
        curl().easy_setopt(easy, CURLOPT_PRIVATE, slot.get());
        curl().easy_setopt(easy, CURLOPT_PREREQFUNCTION, &Slot::on_request);
        curl().easy_setopt(easy, CURLOPT_PREREQDATA, easy);
        free_.push_back(slot.get());
        slots_.push_back(std::move(slot));
    }
}

RecordSender::~RecordSender() {
    for (auto const& slot : slots_) curl().multi_remove_handle(multi_.get(), slot->easy.get());
}

Result<void> RecordSender::send(std::string_view place, std::string_view json) {
    while (ended_ && (free_.empty() || pause_ms(step_ms_max) > 0)) step(step_ms_max);
    if (!ended_) return ended_;
    Slot& slot = *free_.back();
    free_.pop_back();
    slot.place = place;
    slot.json = json;
    slot.attempts = 0;
    start(slot);
    // When all slots are taken, bytes must move; before that, more records make the next move worth more.
    if (free_.empty()) step(0);
    return {};
}

Result<void> RecordSender::finish() {
    while (in_flight_ > 0 || !waiting_.empty()) step(step_ms_max);
    return ended_;
}

void RecordSender::start(Slot& slot) {
    ++slot.attempts;
    slot.answer.clear();
    curl().easy_setopt(slot.easy.get(), CURLOPT_POSTFIELDS, slot.json.data());
    curl().easy_setopt(slot.easy.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(slot.json.size()));
    QUERN_ASSERT(curl().multi_add_handle(multi_.get(), slot.easy.get()) == CURLM_OK,
                 "the request is not in flight");
    ++in_flight_;
}

void RecordSender::step(int wait_ms) {
    restart_waiting();
    std::size_t const in_flight_before = in_flight_;
    int running = 0;
    QUERN_ASSERT(curl().multi_perform(multi_.get(), &running) == CURLM_OK, "requests go on");
    take_finished();
    if (in_flight_ != in_flight_before || wait_ms == 0) return;
    int const until_resume_ms = waiting_.empty() && in_flight_ > 0 ? wait_ms : pause_ms(wait_ms);
    QUERN_ASSERT(curl().multi_poll(multi_.get(), nullptr, 0, until_resume_ms, nullptr) == CURLM_OK,
                 "requests are watched");
}

void RecordSender::take_finished() {
    int left = 0;
    while (CURLMsg const* const message = curl().multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        CURLcode const code = message->data.result;
        char* slot = nullptr;
        curl().easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot);
        curl().multi_remove_handle(multi_.get(), message->easy_handle);
        --in_flight_;
        finished(*reinterpret_cast<Slot*>(slot), code);
    }
}

void RecordSender::finished(Slot& slot, CURLcode code) {
    if (code != CURLE_OK) return failed(slot, code);
    long status = 0;
    curl().easy_getinfo(slot.easy.get(), CURLINFO_RESPONSE_CODE, &status);
    answered(slot, status);
}

void RecordSender::answered(Slot& slot, long status) {
    switch (status) {
    case status_ok: return tell(slot, Delivery::imported, {});
    case status_too_many_requests:
    case status_unavailable: {
        curl_off_t asked_s = 0;
        curl().easy_getinfo(slot.easy.get(), CURLINFO_RETRY_AFTER, &asked_s);
        return try_again(slot, std::min<std::int64_t>(asked_s * 1'000'000, import_pause_us_max),
                         error_text(status, slot.answer));
    }
    case status_unauthorized:
    case status_forbidden:
        end_early(Error(ErrorCode::forbidden, error_text(status, slot.answer)));
        return tell(slot, Delivery::refused, error_text(status, slot.answer));
    case status_not_found:
        end_early(Error(ErrorCode::not_found, error_text(status, slot.answer)));
        return tell(slot, Delivery::refused, error_text(status, slot.answer));
    default: return tell(slot, Delivery::refused, error_text(status, slot.answer));
    }
}

// No answer. Whether the record may be there depends on whether anything was sent.
void RecordSender::failed(Slot& slot, CURLcode code) {
    long sent_bytes = 0;
    curl().easy_getinfo(slot.easy.get(), CURLINFO_REQUEST_SIZE, &sent_bytes);
    if (sent_bytes > 0) {
        std::string_view const why =
            code == CURLE_ABORTED_BY_CALLBACK ? "the connection was closed" : curl().easy_strerror(code);
        return tell(slot, Delivery::unknown, fmt::format("no answer: {}", why));
    }
    try_again(slot, 0, curl().easy_strerror(code));
}

void RecordSender::try_again(Slot& slot, std::int64_t asked_us, std::string_view why) {
    if (ended_ && slot.attempts >= import_attempts_max) {
        end_early(Error(ErrorCode::io, fmt::format("the server does not take records: {}", why)));
    }
    if (!ended_) return tell(slot, Delivery::not_sent, std::string(why));
    // Everybody pauses: what the server refuses to one it refuses to all.
    resume_at_us_ =
        std::max(resume_at_us_, clock_.monotonic_us() + std::max(asked_us, pause_us(slot.attempts)));
    waiting_.push_back(&slot);
}

void RecordSender::restart_waiting() {
    if (waiting_.empty() || pause_ms(1) > 0) return;
    for (Slot* const slot : std::exchange(waiting_, {})) start(*slot);
}

void RecordSender::tell(Slot& slot, Delivery delivery, std::string text) {
    told_({.place = slot.place, .delivery = delivery, .text = std::move(text)});
    free_.push_back(&slot);
}

void RecordSender::end_early(Error error) {
    if (!ended_) return;
    ended_ = fail(std::move(error));
    for (Slot* const slot : std::exchange(waiting_, {}))
        tell(*slot, Delivery::not_sent, "the run ended early");
}

int RecordSender::pause_ms(int most) const {
    std::int64_t const left_us = resume_at_us_ - clock_.monotonic_us();
    if (left_us <= 0) return 0;
    return static_cast<int>(std::min<std::int64_t>(left_us / 1000 + 1, most));
}

}  // namespace quern::app
