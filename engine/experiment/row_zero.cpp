// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/row_zero.h"

namespace parapet::experiment {

bool usesRowZero(const Dataset& dataset, const Vocabulary& vocabulary) {
  if (vocabulary.kind != VocabularyKind::kDirect || vocabulary.oovKind() != OovKind::kError)
    return false;
  bool isUsed = false;
  for (const Column& column : dataset.columns) {
    if (!holdsIds(column.role) || column.vocabularyName() != vocabulary.name) continue;
    if (column.role != ColumnRole::kContext) return false;
    isUsed = true;
  }
  return isUsed;
}

}  // namespace parapet::experiment
