// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/record/codec.h"
#include "engine/base/record/record.h"
#include "engine/experiment/document.h"

namespace parapet::experiment {

/// Rows are addressed by 32-bit integers in the column files.
inline constexpr std::int64_t kMaxRows = std::numeric_limits<std::int32_t>::max();

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
record::Codec<EventOrder> eventOrder();
/// A number of steps, or "run": kStepsOfRun.
record::Codec<std::int64_t> decaySteps();
/// A number above 0, or {"initial", "trainable"}; written as a number unless it is trainable.
record::Codec<Temperature> temperature();
/// A number of bytes for every device, a list with one for each, or null.
record::Codec<std::optional<DeviceCapacity>> deviceCapacity();
/// Patterns of parameter names to the axis of each dimension.
record::Codec<std::map<std::string, std::vector<std::string>>> layoutAxes();

using record::recordOf;

// One description of every struct of document.h: its keys, what they mean, what they accept and
// which kind they belong to. Reader, writer and schema follow these; no key is written anywhere else.
//
// To add a setting: a member in document.h and a line in one of the fields_*.cpp files; a rule
// between two values of the document goes to a validate_*.cpp.

// fields_dataset.cpp
const record::Record<Label>& describe(record::Type<Label>);
const record::Record<TextFormat>& describe(record::Type<TextFormat>);
const record::Record<TextPieces>& describe(record::Type<TextPieces>);
const record::Record<Column>& describe(record::Type<Column>);
const record::Record<Derived>& describe(record::Type<Derived>);
const record::Record<KCore>& describe(record::Type<KCore>);
const record::Record<Catalogue>& describe(record::Type<Catalogue>);
const record::Record<PretrainedEmbeddings>& describe(record::Type<PretrainedEmbeddings>);
const record::Record<Vocabulary>& describe(record::Type<Vocabulary>);
const record::Record<Split>& describe(record::Type<Split>);
const record::Record<Batch>& describe(record::Type<Batch>);
const record::Record<Generator>& describe(record::Type<Generator>);
const record::Record<Dataset>& describe(record::Type<Dataset>);

// fields_model.cpp
const record::Record<Initializer>& describe(record::Type<Initializer>);
const record::Record<WarmStart>& describe(record::Type<WarmStart>);
const record::Record<Table>& describe(record::Type<Table>);
const record::Record<History>& describe(record::Type<History>);
const record::Record<Feature>& describe(record::Type<Feature>);
const record::Record<Layer>& describe(record::Type<Layer>);
const record::Record<Head>& describe(record::Type<Head>);
const record::Record<Masking>& describe(record::Type<Masking>);
const record::Record<Model>& describe(record::Type<Model>);

// fields_training.cpp
const record::Record<Temperature>& describe(record::Type<Temperature>);
const record::Record<ExtraNegatives>& describe(record::Type<ExtraNegatives>);
const record::Record<Loss>& describe(record::Type<Loss>);
const record::Record<Optimizer>& describe(record::Type<Optimizer>);
const record::Record<Schedule>& describe(record::Type<Schedule>);
const record::Record<EarlyStopping>& describe(record::Type<EarlyStopping>);
const record::Record<Checkpoints>& describe(record::Type<Checkpoints>);
const record::Record<Fork>& describe(record::Type<Fork>);
const record::Record<Training>& describe(record::Type<Training>);

// fields_experiment.cpp
const record::Record<Mesh>& describe(record::Type<Mesh>);
const record::Record<Evaluation>& describe(record::Type<Evaluation>);
const record::Record<Reference>& describe(record::Type<Reference>);
const record::Record<Experiment>& describe(record::Type<Experiment>);

}  // namespace parapet::experiment
