// SPDX-License-Identifier: Apache-2.0
#include "http/render.h"

#include <charconv>
#include <chrono>
#include <cstring>

namespace quern::http {

namespace {

// The whole first line, for the statuses in use; empty for others.
std::string_view status_line(int status) {
    switch (status) {
#define QUERN_STATUS(code, text) \
    case code: return "HTTP/1.1 " #code " " text "\r\n"
        QUERN_STATUS(200, "OK");
        QUERN_STATUS(201, "Created");
        QUERN_STATUS(202, "Accepted");
        QUERN_STATUS(204, "No Content");
        QUERN_STATUS(206, "Partial Content");
        QUERN_STATUS(301, "Moved Permanently");
        QUERN_STATUS(302, "Found");
        QUERN_STATUS(303, "See Other");
        QUERN_STATUS(304, "Not Modified");
        QUERN_STATUS(307, "Temporary Redirect");
        QUERN_STATUS(308, "Permanent Redirect");
        QUERN_STATUS(400, "Bad Request");
        QUERN_STATUS(401, "Unauthorized");
        QUERN_STATUS(403, "Forbidden");
        QUERN_STATUS(404, "Not Found");
        QUERN_STATUS(405, "Method Not Allowed");
        QUERN_STATUS(406, "Not Acceptable");
        QUERN_STATUS(408, "Request Timeout");
        QUERN_STATUS(409, "Conflict");
        QUERN_STATUS(410, "Gone");
        QUERN_STATUS(411, "Length Required");
        QUERN_STATUS(412, "Precondition Failed");
        QUERN_STATUS(413, "Content Too Large");
        QUERN_STATUS(414, "URI Too Long");
        QUERN_STATUS(415, "Unsupported Media Type");
        QUERN_STATUS(416, "Range Not Satisfiable");
        QUERN_STATUS(417, "Expectation Failed");
        QUERN_STATUS(422, "Unprocessable Content");
        QUERN_STATUS(429, "Too Many Requests");
        QUERN_STATUS(431, "Request Header Fields Too Large");
        QUERN_STATUS(500, "Internal Server Error");
        QUERN_STATUS(501, "Not Implemented");
        QUERN_STATUS(502, "Bad Gateway");
        QUERN_STATUS(503, "Service Unavailable");
        QUERN_STATUS(504, "Gateway Timeout");
        QUERN_STATUS(505, "HTTP Version Not Supported");
        QUERN_STATUS(507, "Insufficient Storage");
#undef QUERN_STATUS
    default: return {};
    }
}

constexpr std::string_view status_line_start = "HTTP/1.1 404 ";

char* put(char* place, std::string_view text) {
    std::memcpy(place, text.data(), text.size());
    return place + text.size();
}

char* put_number(char* place, std::uint64_t number) { return std::to_chars(place, place + 20, number).ptr; }

char* put_two_digits(char* place, unsigned number) {
    place[0] = static_cast<char>('0' + number / 10);
    place[1] = static_cast<char>('0' + number % 10);
    return place + 2;
}

std::string_view connection_line(ConnectionLine connection) {
    switch (connection) {
    case ConnectionLine::close: return "Connection: close\r\n";
    case ConnectionLine::keep_alive: return "Connection: keep-alive\r\n";
    case ConnectionLine::none: break;
    }
    return "";
}

// Everything in a head but the response's own texts fits into this.
constexpr std::size_t fixed_bytes_max = 256;

}  // namespace

std::string_view reason_phrase(int status) {
    std::string_view line = status_line(status);
    if (line.empty()) return line;
    line.remove_prefix(status_line_start.size());
    line.remove_suffix(2);
    return line;
}

void DateLine::render(std::int64_t second) {
    using namespace std::chrono;
    second_ = second;
    sys_seconds const time{seconds(second)};
    auto const day = floor<days>(time);
    year_month_day const date(day);
    hh_mm_ss const clock(time - day);
    static constexpr std::string_view day_names = "SunMonTueWedThuFriSat";
    static constexpr std::string_view month_names = "JanFebMarAprMayJunJulAugSepOctNovDec";
    auto const year = static_cast<unsigned>(static_cast<int>(date.year()));
    char* place = put(text_.data(), "Date: ");
    place = put(place, day_names.substr(weekday(day).c_encoding() * 3, 3));
    place = put(place, ", ");
    place = put_two_digits(place, static_cast<unsigned>(date.day()));
    place = put(place, " ");
    place = put(place, month_names.substr((static_cast<unsigned>(date.month()) - 1) * 3, 3));
    place = put(place, " ");
    place = put_two_digits(place, year / 100 % 100);
    place = put_two_digits(place, year % 100);
    place = put(place, " ");
    place = put_two_digits(place, static_cast<unsigned>(clock.hours().count()));
    place = put(place, ":");
    place = put_two_digits(place, static_cast<unsigned>(clock.minutes().count()));
    place = put(place, ":");
    place = put_two_digits(place, static_cast<unsigned>(clock.seconds().count()));
    put(place, " GMT\r\n");
}

void append_head(Buffer& output, Response const& response, std::string_view date_line,
                 ConnectionLine connection, BodyEnd end) {
    std::size_t const room =
        fixed_bytes_max + date_line.size() + response.content_type.size() + response.extra_headers.size();
    char* const start = output.reserve(room);
    char* place = start;
    if (std::string_view const line = status_line(response.status); !line.empty()) {
        place = put(place, line);
    } else {
        place = put(place, "HTTP/1.1 ");
        place = put_number(place, static_cast<std::uint64_t>(response.status));
        place = put(place, " \r\n");
    }
    if (!is_bodiless(response.status)) {
        if (!response.content_type.empty()) {
            place = put(place, "Content-Type: ");
            place = put(place, response.content_type);
            place = put(place, "\r\n");
        }
        if (end == BodyEnd::length) {
            place = put(place, "Content-Length: ");
            place = put_number(place, response.body.size());
            place = put(place, "\r\n");
        } else if (end == BodyEnd::chunks) {
            place = put(place, "Transfer-Encoding: chunked\r\n");
        }
    }
    place = put(place, date_line);
    if (!response.extra_headers.empty()) place = put(place, response.extra_headers.view());
    place = put(place, connection_line(connection));
    place = put(place, "\r\n");
    output.advance(static_cast<std::size_t>(place - start));
}

void append_chunk(Buffer& output, std::string_view bytes) {
    if (bytes.empty()) return;
    constexpr std::size_t size_digits_max = 16;
    constexpr int hexadecimal = 16;
    char* const start = output.reserve(size_digits_max + bytes.size() + 4);
    char* place = std::to_chars(start, start + size_digits_max, bytes.size(), hexadecimal).ptr;
    for (std::string_view const part : {std::string_view("\r\n"), bytes, std::string_view("\r\n")})
        place = put(place, part);
    output.advance(static_cast<std::size_t>(place - start));
}

void render_error(ProtocolError const& error, Response& response) {
    response.clear();
    response.status = error.status;
    response.close = true;
    response.body.append("{\"status\":");
    response.body.append_integer(error.status);
    // The messages are our own texts, without anything that JSON would want escaped.
    response.body.append(",\"message\":\"");
    response.body.append(error.message);
    response.body.append("\",\"data\":{}}");
}

}  // namespace quern::http
