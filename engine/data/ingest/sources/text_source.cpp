// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/text_source.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/text_input.h"

namespace parapet::data {

TextSource::TextSource(CellFormat cells, std::vector<Column> columns, Part first,
                       TextEncoding encoding, std::string header)
    : cells_(std::move(cells)),
      encoding_(encoding),
      header_(std::move(header)),
      hasRows_(hasRows(first)),
      cellColumns_(std::move(columns)),
      part_(std::move(first)) {
  for (const Column& column : cellColumns_) columns_.push_back(column.column);
}

bool TextSource::hasRows(const Part& part) {
  if (!part.first) return true;  // not known yet
  std::string_view rest = part.first->text;
  for (std::int64_t line = 0; !rest.empty(); ++line)
    if (const std::string_view text = takeLine(rest);
        line >= part.first->headerLines && !isBlankLine(text))
      return true;
  return false;
}

Status TextSource::select(std::span<const ColumnRequest> requests) {
  const std::vector<std::string> names = namesOf(columns_);
  std::unordered_map<std::string_view, std::size_t> cellOf;
  for (std::size_t cell = 0; cell < names.size(); ++cell) cellOf.emplace(names[cell], cell);
  std::vector<CellUse> uses;
  for (const ColumnRequest& request : requests) {
    const auto found = cellOf.find(request.name);
    if (found == cellOf.end())
      return wrongRequest(fmt::format("{} has no column \"{}\"{}; accepted: {}", fileName(),
                                      request.name, didYouMean(request.name, names),
                                      listed(names)));
    const std::size_t cell = found->second;
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
    if (isWrong)
      return wrongRequest(
          fmt::format("column \"{}\" of {} is text; a column of {} is accepted here", request.name,
                      fileName(), type == ValueType::kInteger ? "whole numbers" : "numbers"));
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
  parser_.emplace(LineFormat{cells_, encoding_, names, header_}, std::move(uses));
  return {};
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

Status TextSource::parse(const Piece& piece, RowBlock& block) const {
  if (!parser_) throw InvalidArgument("parse() before select()");
  parser_->parse(piece, block);
  return {};
}

std::string TextSource::excerpt(const Piece& piece, std::int64_t line) const {
  return printable(lineAt(piece.text, line));
}

}  // namespace parapet::data
