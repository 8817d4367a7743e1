// SPDX-License-Identifier: Apache-2.0
// Checks of losses (losses_abi.h).
#include <algorithm>
#include <functional>

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

template <class Args>
void requireLists(const Launch& launch, const Args& args) {
  const std::string_view op = nameOf(args);
  requirePositive(op, "temperature", args.temperature);
  if (args.listCount == 0 || !launch.device->isHost()) return;
  requireArgument(args.lists[0] == 0, op, "offsets[0]", args.lists[0], "0 is accepted");
  const std::int32_t* const end = args.lists + args.listCount + 1;
  const std::int32_t* const fall = std::adjacent_find(args.lists, end, std::greater{});
  if (fall != end) requireArgument(false, op, "an offset", fall[1], "they ascend");
}

}  // namespace

void check(const Launch&, const PpSquaredError& args) {
  requireRows(args);
}

void check(const Launch&, const PpLogisticLoss& args) {
  requireRows(args);
}

void check(const Launch& launch, const PpPairLoss& args) {
  requireLists(launch, args);
}

void check(const Launch& launch, const PpListMle& args) {
  requireLists(launch, args);
}

void check(const Launch& launch, const PpNegativesLoss& args) {
  const std::string_view op = nameOf(args);
  requireRows(args);
  requireArgument(args.candidateRows >= args.rows, op, "rows of candidates", args.candidateRows,
                  "at least those of the queries are accepted");
  requireWidth(args);
  requireArgument(args.hardest >= 0, op, "hardest", args.hardest, "at least 0 is accepted");
  requirePositive(op, "temperature", args.temperature);
  if (!args.groups || !launch.device->isHost()) return;
  requireArgument(args.groups[0] == 0, op, "groups[0]", args.groups[0], "0 is accepted");
  const std::int32_t end = args.groups[args.groupCount];
  requireArgument(end == args.rows, op, "the end of the groups", end,
                  "that of the rows is accepted");
}

void check(const Launch& launch, const PpTableSoftmax& args) {
  requireRows(args);
  requireArgument(args.tableRows >= 1, nameOf(args), "rows of the table", args.tableRows,
                  "at least 1 is accepted");
  requireWidth(args);
  requireRowsInRange(launch, nameOf(args), args.labels, args.rows, args.tableRows, "labels");
}

}  // namespace parapet::tensor
