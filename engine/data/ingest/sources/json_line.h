// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parapet::data {

/// Keys of JSON objects as a tree: below a key are those of the objects that are its values. Each has
/// a number.
class JsonKeys {
 public:
  using Key = std::int32_t;
  static constexpr Key kRoot = 0;      ///< the object of a line
  static constexpr Key kUnknown = -1;  ///< also what is below it
  static constexpr std::size_t kNoColumn = ~std::size_t{0};

  JsonKeys() : nodes_(1) {}
  /// The key of this name in the objects of a key. `next` is where it is looked for first, as objects
  /// mostly have their keys in the same order; then the one behind it.
  [[nodiscard]] Key find(Key object, std::string_view name, std::size_t& next) const;
  /// Adds one; its values, objects aside, are those of the column.
  Key add(Key object, std::string_view name, std::size_t column);
  [[nodiscard]] std::size_t columnOf(Key key) const { return at(key).column; }

 private:
  struct Node {
    std::size_t column = kNoColumn;
    std::vector<std::pair<std::string, Key>> keys{};  // in the order of first sight
    std::map<std::string, std::size_t, std::less<>> indexOf{};
  };
  [[nodiscard]] const Node& at(Key key) const { return nodes_[static_cast<std::size_t>(key)]; }

  std::vector<Node> nodes_;
};

/// A value that is neither an object nor a list.
struct JsonCell {
  enum class Kind {
    kNull,
    kInteger,  ///< bools are 1 and 0
    kNumber,   ///< `text` is how it is written; whole numbers beyond int64 too
    kText,
  };
  Kind kind = Kind::kNull;
  std::int64_t integer = 0;
  double number = 0.0;
  std::string_view text{};  ///< until the next value

  /// As a cell of text would say it; `room` is where the text of an integer is made.
  [[nodiscard]] std::string_view asText(std::string& room) const;
};

/// Reads lines that are JSON objects and hands over their values.
class JsonLineReader {
 public:
  virtual ~JsonLineReader() = default;
  /// Reads a line; returns why it is not accepted, or "". NaN, which JSON has not and Python writes,
  /// is null.
  std::string read(std::string_view line);

 protected:
  using Key = JsonKeys::Key;
  /// The key of an object; kUnknown: its values are not wanted.
  virtual Key keyOf(Key object, const std::string& name, std::size_t& next) = 0;
  /// A value of the key, or one of its list. Returns why it is not accepted, or "", as the next two.
  virtual std::string take(Key key, const JsonCell& cell, bool isListed) = 0;
  virtual std::string takeList(Key key) = 0;
  /// An object or a list inside a list.
  virtual std::string takeNested(Key key) = 0;
  /// Forgets the values that were handed over since the line began: it is read again.
  virtual void startAgain() = 0;

 private:
  struct Events;
  struct Object {
    Key key;
    std::size_t next;
  };
  bool parse(std::string_view text);
  bool take(const JsonCell& cell);
  bool start(bool isList);
  bool end(bool isList);
  bool fail(std::string reason);

  std::vector<Object> objects_;  // that are open
  Key key_ = JsonKeys::kUnknown;
  int depth_ = 0;
  int skipped_ =
      0;  // objects and lists that are open inside one that is not wanted, itself included
  bool inList_ = false;
  bool isSyntax_ = false;  // the reason is one of the parser
  std::string reason_;
};

}  // namespace parapet::data
