// SPDX-License-Identifier: Apache-2.0
#include "engine/base/record/location.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/text.h"

namespace parapet::record {

Location Location::operator/(std::string_view key) const {
  return {pointer_ + "/" + escapeToken(key), *findings_};
}

Location Location::operator/(std::size_t index) const {
  return {fmt::format("{}/{}", pointer_, index), *findings_};
}

void Location::problem(std::string message, std::string accepted) const {
  findings_->problems.push_back({pointer_, std::move(message), std::move(accepted)});
}

void Location::warning(std::string message, std::string accepted) const {
  findings_->warnings.push_back({pointer_, std::move(message), std::move(accepted)});
}

std::string escapeToken(std::string_view key) {
  std::string token;
  for (const char character : key) {
    if (character == '~') {
      token += "~0";
    } else if (character == '/') {
      token += "~1";
    } else {
      token += character;
    }
  }
  return token;
}

std::string shown(const nlohmann::json& value) {
  using Type = nlohmann::json::value_t;
  switch (value.type()) {
    case Type::null:
      return "null";
    case Type::object:
      return "an object";
    case Type::array:
      return fmt::format("a list of {}", value.size());
    case Type::string:
      return value.get_ref<const std::string&>().empty()
                 ? "an empty text"
                 : fmt::format("the text \"{}\"", printable(value.get_ref<const std::string&>()));
    case Type::boolean:
      return value.get<bool>() ? "true" : "false";
    case Type::number_float:
      // dump() writes NaN and infinities as null.
      return std::isnan(value.get<double>()) ? "no number (NaN)"
                                             : fmt::format("the number {}", value.get<double>());
    default:
      return "the number " + value.dump();
  }
}

}  // namespace parapet::record
