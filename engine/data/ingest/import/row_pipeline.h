// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/import/shaped_rows.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// Rows of the source, by position, that are read at all: [first, last).
struct RowSlice {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] bool isAll() const {
    return first == 0 && last == std::numeric_limits<std::int64_t>::max();
  }
};

/// Reads a source to its end: threads shape pieces side by side, and `take` gets them in the order
/// of the source, one at a time. Memory is bounded: a thread waits while two pieces per thread lie
/// between the one that is taken and the one that is fetched.
///
/// A slice needs the position of every row, so pieces are shaped as they are taken then.
///
/// Errors   the first of the source, of a shape or of `take`; Cancelled.
Status shapeInOrder(Source& source, const RowShaper& shaper, const RowSlice& slice, int threads,
                    const std::function<Status(ShapedRows&)>& take, const WorkContext& context);

/// Reads a source to its end in the calling thread: `take` gets every piece with its block, in
/// order. For what needs neither rules nor speed.
///
/// Errors   the first of the source or of `take`; Cancelled.
Status forEachBlock(Source& source, std::string_view stage,
                    const std::function<Status(const Source::Piece&, const RowBlock&)>& take,
                    const WorkContext& context);

/// The error that a stopped import ends with.
Error importCancelled();

}  // namespace parapet::data
