// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/import/id_table.h"
#include "engine/data/import/import_plan.h"
#include "engine/data/sources/source.h"
#include "engine/data/vocabulary_writer.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// What the document alone shows of a vocabulary.
///
/// Errors   InvalidDocument at its size if that cannot be one.
Status checkVocabulary(const experiment::Vocabulary& spec, const std::string& pointer);

/// Ids that the columns of a vocabulary may hold, from its kind and size. `role` is "user", "item"
/// or "", for the catalogue.
///
/// Errors   InvalidDocument at its size if that needs a catalogue that the source has not.
Result<IdRange> idRange(const experiment::Vocabulary& spec, const std::string& pointer,
                        const std::string& role, const Source& source);

/// A vocabulary that is ready to be written.
struct BuiltVocabulary {
  VocabularyWriter writer;
  std::vector<std::int32_t> rowOf;  ///< row of each number of the table, [D]
  std::int64_t oovIds = 0;          ///< imported ids that fall on row 0
  std::int64_t unusedRows = 0;      ///< rows ≥ 1 that no imported id touches
};

/// Gives every distinct id its row and adds titles and attributes of the catalogue.
///
///   direct       row = id; with "catalogue+1" every catalogue entry is present, else what occurs
///   compressed   rows 1, 2, … by descending count, ties by id; ids rarer than min_count, or beyond
///                a fixed size, fall on row 0
///   hash         row = 1 + hash of the id's text mod (size − 1); a shared row has the raw id of
///   the
///                most frequent one, ties by id
///
/// `missing` ids fall on row 0. `catalogue` may be null. Ids with count 0 get no row.
/// Errors   Data if direct ids are so sparse that the table would be almost empty.
Result<BuiltVocabulary> buildVocabulary(const PlannedVocabulary& plan, const IdTable& ids,
                                        std::int64_t missing, const Catalogue* catalogue);

}  // namespace parapet::data
