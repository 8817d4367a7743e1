// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/text_source.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/base/text.h"

namespace parapet::data {

TextSource::TextSource(CellFormat cells, std::vector<Column> columns, Part first,
                       TextEncoding encoding)
    : cells_(std::move(cells)),
      encoding_(encoding),
      cellColumns_(std::move(columns)),
      part_(std::move(first)) {
  for (const Column& column : cellColumns_) columns_.push_back(column.column);
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
    if (type != ValueType::kText && request.separator.empty() && !column.hasNumbers)
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
  parser_.emplace(LineFormat{cells_, encoding_, names}, std::move(uses));
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
    const std::lock_guard lock(replacing_);
    part_ = *std::move(next);
  }
}

Status TextSource::parse(const Piece& piece, RowBlock& block) const {
  if (!parser_) throw InvalidArgument("parse() before select()");
  parser_->parse(piece, block);
  return {};
}

void TextSource::release(const Piece& piece) {
  const std::lock_guard lock(replacing_);
  part_.input->release(piece);
}

std::string TextSource::excerpt(const Piece& piece, std::int64_t line) const {
  return printable(lineAt(piece.text, line));
}

}  // namespace parapet::data
