// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "engine/base/quoting.h"
#include "engine/data/generate/row_writer.h"

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

}  // namespace parapet::data
