// SPDX-License-Identifier: Apache-2.0
// Checks of the ops that look rows up, move them and multiply them (rows_abi.h).
#include <fmt/format.h>

#include "engine/base/result.h"
#include "engine/tensor/kernels/kernel.h"
#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

void requireAscending(std::string_view op, const std::int32_t* offsets, std::int64_t bags) {
  for (std::int64_t b = 0; b < bags; ++b)
    if (offsets[b + 1] < offsets[b])
      throw InvalidArgument(fmt::format("[tensor.{}] offsets[{}] is {}; at least {} is accepted",
                                        op, b + 1, offsets[b + 1], offsets[b]));
}

template <class Args>
void requireBags(const Args& args) {
  requireArgument(args.bags >= 0, nameOf(args), "bags", args.bags, "at least 0 is accepted");
}

/// Rows of a matrix that an op writes to.
template <class Args>
void requirePlaces(const Launch& launch, const Args& args) {
  requireArgument(args.outRows >= 0, nameOf(args), "rows of the output", args.outRows,
                  "at least 0 is accepted");
  requireWidth(args);
  requireCount(args);
  requireRowsInRange(launch, nameOf(args), args.rows, args.count, args.outRows);
}

template <class Args>
void requireQueries(const Args& args) {
  requireArgument(args.queryCount >= 0, nameOf(args), "queries", args.queryCount,
                  "at least 0 is accepted");
  requireArgument(args.candidateCount >= 0, nameOf(args), "candidates", args.candidateCount,
                  "at least 0 is accepted");
  requireWidth(args);
}

}  // namespace

void check(const Launch&, const PpFill& args) {
  requireCount(args);
}

void check(const Launch& launch, const PpGatherRows& args) {
  requireWidth(args);
  requireCount(args);
  requireRowsInRange(launch, nameOf(args), args.rows, args.count, args.tableRows);
}

void check(const Launch& launch, const PpReplaceRows& args) {
  requirePlaces(launch, args);
}

void check(const Launch& launch, const PpScatterRows& args) {
  requirePlaces(launch, args);
}

void check(const Launch& launch, const PpGroupRows& args) {
  requireCount(args);
  requireRowsInRange(launch, nameOf(args), args.rows, args.count, args.tableRows);
}

void check(const Launch& launch, const PpBagRows& args) {
  requireWidth(args);
  requireBags(args);
  if (!launch.device->isHost()) return;
  if (args.offsets) requireAscending(nameOf(args), args.offsets, args.bags);
  const std::int64_t values = args.bags > 0 ? BagValues(args.offsets, args.bags - 1).end : 0;
  requireRowsInRange(launch, nameOf(args), args.rows, values, args.tableRows);
}

void check(const Launch& launch, const PpBagScales& args) {
  requireBags(args);
  if (launch.device->isHost()) requireAscending(nameOf(args), args.offsets, args.bags);
}

void check(const Launch& launch, const PpDotRows& args) {
  requireShape(args);
  if (args.xRows) requireRowsInRange(launch, nameOf(args), args.xRows, args.rows, args.xTableRows);
  if (args.yRows) requireRowsInRange(launch, nameOf(args), args.yRows, args.rows, args.yTableRows);
}

void check(const Launch&, const PpDotRowsGradient& args) {
  requireShape(args);
}

void check(const Launch&, const PpCopyColumns& args) {
  requireShape(args);
  requireArgument(args.strideIn >= args.width, nameOf(args), "stride of in", args.strideIn,
                  "at least width is accepted");
  requireArgument(args.strideOut >= args.width, nameOf(args), "stride of out", args.strideOut,
                  "at least width is accepted");
}

void check(const Launch&, const PpSumParts& args) {
  requireArgument(args.parts >= 1, nameOf(args), "number of parts", args.parts,
                  "at least 1 is accepted");
  requireCount(args);
}

void check(const Launch&, const PpScanScores& args) {
  requireQueries(args);
}

void check(const Launch&, const PpTopK& args) {
  requireQueries(args);
  requireArgument(args.k >= 1, nameOf(args), "k", args.k, "at least 1 is accepted");
}

}  // namespace parapet::tensor
