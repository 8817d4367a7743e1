// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/base/result.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/split/split.h"

namespace parapet::data {

/// The data set with the vocabularies that the training rows of a split give: ids that fewer than
/// `min_count` of them have, or that a fixed size has no row for, are out of vocabulary. A data set
/// is imported without its split and holds all ids, and what is held out must not decide which of
/// them a model knows.
///
/// Rows go by descending count in the training rows, ties by data::ItemIndex. The same data set
/// where no vocabulary leaves ids out, or where an older program has left them out already.
///
/// Errors   kData at the vocabulary where ids are left out and `oov` is "error".
Result<std::shared_ptr<const Dataset>> fitVocabularies(std::shared_ptr<const Dataset> dataset,
                                                       const experiment::Dataset& spec,
                                                       const Split& split);

}  // namespace parapet::data
