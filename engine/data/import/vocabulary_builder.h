// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/import/id_column.h"
#include "engine/data/sources/row_source.h"
#include "engine/data/vocabulary.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// A vocabulary as the document asks for it, and where it asks.
struct VocabularyPlan {
  experiment::Vocabulary spec;
  std::string pointer;  ///< "/dataset/vocabularies/0"
};

/// The plan of the column's vocabulary.
///
/// Errors   InvalidDocument if there is none of the column's name, or one that is no column's.
Result<VocabularyPlan> planVocabulary(const experiment::Dataset& spec, const std::string& column);

/// Ids that the column may hold, from the vocabulary's kind and size.
///
/// Errors   InvalidDocument at its size if that needs a catalogue that the source has not.
Result<IdRange> idRange(const VocabularyPlan& plan, const RowSource& source);

/// A vocabulary that is ready to be written.
struct BuiltVocabulary {
  std::vector<std::string> attributeNames;
  std::vector<Vocabulary::Entry> entries;
  std::vector<std::int32_t> rowOf;  ///< row of each distinct id of the column, [D]
  std::int64_t oovRows = 0;         ///< imported rows that fall on row 0
  std::int64_t unusedRows = 0;      ///< rows ≥ 1 that no imported row touches
};

/// Gives every distinct id of a column its row and adds titles and attributes of the catalogue.
///
///   direct       row = id; with "catalogue+1" every catalogue entry is present, else what occurs
///   compressed   rows 1, 2, … by descending count, ties by id; ids rarer than min_count, or beyond
///   a
///                fixed size, fall on row 0
///
/// `catalogue` may be null.
/// Errors   Data if direct ids are so sparse that the table would be almost empty.
Result<BuiltVocabulary> buildVocabulary(const VocabularyPlan& plan, const IdColumn& column,
                                        const Catalogue* catalogue);

}  // namespace parapet::data
