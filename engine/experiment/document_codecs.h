// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/record/codec.h"
#include "engine/experiment/document.h"

namespace parapet::experiment {

// Values of the experiment document that are written in more than one way, or that have a rule of
// their own.

/// The word of a kind, from the table that has a row for each (loss_kind.h, …).
template <class Table>
auto choiceOf(const Table& table) {
  std::vector<std::pair<std::string, decltype(Table::value_type::kind)>> words;
  for (const auto& row : table) words.emplace_back(row.word, row.kind);
  return record::choice(std::move(words));
}
/// A number of rows, "auto", "max+1" or "catalogue+1".
record::Codec<VocabularySize> vocabularySize();
/// A count of rows (1), or a share in (0, 1] (0.8, 1.0).
record::Codec<SplitAmount> splitAmount();
/// A number of steps, or "run": kStepsOfRun.
record::Codec<std::int64_t> decaySteps();
/// A number above 0, or {"initial", "trainable"}; written as a number unless it is trainable.
record::Codec<Temperature> temperature();
/// A number of bytes for every device, a list with one for each, or null.
record::Codec<std::optional<DeviceCapacity>> deviceCapacity();
/// Patterns of parameter names to the axis of each dimension.
record::Codec<std::map<std::string, std::vector<std::string>>> layoutAxes();

}  // namespace parapet::experiment
