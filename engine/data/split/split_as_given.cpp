// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/record/problem.h"
#include "engine/data/split/split_kinds.h"
#include "engine/experiment/split_part.h"

namespace parapet::data {
namespace {

using record::documentError;

bool hasRows(const RowBits& bits) {
  return std::ranges::any_of(bits, [](std::uint64_t word) { return word != 0; });
}

}  // namespace

PartBits partsAsGiven(const EventColumns& events) {
  PartBits parts(events.rows);
  events.forEachRow([&](std::int64_t row) {
    switch (static_cast<experiment::SplitPart>(events.parts[static_cast<std::size_t>(row)])) {
      case experiment::SplitPart::kTrain:
        return setRow(parts.train, row);
      case experiment::SplitPart::kValidation:
        return setRow(parts.validation, row);
      case experiment::SplitPart::kTest:
        return setRow(parts.test, row);
      case experiment::SplitPart::kUnused:
        return;
    }
  });
  return parts;
}

Status requireGivenParts(const PartBits& parts, const experiment::Split& spec) {
  if (spec.kind == experiment::SplitKind::kFiles) {
    if (!hasRows(parts.train))
      return documentError("/dataset/split/train",
                           "no row of the file of training rows is left; at least one is needed");
    if (spec.validationFile && !hasRows(parts.validation))
      return documentError("/dataset/split/validation",
                           "no row of the file of validation rows is left; at least one, or null, "
                           "is accepted");
    if (spec.testFile && !hasRows(parts.test))
      return documentError(
          "/dataset/split/test",
          "no row of the file of test rows is left; at least one, or null, is accepted");
    return {};
  }
  if (!hasRows(parts.train))
    return documentError("/dataset/split/column",
                         fmt::format("the part \"train\" is empty: no row has it in the column "
                                     "\"{}\"; at least one is needed",
                                     spec.column));
  if (!hasRows(parts.validation) && !hasRows(parts.test))
    return documentError("/dataset/split/column",
                         fmt::format("the parts \"validation\" and \"test\" are empty: no row has "
                                     "one of them in the column \"{}\"; rows of one are needed",
                                     spec.column));
  return {};
}

}  // namespace parapet::data
