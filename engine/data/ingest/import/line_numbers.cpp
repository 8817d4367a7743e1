// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/line_numbers.h"

namespace parapet::data {

LineNumbers::LineNumbers(const Source& source) : source_(source), lines_(source.linesBefore()) {}

std::int64_t LineNumbers::before(const Source::Piece& piece, std::int64_t lines) {
  if (piece.file != file_) {
    file_ = piece.file;
    lines_ = source_.linesBefore();
  }
  if (piece.count > 0) {
    const std::int64_t skipped = piece.first - rowsSeen_;
    lines_ += skipped;
    skippedRows_ += skipped;
    rowsSeen_ = piece.first + piece.count;
  }
  const std::int64_t before = lines_;
  lines_ += lines;
  return before;
}

std::int64_t LineNumbers::skippedRows() const {
  return skippedRows_ + (rowsSeen_ > 0 ? source_.done() - rowsSeen_ : 0);
}

}  // namespace parapet::data
