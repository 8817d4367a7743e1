// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/parquet/parquet_writer.h"
#include "engine/data/generate/row_writer.h"

namespace parapet::data {
namespace {

class ParquetRows final : public RowWriter {
 public:
  explicit ParquetRows(ParquetWriter file) : file_(std::move(file)) {}
  Status write(const RowBlock& block, std::string_view) override { return file_.write(block); }
  Status finish() override { return file_.finish(); }

 private:
  ParquetWriter file_;
};

}  // namespace

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
