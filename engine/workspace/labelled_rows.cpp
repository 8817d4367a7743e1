// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/labelled_rows.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <list>

#include "engine/base/atomic_file.h"
#include "engine/base/quoting.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/data/dataset/parquet/parquet_writer.h"

namespace parapet::workspace {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kRowsAtOnce = 1 << 16;

std::span<const float> rowOf(const LabelledRows& matrix, std::int64_t row) {
  return matrix.values.subspan(static_cast<std::size_t>(row * matrix.dim),
                               static_cast<std::size_t>(matrix.dim));
}

checkpoint::TensorView valuesOf(const LabelledRows& matrix) {
  return {matrix.name,
          checkpoint::ElementType::kF32,
          {matrix.rows, matrix.dim},
          std::as_bytes(matrix.values)};
}

Status writeSafetensors(const fs::path& path, std::span<const LabelledRows> matrices,
                        const std::map<std::string, std::string>& metadata) {
  struct Ids {
    std::string bytes;
    std::vector<std::int64_t> ends;
  };
  std::list<Ids> kept;
  std::vector<checkpoint::TensorView> tensors;
  for (const LabelledRows& matrix : matrices) {
    tensors.push_back(valuesOf(matrix));
    if (!matrix.id) continue;
    Ids& ids = kept.emplace_back();
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      ids.bytes += matrix.id(row);
      ids.ends.push_back(static_cast<std::int64_t>(ids.bytes.size()));
    }
    tensors.push_back({matrix.name + "/ids",
                       checkpoint::ElementType::kU8,
                       {static_cast<std::int64_t>(ids.bytes.size())},
                       std::as_bytes(std::span(ids.bytes))});
    tensors.push_back({matrix.name + "/id_ends",
                       checkpoint::ElementType::kI64,
                       {matrix.rows},
                       std::as_bytes(std::span(ids.ends))});
  }
  return checkpoint::writeSafetensors(path, tensors, metadata);
}

Status writeIds(const fs::path& path, const LabelledRows& matrix) {
  return writeAtomically(path, [&](FileWriter& file) -> Status {
    std::string lines = "id\n";
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      // A line without a character would be no row to those who skip blank lines.
      if (matrix.id(row).empty())
        lines += "\"\"";
      else
        appendCsvField(lines, matrix.id(row));
      lines += '\n';
    }
    return file.write(lines);
  });
}

Status writeCsv(const fs::path& path, const LabelledRows& matrix, const WorkContext& context) {
  return writeAtomically(path, [&](FileWriter& file) -> Status {
    std::string lines = matrix.id ? "id," : "";
    for (std::int64_t column = 0; column < matrix.dim; ++column)
      lines += fmt::format("v{}{}", column, column + 1 < matrix.dim ? ',' : '\n');
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      if (matrix.id) {
        appendCsvField(lines, matrix.id(row));
        lines += ',';
      }
      for (const float value : rowOf(matrix, row))
        fmt::format_to(std::back_inserter(lines), FMT_COMPILE("{},"), value);
      lines.back() = '\n';
      if ((row + 1) % kRowsAtOnce != 0) continue;
      if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
      context.report("exporting", row + 1, matrix.rows);
      PARAPET_TRY(file.write(lines));
      lines.clear();
    }
    return file.write(lines);
  });
}

Status writeParquet(const fs::path& path, const LabelledRows& matrix, const WorkContext& context) {
  std::vector<data::ParquetColumn> columns;
  if (matrix.id) columns.push_back({"id", data::ParquetType::kText});
  columns.push_back({"vector", data::ParquetType::kFloat, /*isList=*/true});
  PARAPET_ASSIGN(auto writer, data::ParquetWriter::create(path, columns));
  data::RowBlock block;
  block.columns.resize(columns.size());
  data::ColumnValues& vectors = block.columns.back();
  for (std::int64_t first = 0; first < matrix.rows; first += kRowsAtOnce) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
    context.report("exporting", first, matrix.rows);
    const std::int64_t end = std::min(first + kRowsAtOnce, matrix.rows);
    block.clear();
    block.rows = end - first;
    if (matrix.id) block.columns[0].type = data::ValueType::kText;
    vectors.type = data::ValueType::kNumber;
    vectors.offsets.assign(1, 0);
    for (std::int64_t row = first; row < end; ++row) {
      if (matrix.id) block.columns[0].texts.push_back(matrix.id(row));
      const std::span<const float> values = rowOf(matrix, row);
      vectors.numbers.insert(vectors.numbers.end(), values.begin(), values.end());
      vectors.offsets.push_back(static_cast<std::int32_t>(vectors.numbers.size()));
    }
    PARAPET_TRY(writer.write(block));
  }
  return writer.finish();
}

}  // namespace

std::string formulaNote(const std::string& format, std::span<const LabelledRows> matrices) {
  if (format != "csv" && format != "npy") return {};  // whose ids are in a CSV file
  FormulaCount formulas;
  for (const LabelledRows& matrix : matrices)
    for (std::int64_t row = 0; matrix.id && row < matrix.rows; ++row) formulas.look(matrix.id(row));
  return formulas.note();
}

std::string exportedFileName(std::string name, std::string_view ending) {
  std::ranges::replace(name, '/', '.');
  return name.append(ending);
}

Result<std::vector<fs::path>> writeLabelledRows(const fs::path& out, const std::string& format,
                                                std::span<const LabelledRows> matrices,
                                                const std::map<std::string, std::string>& metadata,
                                                const WorkContext& context) {
  if (format == "safetensors") {
    PARAPET_TRY(writeSafetensors(out, matrices, metadata));
    return std::vector{out};
  }
  if (format != "npy" && format != "csv" && format != "parquet")
    return Error{
        ErrorCode::kInvalidDocument,
        fmt::format("format \"{}\" for vectors; accepted are safetensors, npy, csv, parquet",
                    format)};
  PARAPET_TRY(createFolders(out));
  std::vector<fs::path> files;
  for (const LabelledRows& matrix : matrices) {
    files.push_back(out / exportedFileName(matrix.name, "." + format));
    if (format == "csv") {
      PARAPET_TRY(writeCsv(files.back(), matrix, context));
    } else if (format == "parquet") {
      PARAPET_TRY(writeParquet(files.back(), matrix, context));
    } else {
      PARAPET_TRY(checkpoint::writeNpy(files.back(), valuesOf(matrix)));
      if (!matrix.id) continue;
      files.push_back(out / exportedFileName(matrix.name, ".ids.csv"));
      PARAPET_TRY(writeIds(files.back(), matrix));
    }
  }
  return files;
}

}  // namespace parapet::workspace
