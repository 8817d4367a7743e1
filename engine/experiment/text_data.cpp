// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/text_data.h"

#include <fmt/format.h>

#include <array>

#include "engine/base/record/location.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

void checkColumns(const Dataset& dataset, const Location& location) {
  const auto& columns = dataset.columns;
  if (columns.size() != 1 || columns[0].name != kTokensColumn ||
      columns[0].role != ColumnRole::kFeature || columns[0].vocabularyName() != kTokensColumn)
    (location / "columns")
        .problem("a text has one column, that of its tokens",
                 R"(no columns, or [{"name": "tokens", "role": "feature"}])");
  const auto& vocabularies = dataset.vocabularies;
  if (vocabularies.size() != 1 || vocabularies[0].name != kTokensColumn ||
      vocabularies[0].kind != VocabularyKind::kDirect ||
      vocabularies[0].size.kind != VocabularySize::Kind::kAuto)
    (location / "vocabularies")
        .problem("the vocabulary of a text is the file of its tokens",
                 R"(no vocabularies, or [{"name": "tokens", "kind": "direct"}])");
  if (!dataset.text || dataset.text->vocabulary.empty())
    (location / "text" / "vocabulary")
        .problem("no vocabulary is named", "a file with a WordPiece token per line");
}

void checkSplit(const Dataset& dataset, const Location& location) {
  const Split& split = dataset.split;
  if (split.kind != SplitKind::kFiles && split.kind != SplitKind::kRandom &&
      split.kind != SplitKind::kBatches)
    (location / "kind")
        .problem("lines of text have no user, time or column to split them by",
                 "\"files\", \"random\" or \"batches\"");
  if (split.coldUsers == ColdRows::kDrop || split.coldItems == ColdRows::kDrop)
    (location / (split.coldUsers == ColdRows::kDrop ? "cold_users" : "cold_items"))
        .problem("lines of text have neither users nor items", "\"keep\"");
  if (split.kind != SplitKind::kFiles) return;
  if (!split.trainFile && (split.validationFile || split.testFile))
    (location / "train")
        .problem("files of other parts are named, and none of the training lines",
                 "a path, or no file at all: those that the folder has are found by their names");
  refuseSharedFiles(split, location);
}

}  // namespace

void useTextDefaults(Dataset& dataset) {
  if (!dataset.text) dataset.text.emplace();
  dataset.columns = {{.name = kTokensColumn, .role = ColumnRole::kFeature}};
  dataset.vocabularies.assign(1, {});
  dataset.vocabularies.front().name = kTokensColumn;
  dataset.label.column.reset();
  dataset.split.kind = SplitKind::kFiles;
}

bool modelFitsData(const Experiment& experiment) {
  return experiment.dataset.isText() == readsText(experiment.model.kind);
}

void validateText(const Experiment& experiment, const Location& root) {
  const Dataset& dataset = experiment.dataset;
  if (const auto& masking = experiment.model.masking) {
    const Location at = root / "model" / "masking";
    if (masking->mask + masking->random > 1.0)
      (at / "random")
          .problem(fmt::format("mask {} and random {} are more than all selected positions",
                               masking->mask, masking->random),
                   fmt::format("at most {:.6g}", 1.0 - masking->mask));
    if (!dataset.isText())
      at.problem("tokens of texts are masked, and the data set has rows of users and items",
                 "null, or the source \"text\"");
  }
  if (!dataset.isText()) {
    if (!modelFitsData(experiment))
      (root / "model" / "kind")
          .problem(
              "a masked language model reads texts, and the data set has rows of users and items",
              "\"retrieval\", \"ranking\", or the source \"text\"");
    return;
  }
  checkColumns(dataset, root / "dataset");
  checkSplit(dataset, root / "dataset" / "split");
  if (dataset.batch.groupSize)
    (root / "dataset" / "batch" / "group_size")
        .problem("groups are made of the rows of a user, and a text has none", "null");
  if (modelFitsData(experiment)) return;
  (root / "model" / "kind")
      .problem(fmt::format("a {} model reads users and items, and the data set is text",
                           traitsOf(experiment.model.kind).word),
               "a masked language model, or a source of rows");
}

}  // namespace parapet::experiment
