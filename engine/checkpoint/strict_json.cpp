// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/strict_json.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "engine/base/text.h"

namespace parapet::checkpoint {
namespace {

using nlohmann::json;

/// Listens to the parser and stops it at the first thing that we refuse.
class Guard final : public json::json_sax_t {
 public:
  explicit Guard(int maxDepth) : maxDepth_(maxDepth) {}
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    refusal_ = fmt::format("the key \"{}\" is there twice", printable(name));
    return false;
  }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    refusal_ = fmt::format("no JSON at byte {}", position);
    return false;
  }

 private:
  bool enter() {
    keys_.emplace_back();
    if (keys_.size() <= static_cast<std::size_t>(maxDepth_)) return true;
    refusal_ = fmt::format("nested deeper than {} levels", maxDepth_);
    return false;
  }
  bool leave() {
    keys_.pop_back();
    return true;
  }

  const int maxDepth_;
  std::vector<std::set<std::string>> keys_;  ///< of every open object or array
  std::string refusal_;
};

}  // namespace

Result<json> parseStrictJson(std::string_view text, int maxDepth) {
  Guard guard(maxDepth);
  if (!json::sax_parse(text, &guard)) return Error{ErrorCode::kData, guard.refusal()};
  return json::parse(text);
}

}  // namespace parapet::checkpoint
