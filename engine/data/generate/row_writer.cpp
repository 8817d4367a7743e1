// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/row_writer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "engine/base/quoting.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"

namespace parapet::data {
namespace {

template <class Number>
void appendNumber(std::string& text, Number number) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// "3:1|17:0.5"; without weights "3|17".
void appendList(std::string& text, const ColumnValues& values, const ColumnValues* weights,
                std::size_t row) {
  const auto first = static_cast<std::size_t>(values.offsets[row]);
  const auto end = static_cast<std::size_t>(values.offsets[row + 1]);
  for (std::size_t k = first; k < end; ++k) {
    if (k > first) text += '|';
    appendNumber(text, values.integers[k]);
    if (!weights) continue;
    text += ':';
    appendNumber(text, weights->numbers[k]);
  }
}

void appendCell(std::string& text, const ColumnValues& values, std::size_t row) {
  if (values.isMissing(row)) return;
  switch (values.type) {
    case ValueType::kInteger:
      return appendNumber(text, values.integers[row]);
    case ValueType::kNumber:
      return appendNumber(text, values.numbers[row]);
    case ValueType::kText:
      return appendCsvField(text, values.texts[row]);
  }
}

std::string linesOf(const std::vector<GeneratedColumn>& columns, const RowBlock& block) {
  std::string text;
  text.reserve(static_cast<std::size_t>(block.rows) * 8 * columns.size());
  for (std::size_t row = 0; row < static_cast<std::size_t>(block.rows); ++row) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].weighsPrevious) continue;
      if (c > 0) text += ',';
      const bool weighted = c + 1 < columns.size() && columns[c + 1].weighsPrevious;
      if (columns[c].source.isList)
        appendList(text, block.columns[c], weighted ? &block.columns[c + 1] : nullptr, row);
      else
        appendCell(text, block.columns[c], row);
    }
    text += '\n';
  }
  return text;
}

class CsvWriter final : public RowWriter {
 public:
  CsvWriter(FileWriter& file, const RowGenerator& generator)
      : file_(file), columns_(generator.columns()) {}

  Status writeHeader() {
    std::string header;
    for (const GeneratedColumn& column : columns_) {
      if (column.weighsPrevious) continue;
      if (!header.empty()) header += ',';
      appendCsvField(header, column.source.name);
    }
    return file_.write(header + "\n");
  }
  [[nodiscard]] std::string prepare(const RowBlock& block) const override {
    return linesOf(columns_, block);
  }
  Status write(const RowBlock&, std::string_view lines) override { return file_.write(lines); }
  Status finish() override { return {}; }

 private:
  FileWriter& file_;
  const std::vector<GeneratedColumn>& columns_;
};

static_assert(std::endian::native == std::endian::little);

using Json = nlohmann::ordered_json;

// How a column lies in its file, which ends so.
enum class ArrayType { kU8, kI32, kI64, kF32 };

const char* endingOf(ArrayType type) {
  constexpr std::array kNames{"u8", "i32", "i64", "f32"};
  return kNames[static_cast<std::size_t>(type)];
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

class ParquetRows final : public RowWriter {
 public:
  explicit ParquetRows(ParquetWriter file) : file_(std::move(file)) {}
  Status write(const RowBlock& block, std::string_view) override { return file_.write(block); }
  Status finish() override { return file_.finish(); }

 private:
  ParquetWriter file_;
};

}  // namespace

Result<std::unique_ptr<RowWriter>> csvWriter(FileWriter& file, const RowGenerator& generator) {
  auto writer = std::make_unique<CsvWriter>(file, generator);
  PARAPET_TRY(writer->writeHeader());
  return {std::move(writer)};
}

std::string csvLine(const RowGenerator& generator, std::int64_t row) {
  std::string line = linesOf(generator.columns(), generateBlock(generator, row, 1));
  line.pop_back();
  return line;
}

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

Result<std::unique_ptr<RowWriter>> parquetWriter(const std::filesystem::path& path,
                                                 const RowGenerator& generator) {
  std::vector<ParquetColumn> columns;
  for (const GeneratedColumn& column : generator.columns())
    columns.push_back({.name = column.source.name,
                       .type = column.stored,
                       .isList = column.source.isList,
                       .isNullable = column.mayBeMissing});
  PARAPET_ASSIGN(ParquetWriter file, ParquetWriter::create(path, std::move(columns)));
  return {std::make_unique<ParquetRows>(std::move(file))};
}

}  // namespace parapet::data
