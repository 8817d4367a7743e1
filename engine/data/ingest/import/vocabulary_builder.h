// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/vocabulary_writer.h"
#include "engine/data/ingest/import/id_table.h"
#include "engine/data/ingest/import/import_plan.h"
#include "engine/data/ingest/sources/catalogue_table.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Checks a vocabulary as far as the document alone describes it.
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
  std::vector<std::int32_t> rowOf;  ///< row of each index of the table, [D]
  /// Entry of each index of the table, [D]; empty if no ids share a row.
  std::vector<std::int32_t> entryOf{};
  std::int64_t oovIds = 0;      ///< imported ids that fall on row 0 or a bucket
  std::int64_t unusedRows = 0;  ///< rows ≥ 1 that no imported id touches
  std::int64_t coldRows = 0;    ///< rows of entries of the catalogue without an imported id
  /// Imported ids that each file of the catalogue has an entry of, and all distinct ones.
  std::vector<std::int64_t> describedIds{};
  std::int64_t usedIds = 0;
  std::string exampleIds{};  ///< for messages: "7", "318", …
};

/// Gives every distinct id its row and adds titles and attributes of the catalogue.
///
///   direct       row = id, from 1, or from 0 where only contexts use it (usesRowZero)
///   compressed   rows 1, 2, … by descending count, ties by id; which of them a model has no row
///                for is decided after the split (fitVocabularies())
///   hash         row = 1 + hash of the id's text mod (size − 1); a shared row has the raw id of
///                the most frequent one, ties by id, and the others are entries behind the rows
///
/// Entries of the catalogue without an imported id have rows too (CatalogueTable::keepsCold): the
/// row of their id if direct, behind the others by id if compressed, and that of their hash if
/// hashed.
///
/// Pieces of texts have the rows of their ids; one that is in no imported row has one, too, and
/// [UNK] counts as out-of-vocabulary.
///
/// Direct ids beyond the last row fall on row 0 or, with oov "buckets", on one of the last rows by
/// the hash of the id's text. `missing` ids fall on row 0. `catalogue` may be null. Ids with count
/// 0 get no row.
///
/// Errors   Data if direct ids are so sparse that the table would be almost empty, or if ids are
///          missing where row 0 is that of an id.
Result<BuiltVocabulary> buildVocabulary(const PlannedVocabulary& plan, const IdTable& ids,
                                        std::int64_t missing, const CatalogueTable* catalogue);

}  // namespace parapet::data
