// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace parapet {

/// A number in JSON, which has no form for NaN and ±Inf: null stands for them.
template <class Json = nlohmann::json>
Json numberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

/// Back again: NaN for null, and for what is no number.
template <class Json>
double numberOrNan(const Json& value) {
  return value.is_number() ? value.template get<double>()
                           : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace parapet
