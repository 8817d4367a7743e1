// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Parquet files put together by hand, byte for byte, so that they can hold what no writer writes.
/// Their footers are structs of Thrift's compact protocol, and every column is one plain page.
namespace parapet::data::bytes {

class Thrift {
 public:
  Thrift& i32(int field, std::int64_t value) { return number(field, 5, value); }
  Thrift& i64(int field, std::int64_t value) { return number(field, 6, value); }
  Thrift& flag(int field, bool value) {
    header(field, value ? 1 : 2);
    return *this;
  }
  Thrift& text(int field, const std::string& value) {
    header(field, 8);
    raw(value);
    return *this;
  }
  Thrift& record(int field, const Thrift& value) {
    header(field, 12);
    bytes_ += value.whole();
    return *this;
  }
  Thrift& records(int field, const std::vector<Thrift>& values) {
    header(field, 9);
    bytes_ += static_cast<char>(values.size() << 4 | 12);
    for (const Thrift& value : values) bytes_ += value.whole();
    return *this;
  }
  Thrift& numbers(int field, const std::vector<std::int64_t>& values) {
    header(field, 9);
    bytes_ += static_cast<char>(values.size() << 4 | 5);
    for (const std::int64_t value : values) zigzag(value);
    return *this;
  }
  Thrift& texts(int field, const std::vector<std::string>& values) {
    header(field, 9);
    bytes_ += static_cast<char>(values.size() << 4 | 8);
    for (const std::string& value : values) raw(value);
    return *this;
  }
  [[nodiscard]] std::string whole() const { return bytes_ + '\0'; }

 private:
  void header(int field, int type) {
    bytes_ += static_cast<char>((field - last_) << 4 | type);
    last_ = field;
  }
  Thrift& number(int field, int type, std::int64_t value) {
    header(field, type);
    zigzag(value);
    return *this;
  }
  void raw(const std::string& value) {
    varint(value.size());
    bytes_ += value;
  }
  void zigzag(std::int64_t value) {
    varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
  int last_ = 0;
};

/// Physical types.
enum Physical { kInt32 = 1, kInt64 = 2, kInt96 = 3, kByteArray = 6, kFixedBytes = 7 };

/// A column, of 64-bit integers if nothing else is said.
struct Column {
  std::string name;
  std::vector<std::uint64_t> values{1, 2, 3};
  bool isUnsigned = false;
  int codec = 0;
  bool isInStruct = false;
  Physical physical = kInt64;
  std::vector<std::string> raw{};          ///< the bytes of the values, in place of `values`
  std::function<void(Thrift&)> type = {};  ///< adds what the schema says beyond the physical type
  bool hasBounds = false;                  ///< whether its statistics are there
};

/// The low bytes of an integer, the least significant one first.
inline std::string littleEndian(std::int64_t value, std::size_t width) {
  std::string bytes;
  for (; bytes.size() < width; value >>= 8) bytes += static_cast<char>(value);
  return bytes;
}
inline std::string bigEndian(std::int64_t value, std::size_t width) {
  const std::string bytes = littleEndian(value, width);
  return {bytes.rbegin(), bytes.rend()};
}

/// A file with one row group, or with none.
inline std::string file(const std::vector<Column>& columns, bool hasGroup = true) {
  std::string bytes = "PAR1";
  std::vector<Thrift> schema{
      Thrift().text(4, "schema").i32(5, static_cast<std::int64_t>(columns.size()))};
  std::vector<Thrift> chunks;
  std::int64_t rows = 0;
  for (const Column& column : columns) {
    std::vector<std::string> values = column.raw;
    if (values.empty())
      for (const std::uint64_t value : column.values)
        values.push_back(littleEndian(static_cast<std::int64_t>(value), 8));
    Thrift element = Thrift().i32(1, column.physical);
    if (column.physical == kFixedBytes)
      element.i32(2, static_cast<std::int64_t>(values.front().size()));
    element.i32(3, 0).text(4, column.name);
    if (column.isUnsigned) element.i32(6, 14);
    if (column.type) column.type(element);
    std::vector<std::string> path{column.name};
    if (column.isInStruct) {
      schema.push_back(Thrift().i32(3, 0).text(4, "struct").i32(5, 1));
      path.insert(path.begin(), "struct");
    }
    schema.push_back(element);
    rows = static_cast<std::int64_t>(values.size());
    std::string page;
    for (const std::string& value : values) {
      if (column.physical == kByteArray)
        page += littleEndian(static_cast<std::int64_t>(value.size()), 4);
      page += value;
    }
    const auto size = static_cast<std::int64_t>(page.size());
    const auto offset = static_cast<std::int64_t>(bytes.size());
    bytes += Thrift()
                 .i32(1, 0)
                 .i32(2, size)
                 .i32(3, size)
                 .record(5, Thrift().i32(1, rows).i32(2, 0).i32(3, 3).i32(4, 3))
                 .whole();
    bytes += page;
    const std::int64_t stored = static_cast<std::int64_t>(bytes.size()) - offset;
    Thrift chunk = Thrift()
                       .i32(1, column.physical)
                       .numbers(2, {0, 3})
                       .texts(3, path)
                       .i32(4, column.codec)
                       .i64(5, rows)
                       .i64(6, stored)
                       .i64(7, stored)
                       .i64(9, offset);
    if (column.hasBounds) {
      const auto [least, most] = std::ranges::minmax(column.values);
      const auto bytesOf = [&](std::uint64_t value, const std::string& raw) {
        return column.raw.empty() ? littleEndian(static_cast<std::int64_t>(value), 8) : raw;
      };
      chunk.record(12, Thrift()
                           .text(5, bytesOf(most, *std::ranges::max_element(values)))
                           .text(6, bytesOf(least, *std::ranges::min_element(values))));
    }
    chunks.push_back(Thrift().i64(2, offset).record(3, chunk));
  }
  std::vector<Thrift> groups;
  if (hasGroup)
    groups.push_back(
        Thrift().records(1, chunks).i64(2, static_cast<std::int64_t>(bytes.size())).i64(3, rows));
  const std::string footer =
      Thrift()
          .i32(1, 1)
          .records(2, schema)
          .i64(3, hasGroup ? rows : 0)
          .records(4, groups)
          .records(7, std::vector(columns.size(), Thrift().record(1, Thrift())))  // typed order
          .whole();
  const auto size = static_cast<std::uint32_t>(footer.size());
  char sizeBytes[4];
  std::memcpy(sizeBytes, &size, sizeof size);
  return bytes + footer + std::string(sizeBytes, sizeof sizeBytes) + "PAR1";
}

}  // namespace parapet::data::bytes
