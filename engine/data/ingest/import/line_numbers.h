// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// Where the lines of pieces are in their files: every file of a source counts its own, and rows of
/// pieces that a source leaves out count, too.
class LineNumbers {
 public:
  explicit LineNumbers(const Source& source);

  /// Lines of its file before the piece's first. Pieces come in order, each once, with the lines
  /// that its block covers.
  std::int64_t before(const Source::Piece& piece, std::int64_t lines);
  /// Rows of pieces that the source has left out so far.
  [[nodiscard]] std::int64_t skippedRows() const;

 private:
  const Source& source_;
  std::string file_;
  std::int64_t lines_;
  std::int64_t rowsSeen_ = 0, skippedRows_ = 0;  // of sources with rows
};

}  // namespace parapet::data
