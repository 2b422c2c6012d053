// SPDX-License-Identifier: Apache-2.0
#include "engine/functions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <quern/buffer.h>
#include <quern/json_writer.h>

namespace quern::engine {

namespace {

constexpr double earth_radius_km = 6371.0;

std::optional<double> finite(Value const& value) {
    if (value.kind == ValueKind::integer) return static_cast<double>(value.integer);
    if (value.kind == ValueKind::real && std::isfinite(value.real)) return value.real;
    return std::nullopt;
}

double radians(double degrees) { return degrees * std::numbers::pi / 180.0; }

}  // namespace

Value fold(Value const& value, std::string& storage) {
    if (!value.is_text()) return value;
    storage = fold_case(value.text);
    return Value::of(std::string_view(storage));
}

std::optional<std::string_view> like_text(Value const& value, std::string& storage) {
    switch (value.kind) {
    case ValueKind::null: return std::nullopt;
    case ValueKind::text:
    case ValueKind::blob: return value.text;
    case ValueKind::integer: storage = std::to_string(value.integer); return storage;
    case ValueKind::real: {
        Buffer buffer;
        json::append_real(buffer, value.real);
        storage = buffer.view();
        return storage;
    }
    }
    return std::nullopt;
}

// The haversine form: exact enough also for points close together, where the cosine form loses its digits.
Value geo_distance(Value const& lon_a, Value const& lat_a, Value const& lon_b, Value const& lat_b) {
    auto const a_lon = finite(lon_a);
    auto const a_lat = finite(lat_a);
    auto const b_lon = finite(lon_b);
    auto const b_lat = finite(lat_b);
    if (!a_lon || !a_lat || !b_lon || !b_lat) return {};
    double const half_lat = std::sin(radians(*b_lat - *a_lat) / 2);
    double const half_lon = std::sin(radians(*b_lon - *a_lon) / 2);
    double const chord =
        half_lat * half_lat + std::cos(radians(*a_lat)) * std::cos(radians(*b_lat)) * half_lon * half_lon;
    return Value::of(2 * earth_radius_km * std::asin(std::min(1.0, std::sqrt(chord))));
}

}  // namespace quern::engine
