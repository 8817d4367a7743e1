// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/text_source.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/text_input.h"

namespace parapet::data {

namespace {

std::vector<SourceColumn> sourceColumns(const std::vector<DelimitedSource::Column>& columns) {
  std::vector<SourceColumn> known;
  for (const DelimitedSource::Column& column : columns) known.push_back(column.column);
  return known;
}

}  // namespace

TextSource::TextSource(std::vector<SourceColumn> columns, Part first)
    : columns_(std::move(columns)), part_(std::move(first)) {
  for (std::size_t column = 0; column < columns_.size(); ++column)
    columnOf_.emplace(columns_[column].name, column);
}

Result<std::size_t> TextSource::columnFor(const ColumnRequest& request) const {
  if (const auto found = columnOf_.find(request.name); found != columnOf_.end())
    return found->second;
  const std::vector<std::string> names = namesOf(columns_);
  return wrongRequest(fmt::format("{} has no column \"{}\"{}; accepted: {}", fileName(),
                                  request.name, didYouMean(request.name, names), listed(names)));
}

Error TextSource::noNumbers(const ColumnRequest& request, ValueType type) const {
  return wrongRequest(fmt::format("column \"{}\" of {} is text; a column of {} is accepted here",
                                  request.name, fileName(),
                                  type == ValueType::kInteger ? "whole numbers" : "numbers"));
}

Result<bool> TextSource::next(Piece& piece) {
  for (;;) {
    bool found = part_.first.has_value();
    if (found) {
      piece = *std::exchange(part_.first, std::nullopt);
    } else {
      PARAPET_ASSIGN(found, part_.input->next(piece));
    }
    if (found) {
      piece.index = pieces_++;
      piece.file = part_.file;
      return true;
    }
    PARAPET_ASSIGN(std::optional<Part> next, nextPart());
    if (!next) return false;
    bytesBefore_ += part_.input->done();
    part_ = *std::move(next);
  }
}

std::string TextSource::excerpt(const Piece& piece, std::int64_t line) const {
  return printable(lineAt(piece.text, line));
}

DelimitedSource::DelimitedSource(CellFormat cells, std::vector<Column> columns, Part first,
                                 TextEncoding encoding, std::string header)
    : TextSource(sourceColumns(columns), std::move(first)),
      cells_(std::move(cells)),
      encoding_(encoding),
      header_(std::move(header)),
      hasRows_(hasRows(part())),
      cellColumns_(std::move(columns)) {}

bool DelimitedSource::hasRows(const Part& part) {
  if (!part.first) return true;  // not known yet
  std::string_view rest = part.first->text;
  for (std::int64_t line = 0; !rest.empty(); ++line)
    if (const std::string_view text = takeLine(rest);
        line >= part.first->headerLines && !isBlankLine(text))
      return true;
  return false;
}

Status DelimitedSource::select(std::span<const ColumnRequest> requests) {
  std::vector<CellUse> uses;
  for (const ColumnRequest& request : requests) {
    PARAPET_ASSIGN(const std::size_t cell, columnFor(request));
    const Column& column = cellColumns_[cell];
    const ValueType type = request.type.value_or(column.column.type);
    const bool isWrong =
        type != ValueType::kText && request.separator.empty() && !column.hasNumbers;
    // Names alone have no types, which would be reported as the fault of a column.
    if (isWrong && !hasRows_)
      return Error{ErrorCode::kData,
                   fmt::format("{} has no rows; at least one below the names of its columns is "
                               "needed",
                               fileName()),
                   "", fileName()};
    if (isWrong) return noNumbers(request, type);
    uses.push_back(
        {.cell = cell,
         .type = type,
         .separator = request.separator,
         .weightSeparator = request.separator.empty() ? std::string() : request.weightSeparator,
         .required = column.required,
         .subject = column.subject,
         .pointer = request.pointer,
         .accepted = column.accepted});
  }
  parser_.emplace(LineFormat{cells_, encoding_, namesOf(columns()), header_}, std::move(uses));
  return {};
}

Status DelimitedSource::parse(const Piece& piece, RowBlock& block) const {
  if (!parser_) throw InvalidArgument("parse() before select()");
  parser_->parse(piece, block);
  return {};
}

}  // namespace parapet::data
