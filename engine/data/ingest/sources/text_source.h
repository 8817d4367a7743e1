// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/ingest/sources/delimited_parser.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/ingest/sources/text_input.h"

namespace parapet::data {

/// What all sources of delimited text do: one text after the other is cut into pieces, which are
/// parsed into the columns that were asked for.
class TextSource : public Source {
 public:
  /// A cell of the lines.
  struct Column {
    SourceColumn column;
    std::string subject;     ///< see CellUse
    std::string accepted;    ///< see CellUse
    bool required = false;   ///< see CellUse
    bool hasNumbers = true;  ///< false: it cannot be asked for as numbers
  };
  /// One of the texts.
  struct Part {
    std::unique_ptr<TextInput> input;
    std::optional<Piece> first;  ///< already fetched from `input`
    std::string_view file;       ///< if there are several; the source keeps the name alive
  };

  /// `header` is the line of names, "" for none: it is rejected where it comes again.
  TextSource(CellFormat cells, std::vector<Column> columns, Part first,
             TextEncoding encoding = TextEncoding::kUtf8, std::string header = {});
  /// Whether the piece that a text begins with has a line besides its header and blank ones.
  [[nodiscard]] static bool hasRows(const Part& part);

  [[nodiscard]] const std::vector<SourceColumn>& columns() const override { return columns_; }
  Status select(std::span<const ColumnRequest> requests) override;
  Result<bool> next(Piece& piece) override;
  Status parse(const Piece& piece, RowBlock& block) const override;
  [[nodiscard]] std::string excerpt(const Piece& piece, std::int64_t line) const override;
  [[nodiscard]] std::int64_t done() const override { return bytesBefore_ + part_.input->done(); }
  [[nodiscard]] std::int64_t total() const override { return part_.input->total(); }
  [[nodiscard]] std::vector<std::string> warnings() const override { return warnings_; }

 protected:
  /// The text that comes after the current one, or nothing.
  virtual Result<std::optional<Part>> nextPart() { return std::optional<Part>(); }
  void warn(std::string warning) { warnings_.push_back(std::move(warning)); }

 private:
  CellFormat cells_;
  TextEncoding encoding_;
  std::string header_;
  bool hasRows_;
  std::vector<Column> cellColumns_;
  std::vector<SourceColumn> columns_;
  std::vector<std::string> warnings_;
  Part part_;
  std::optional<DelimitedParser> parser_;
  std::int64_t pieces_ = 0;
  std::int64_t bytesBefore_ = 0;  // of the parts before
};

}  // namespace parapet::data
