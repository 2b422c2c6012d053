// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes JSON straight into a Buffer, without a tree and without allocation of its own.
//
// Whatever bytes come in, what goes out is valid UTF-8 and, as long as begin and end, key and value pair up,
// valid JSON: ill-formed bytes of a text become U+FFFD each, a number that is not finite becomes null. Commas
// are the writer's business: call value after value.
//
// Threads: one at a time. Cost: the buffer grows when it must, nothing else allocates; texts are copied 16
// bytes a step as long as nothing needs escaping.

#include <cstdint>
#include <string_view>

#include <quern/buffer.h>

namespace quern::json {

// Appends `text` as a JSON string with its quotes. Escapes `"`, `\` and what is below U+0020; everything else
// stays as it is.
void append_string(Buffer& output, std::string_view text);

// Appends the shortest text that reads back as the same double: plain digits where 1e-6 <= |number| < 1e21,
// an exponent elsewhere, no ".0" behind a whole number, null for what is not finite.
void append_real(Buffer& output, double number);

class Writer {
public:
    // Lifetime: borrows the buffer. Writing begins at the buffer's end.
    explicit Writer(Buffer& output) : output_(output) {}

    void begin_object() { open('{'); }
    void end_object() { close('}'); }
    void begin_array() { open('['); }
    void end_array() { close(']'); }

    void key(std::string_view name) {
        separate();
        append_string(output_, name);
        output_.append(':');
        comma_ = false;
    }
    // A key as prepared by make_key(): quoted, escaped, with its colon.
    void prepared_key(std::string_view bytes) {
        separate();
        output_.append(bytes);
        comma_ = false;
    }

    void string(std::string_view text) {
        separate();
        append_string(output_, text);
        comma_ = true;
    }
    void integer(std::int64_t number) {
        separate();
        output_.append_integer(number);
        comma_ = true;
    }
    void real(double number) {
        separate();
        append_real(output_, number);
        comma_ = true;
    }
    void boolean(bool flag) { raw(flag ? std::string_view("true") : std::string_view("false")); }
    void null() { raw("null"); }
    // JSON text that the caller knows to be valid, as it is: one value, or several with their own commas.
    void raw(std::string_view json) {
        separate();
        output_.append(json);
        comma_ = true;
    }
    // Members or elements that the caller has written by hand, without a comma at either end. Empty is
    // allowed.
    void raw_members(std::string_view members) {
        if (!members.empty()) raw(members);
    }

    // Shortens key() and value.
    void member(std::string_view name, std::string_view text) { key(name), string(text); }
    void member(std::string_view name, char const* text) { key(name), string(text); }
    void member(std::string_view name, std::int64_t number) { key(name), integer(number); }
    void member(std::string_view name, int number) { key(name), integer(number); }
    void member(std::string_view name, bool flag) { key(name), boolean(flag); }
    void member_raw(std::string_view name, std::string_view json) { key(name), raw(json); }

    [[nodiscard]] Buffer& buffer() { return output_; }

private:
    void separate() {
        if (comma_) output_.append(',');
    }
    void open(char bracket) {
        separate();
        output_.append(bracket);
        comma_ = false;
    }
    void close(char bracket) {
        output_.append(bracket);
        comma_ = true;
    }

    Buffer& output_;
    bool comma_ = false;  // a value stands before: the next one needs a comma. One flag serves every depth.
};

// `"name":`, to be kept and given to prepared_key(). Appends to `output`.
void make_key(Buffer& output, std::string_view name);

}  // namespace quern::json
