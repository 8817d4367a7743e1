// SPDX-License-Identifier: Apache-2.0
// Stricter than the library alone, which lets the last of equal keys win and takes a NUL byte for
// the end of the text.
#include "engine/base/record/parse_json.h"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <set>

#include "engine/base/text.h"

namespace parapet::record {
namespace {

using Json = nlohmann::json;

// Documents nest less than ten deep; more would exhaust the stack of whoever walks the value.
constexpr std::size_t kMaxDepth = 64;

/// Reads the text and remembers how far, so that an error has a line and a column. Copies share the
/// position.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* position, const char** furthest)
      : position_(position), furthest_(furthest) {}
  reference operator*() const { return *position_; }
  CountingIterator& operator++() {
    ++position_;
    *furthest_ = position_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return position_ == other.position_; }
  bool operator!=(const CountingIterator& other) const { return position_ != other.position_; }

 private:
  const char* position_;
  const char** furthest_;
};

/// Builds the value while the library reads; stops at the first fault.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(string_t& key) override {
    if (open_.back()->contains(key)) {
      fault_ = fmt::format("the key \"{}\" appears twice in one object", printable(key));
      return false;
    }
    key_ = std::move(key);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    fault_ = withoutPrefix(error.what());
    return false;
  }

  [[nodiscard]] const std::string& fault() const { return fault_; }
  Json take() { return std::move(root_); }

 private:
  /// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error …": the part
  /// that says what is wrong; the position is reported separately.
  static std::string withoutPrefix(std::string_view message) {
    if (const auto bracket = message.find("] "); bracket != std::string_view::npos)
      message.remove_prefix(bracket + 2);
    if (message.starts_with("parse error"))
      if (const auto colon = message.find(": "); colon != std::string_view::npos)
        message.remove_prefix(colon + 2);
    return printable(message, 200);
  }
  Json* insert(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }
  bool add(Json value) {
    insert(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() == kMaxDepth) {
      fault_ = fmt::format("nested deeper than {}", kMaxDepth);
      return false;
    }
    // The parent does not grow while its child is open, so the pointer stays valid.
    open_.push_back(insert(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;
  std::string key_;
  std::string fault_;
};

/// The error of a fault seen after `before`.
Error faultAfter(std::string_view before, const std::string& fault, const std::string& path) {
  const auto line = static_cast<std::int64_t>(std::ranges::count(before, '\n')) + 1;
  const std::size_t lineStart = before.rfind('\n');
  const std::size_t column =
      lineStart == std::string_view::npos ? before.size() + 1 : before.size() - lineStart;
  return Error{.code = ErrorCode::kInvalidDocument,
               .message = fmt::format("{}, line {}, column {}: {}",
                                      path.empty() ? "document" : path, line, column, fault),
               .path = path,
               .line = line};
}

}  // namespace

Result<Json> parseJson(std::string_view text, const std::string& path) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return faultAfter(text.substr(0, nul), "a NUL byte, which JSON text cannot have", path);

  const char* furthest = text.data();
  Builder builder;
  const CountingIterator first(text.data(), &furthest);
  const CountingIterator last(text.data() + text.size(), &furthest);
  if (Json::sax_parse(first, last, &builder)) return builder.take();

  const std::string_view read(text.data(), static_cast<std::size_t>(furthest - text.data()));
  // The last byte read is where the fault was seen, unless the text ended too early.
  const bool ended = builder.fault().find("unexpected end of input") != std::string::npos;
  return faultAfter(read.substr(0, read.size() - (ended || read.empty() ? 0 : 1)), builder.fault(),
                    path);
}

}  // namespace parapet::record
