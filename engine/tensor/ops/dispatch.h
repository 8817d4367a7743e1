// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/tensor/ops/run.h"

/// Parts of the checks of the ops. Each throws InvalidArgument in the name of an op.
namespace parapet::tensor {

/// "[tensor.<op>] <what> is <found>; <accepted>" unless `holds`.
void requireArgument(bool holds, std::string_view op, std::string_view what, std::int64_t found,
                     std::string_view accepted);

/// Unless value > 0.
void requirePositive(std::string_view op, std::string_view what, float value);

/// Checks that every rows[n] lies in [0, tableRows); the exception calls them `name` and names n
/// and the value. What lies in a device's own memory was checked when it was brought there.
void requireRowsInRange(const Launch& launch, std::string_view op, const std::int32_t* rows,
                        std::int64_t count, std::int64_t tableRows, std::string_view name = "rows");

/// Checks args.count.
template <class Args>
void requireCount(const Args& args) {
  requireArgument(args.count >= 0, nameOf(args), "count", args.count, "at least 0 is accepted");
}

/// Checks args.width.
template <class Args>
void requireWidth(const Args& args) {
  requireArgument(args.width >= 1, nameOf(args), "width", args.width, "at least 1 is accepted");
}

/// Checks args.rows.
template <class Args>
void requireRows(const Args& args, std::int64_t least = 0) {
  requireArgument(args.rows >= least, nameOf(args), "rows", args.rows,
                  least == 0 ? "at least 0 is accepted" : "at least 1 is accepted");
}

/// Checks the shape of a matrix [args.rows, args.width].
template <class Args>
void requireShape(const Args& args, std::int64_t leastRows = 0) {
  requireRows(args, leastRows);
  requireWidth(args);
}

}  // namespace parapet::tensor
