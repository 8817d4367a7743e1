// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/data/ingest/sources/delimited_parser.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/ingest/sources/text_input.h"

namespace parapet::data {

/// A source of texts, which are cut into pieces one after the other.
class TextSource : public Source {
 public:
  /// One of the texts.
  struct Part {
    std::unique_ptr<TextInput> input;
    std::optional<Piece> first;  ///< already fetched from `input`
    std::string_view file;       ///< if there are several; the source keeps the name alive
  };

  [[nodiscard]] const std::vector<SourceColumn>& columns() const override { return columns_; }
  Result<bool> next(Piece& piece) override;
  [[nodiscard]] std::string excerpt(const Piece& piece, std::int64_t line) const override;
  [[nodiscard]] std::int64_t done() const override { return bytesBefore_ + part_.input->done(); }
  [[nodiscard]] std::int64_t total() const override { return part_.input->total(); }
  [[nodiscard]] std::vector<std::string> warnings() const override { return warnings_; }

 protected:
  TextSource(std::vector<SourceColumn> columns, Part first);
  /// The text that comes after the current one, or nothing.
  virtual Result<std::optional<Part>> nextPart() { return std::optional<Part>(); }
  /// The text that is being read.
  [[nodiscard]] const Part& part() const { return part_; }
  void warn(std::string warning) { warnings_.push_back(std::move(warning)); }
  /// Index of a column that is asked for.
  ///
  /// Errors   InvalidDocument, with the columns that there are.
  [[nodiscard]] Result<std::size_t> columnFor(const ColumnRequest& request) const;
  /// The error of a column without a number that is asked for as numbers.
  [[nodiscard]] Error noNumbers(const ColumnRequest& request, ValueType type) const;

 private:
  const std::vector<SourceColumn> columns_;
  std::unordered_map<std::string_view, std::size_t> columnOf_;  // by the names of columns_
  std::vector<std::string> warnings_;
  Part part_;
  std::int64_t pieces_ = 0;
  std::int64_t bytesBefore_ = 0;  // of the parts before
};

/// Lines of delimited text, which are parsed into the columns that were asked for.
class DelimitedSource : public TextSource {
 public:
  /// A cell of the lines.
  struct Column {
    SourceColumn column;
    std::string subject;     ///< see CellUse
    std::string accepted;    ///< see CellUse
    bool required = false;   ///< see CellUse
    bool hasNumbers = true;  ///< false: it cannot be asked for as numbers
  };

  /// `header` is the line of names, "" for none: it is rejected where it comes again.
  DelimitedSource(CellFormat cells, std::vector<Column> columns, Part first,
                  TextEncoding encoding = TextEncoding::kUtf8, std::string header = {});
  /// Whether the piece that a text begins with has a line besides its header and blank ones.
  [[nodiscard]] static bool hasRows(const Part& part);

  Status select(std::span<const ColumnRequest> requests) override;
  Status parse(const Piece& piece, RowBlock& block) const override;

 private:
  CellFormat cells_;
  TextEncoding encoding_;
  std::string header_;
  bool hasRows_;
  std::vector<Column> cellColumns_;
  std::optional<DelimitedParser> parser_;
};

}  // namespace parapet::data
