// SPDX-License-Identifier: Apache-2.0
#include "engine/train/warm_start.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/row_zero.h"

namespace parapet::train {
namespace {

using experiment::Experiment;
using experiment::Table;

bool hasUnknownRow(const Experiment& experiment, const Table& table) {
  const auto& all = experiment.dataset.vocabularies;
  const auto found = std::ranges::find(all, table.vocabulary, &experiment::Vocabulary::name);
  return found != all.end() && found->oovKind() == experiment::OovKind::kRow &&
         found->kind == experiment::VocabularyKind::kCompressed &&
         !experiment::usesRowZero(experiment.dataset, *found);
}

}  // namespace

const Table* warmStartTable(const Table& table, const Experiment& source) {
  if (!table.warmStart) return nullptr;
  const std::string& name = table.warmStart->table.value_or(table.name);
  const auto found = std::ranges::find(source.tables, name, &Table::name);
  return found == source.tables.end() ? nullptr : &*found;
}

std::optional<experiment::Problem> warmStartProblem(const Experiment& experiment, std::size_t table,
                                                    const Experiment& source) {
  const Table& into = experiment.tables.at(table);
  if (!into.warmStart) return std::nullopt;
  const std::string at = fmt::format("/tables/{}/warm_start/table", table);
  const std::string& name = into.warmStart->table.value_or(into.name);
  if (const Table* from = warmStartTable(into, source)) {
    if (from->embeddingDim == into.embeddingDim) return std::nullopt;
    return experiment::Problem{
        at,
        fmt::format("the table \"{}\" of run {} is {} wide, and this one {}", name,
                    into.warmStart->run, from->embeddingDim, into.embeddingDim),
        fmt::format("a table that is as wide, or an embedding_dim of {}", from->embeddingDim)};
  }
  std::vector<std::string> names;
  for (const Table& there : source.tables) names.push_back(there.name);
  return experiment::Problem{at,
                             fmt::format("run {} has no table \"{}\"{}", into.warmStart->run,
                                         printable(name), didYouMean(name, names)),
                             names.empty() ? "a run with tables" : join(names)};
}

bool sharesUnknownRow(const Experiment& experiment, const Table& table, const Experiment& source,
                      const Table& from) {
  return hasUnknownRow(experiment, table) && hasUnknownRow(source, from);
}

}  // namespace parapet::train
