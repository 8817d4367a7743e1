// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
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

/// A column of 64-bit integers.
struct Column {
  std::string name;
  std::vector<std::uint64_t> values{1, 2, 3};
  bool isUnsigned = false;
  int codec = 0;
  bool isInStruct = false;
};

/// A file with one row group, or with none.
inline std::string file(const std::vector<Column>& columns, bool hasGroup = true) {
  std::string bytes = "PAR1";
  std::vector<Thrift> schema{
      Thrift().text(4, "schema").i32(5, static_cast<std::int64_t>(columns.size()))};
  std::vector<Thrift> chunks;
  std::int64_t rows = 0;
  for (const Column& column : columns) {
    Thrift element = Thrift().i32(1, 2).i32(3, 0).text(4, column.name);
    if (column.isUnsigned) element.i32(6, 14);
    std::vector<std::string> path{column.name};
    if (column.isInStruct) {
      schema.push_back(Thrift().i32(3, 0).text(4, "struct").i32(5, 1));
      path.insert(path.begin(), "struct");
    }
    schema.push_back(element);
    rows = static_cast<std::int64_t>(column.values.size());
    const std::int64_t size = rows * 8;
    const auto offset = static_cast<std::int64_t>(bytes.size());
    bytes += Thrift()
                 .i32(1, 0)
                 .i32(2, size)
                 .i32(3, size)
                 .record(5, Thrift().i32(1, rows).i32(2, 0).i32(3, 3).i32(4, 3))
                 .whole();
    bytes.append(reinterpret_cast<const char*>(column.values.data()),
                 static_cast<std::size_t>(size));
    const std::int64_t stored = static_cast<std::int64_t>(bytes.size()) - offset;
    chunks.push_back(Thrift().i64(2, offset).record(3, Thrift()
                                                           .i32(1, 2)
                                                           .numbers(2, {0, 3})
                                                           .texts(3, path)
                                                           .i32(4, column.codec)
                                                           .i64(5, rows)
                                                           .i64(6, stored)
                                                           .i64(7, stored)
                                                           .i64(9, offset)));
  }
  std::vector<Thrift> groups;
  if (hasGroup)
    groups.push_back(
        Thrift().records(1, chunks).i64(2, static_cast<std::int64_t>(bytes.size())).i64(3, rows));
  const std::string footer =
      Thrift().i32(1, 1).records(2, schema).i64(3, hasGroup ? rows : 0).records(4, groups).whole();
  const auto size = static_cast<std::uint32_t>(footer.size());
  char sizeBytes[4];
  std::memcpy(sizeBytes, &size, sizeof size);
  return bytes + footer + std::string(sizeBytes, sizeof sizeBytes) + "PAR1";
}

}  // namespace parapet::data::bytes
