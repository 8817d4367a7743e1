// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/json_line.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

// Deeper ones are no tables, and every level takes memory.
constexpr int kMaxDepth = 64;

// Replaces NaN outside of strings; "" if there is none.
std::string withoutNan(std::string_view line) {
  if (line.find("NaN") == std::string_view::npos) return {};
  std::string text;
  bool inString = false, replaced = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (inString && line[i] == '\\') {
      text += line.substr(i++, 2);
      continue;
    }
    if (line[i] == '"') inString = !inString;
    const bool isNan = !inString && line.substr(i, 3) == "NaN";
    replaced = replaced || isNan;
    text += isNan ? std::string_view("null") : line.substr(i, 1);
    if (isNan) i += 2;
  }
  return replaced ? text : std::string();
}

// The parser's own words about a fault, without those that say where it was found.
std::string reasonOf(std::string_view what) {
  for (const std::string_view before : {" - ", ": ", "] "})
    if (const std::size_t found = what.find(before); found != std::string_view::npos) {
      what.remove_prefix(found + before.size());
      break;
    }
  return printable(what, 120);
}

}  // namespace

JsonKeys::Key JsonKeys::find(Key object, std::string_view name, std::size_t& next) const {
  if (object == kUnknown) return kUnknown;
  const Node& node = at(object);
  if (next < node.keys.size() && node.keys[next].first == name) return node.keys[next++].second;
  const auto found = node.indexOf.find(name);
  if (found == node.indexOf.end()) return kUnknown;
  next = found->second + 1;
  return node.keys[found->second].second;
}

JsonKeys::Key JsonKeys::add(Key object, std::string_view name, std::size_t column) {
  const auto key = static_cast<Key>(nodes_.size());
  nodes_.push_back({.column = column});
  Node& node = nodes_[static_cast<std::size_t>(object)];
  node.indexOf.emplace(name, node.keys.size());
  node.keys.emplace_back(name, key);
  return key;
}

std::string_view JsonCell::asText(std::string& room) const {
  if (kind != Kind::kInteger) return text;
  room = fmt::format_int(integer).str();
  return room;
}

// The calls of the parser; false ends it.
struct JsonLineReader::Events {
  using Json = nlohmann::json;
  JsonLineReader& reader;

  bool null() { return reader.take(JsonCell{}); }
  bool boolean(bool value) {
    return reader.take({.kind = JsonCell::Kind::kInteger, .integer = value ? 1 : 0});
  }
  bool number_integer(std::int64_t value) {
    return reader.take({.kind = JsonCell::Kind::kInteger, .integer = value});
  }
  bool number_unsigned(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return number_integer(static_cast<std::int64_t>(value));
    return number_float(static_cast<double>(value), fmt::format_int(value).str());
  }
  bool number_float(double value, const std::string& text) {
    return reader.take({.kind = JsonCell::Kind::kNumber, .number = value, .text = text});
  }
  bool string(std::string& value) {
    return reader.take({.kind = JsonCell::Kind::kText, .text = value});
  }
  bool binary(Json::binary_t&) { return false; }  // JSON has none
  bool start_object(std::size_t) { return reader.start(false); }
  bool end_object() { return reader.end(false); }
  bool start_array(std::size_t) { return reader.start(true); }
  bool end_array() { return reader.end(true); }
  bool key(std::string& name) {
    if (reader.skipped_ > 0) return true;
    Object& object = reader.objects_.back();
    reader.key_ = reader.keyOf(object.key, name, object.next);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) {
    reader.isSyntax_ = true;
    return reader.fail(
        fmt::format("at byte {}: {}; a JSON object is accepted", position, reasonOf(error.what())));
  }
};

std::string JsonLineReader::read(std::string_view line) {
  if (parse(line)) return {};
  if (isSyntax_)
    if (const std::string text = withoutNan(line); !text.empty()) {
      const std::string reason = std::exchange(reason_, {});
      startAgain();
      if (parse(text)) return {};
      if (isSyntax_) return reason;
    }
  return std::move(reason_);
}

bool JsonLineReader::parse(std::string_view text) {
  objects_.clear();
  key_ = JsonKeys::kUnknown;
  depth_ = skipped_ = 0;
  inList_ = isSyntax_ = false;
  reason_.clear();
  Events events{*this};
  return nlohmann::json::sax_parse(text.begin(), text.end(), &events);
}

bool JsonLineReader::take(const JsonCell& cell) {
  if (skipped_ > 0) return true;
  if (objects_.empty()) return fail("a value by itself; a JSON object is accepted");
  if (key_ == JsonKeys::kUnknown) return true;
  std::string reason = take(key_, cell, inList_);
  return reason.empty() || fail(std::move(reason));
}

bool JsonLineReader::start(bool isList) {
  if (++depth_ > kMaxDepth)
    return fail(
        fmt::format("objects and lists inside each other, more than {} deep; at most so "
                    "many are accepted",
                    kMaxDepth));
  if (skipped_ > 0) return ++skipped_, true;
  if (isList && objects_.empty()) return fail("a list; a JSON object is accepted");
  if (!objects_.empty() && (inList_ || key_ == JsonKeys::kUnknown)) {
    skipped_ = 1;
    std::string reason = inList_ ? takeNested(key_) : std::string();
    return reason.empty() || fail(std::move(reason));
  }
  if (!isList) {
    objects_.push_back({objects_.empty() ? JsonKeys::kRoot : key_, 0});
    return true;
  }
  inList_ = true;
  std::string reason = takeList(key_);
  return reason.empty() || fail(std::move(reason));
}

bool JsonLineReader::end(bool isList) {
  --depth_;
  if (skipped_ > 0) return --skipped_, true;
  if (isList)
    inList_ = false;
  else
    objects_.pop_back();
  return true;
}

bool JsonLineReader::fail(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

}  // namespace parapet::data
