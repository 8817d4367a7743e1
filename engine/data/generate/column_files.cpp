// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "engine/data/generate/row_writer.h"

namespace parapet::data {
namespace {

static_assert(std::endian::native == std::endian::little);

using Json = nlohmann::ordered_json;

// How a column lies in its file, which ends so.
enum class ArrayType { kU8, kI32, kI64, kF32 };

const char* endingOf(ArrayType type) {
  switch (type) {
    case ArrayType::kU8:
      return "u8";
    case ArrayType::kI32:
      return "i32";
    case ArrayType::kI64:
      return "i64";
    case ArrayType::kF32:
      return "f32";
  }
  return "";
}

// Columns with missing values need a type that has −1. Generators keep below 2³¹ what they store as
// uint32.
ArrayType arrayTypeOf(const GeneratedColumn& column) {
  switch (column.stored) {
    case ParquetType::kBool:
    case ParquetType::kText:
    case ParquetType::kUint8:
      return column.mayBeMissing ? ArrayType::kI32 : ArrayType::kU8;
    case ParquetType::kUint16:
    case ParquetType::kUint32:
      return ArrayType::kI32;
    case ParquetType::kInt64:
      return ArrayType::kI64;
    case ParquetType::kFloat:
    case ParquetType::kDouble:
      return ArrayType::kF32;
  }
  throw InternalError("[columnFilesWriter] a type of column that nobody stores");
}

template <class T>
Status writeArray(FileWriter& file, const std::vector<T>& values) {
  return file.write(std::as_bytes(std::span(values)));
}

template <class T>
Status writeAs(FileWriter& file, const ColumnValues& column) {
  std::vector<T> values(column.integers.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = column.isMissing(k) ? static_cast<T>(-1) : static_cast<T>(column.integers[k]);
  return writeArray(file, values);
}

/// The array of one column, and of its offsets if its cells are lists.
class ColumnFile {
 public:
  static Result<ColumnFile> create(const std::filesystem::path& folder,
                                   const GeneratedColumn& column) {
    const std::string& name = column.source.name;
    const ArrayType type = arrayTypeOf(column);
    PARAPET_ASSIGN(FileWriter values, FileWriter::create(folder / (name + "." + endingOf(type))));
    ColumnFile file(column, type, std::move(values));
    if (!column.source.isList) return file;
    PARAPET_ASSIGN(FileWriter offsets, FileWriter::create(folder / (name + ".offsets.i64")));
    file.offsets_.emplace(std::move(offsets));
    PARAPET_TRY(writeArray(*file.offsets_, std::vector<std::int64_t>{0}));
    return file;
  }

  Status write(const ColumnValues& column) {
    if (offsets_) {
      std::vector<std::int64_t> ends(column.offsets.begin() + 1, column.offsets.end());
      for (std::int64_t& end : ends) end += written_;
      written_ = ends.back();
      PARAPET_TRY(writeArray(*offsets_, ends));
    }
    if (column.type == ValueType::kText) return writeCodes(column);
    switch (type_) {
      case ArrayType::kU8:
        return writeAs<std::uint8_t>(values_, column);
      case ArrayType::kI32:
        return writeAs<std::int32_t>(values_, column);
      case ArrayType::kI64:
        return writeAs<std::int64_t>(values_, column);
      case ArrayType::kF32:
        return writeArray(values_,
                          std::vector<float>(column.numbers.begin(), column.numbers.end()));
    }
    return {};
  }

  Status finish() {
    if (offsets_) PARAPET_TRY(offsets_->finish());
    return values_.finish();
  }

  [[nodiscard]] Json json() const {
    const std::string& name = column_->source.name;
    Json json{{"name", name}, {"file", name + "." + endingOf(type_)}, {"type", endingOf(type_)}};
    if (offsets_) json["offsets"] = name + ".offsets.i64";
    if (column_->mayBeMissing) json["missing"] = -1;
    if (!column_->words.empty()) json["words"] = column_->words;
    return json;
  }

 private:
  ColumnFile(const GeneratedColumn& column, ArrayType type, FileWriter values)
      : column_(&column), type_(type), values_(std::move(values)) {}

  Status writeCodes(const ColumnValues& column) {
    const auto& words = column_->words;
    std::vector<std::uint8_t> codes;
    codes.reserve(column.texts.size());
    for (const std::string_view text : column.texts)
      codes.push_back(static_cast<std::uint8_t>(std::ranges::find(words, text) - words.begin()));
    return writeArray(values_, codes);
  }

  const GeneratedColumn* column_;
  ArrayType type_;
  FileWriter values_;
  std::optional<FileWriter> offsets_;
  std::int64_t written_ = 0;  // values of lists so far
};

class ColumnFilesWriter final : public RowWriter {
 public:
  ColumnFilesWriter(std::filesystem::path folder, std::int64_t rows, std::vector<ColumnFile> files)
      : folder_(std::move(folder)), rows_(rows), files_(std::move(files)) {}

  Status write(const RowBlock& block, std::string_view) override {
    for (std::size_t c = 0; c < files_.size(); ++c) PARAPET_TRY(files_[c].write(block.columns[c]));
    return {};
  }
  Status finish() override {
    Json manifest{{"rows", rows_}, {"columns", Json::array()}};
    for (ColumnFile& file : files_) {
      PARAPET_TRY(file.finish());
      manifest["columns"].push_back(file.json());
    }
    return writeFileAtomically(folder_ / "manifest.json", manifest.dump(1) + "\n");
  }

 private:
  std::filesystem::path folder_;
  std::int64_t rows_;
  std::vector<ColumnFile> files_;
};

}  // namespace

Result<std::unique_ptr<RowWriter>> columnFilesWriter(const std::filesystem::path& folder,
                                                     const RowGenerator& generator) {
  std::vector<ColumnFile> files;
  files.reserve(generator.columns().size());
  for (const GeneratedColumn& column : generator.columns()) {
    PARAPET_ASSIGN(ColumnFile file, ColumnFile::create(folder, column));
    files.push_back(std::move(file));
  }
  return {std::make_unique<ColumnFilesWriter>(folder, generator.rows(), std::move(files))};
}

}  // namespace parapet::data
