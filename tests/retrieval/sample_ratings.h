// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"

namespace parapet::testing {

/// Imports generated ratings from 1 to 5, of which users and items are the columns. `itemRows` > 0:
/// items are hashed to so many rows.
inline Result<data::ImportReport> importRatings(const QTemporaryDir& folder,
                                                std::int64_t users = 40, std::int64_t items = 60,
                                                std::int64_t events = 900,
                                                std::int64_t itemRows = 0) {
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kGenerated;
  spec.generator.emplace();
  spec.generator->users = users;
  spec.generator->items = items;
  spec.generator->events = events;
  spec.label.scale = {1.0, 5.0};
  spec.vocabularies.resize(2);
  spec.vocabularies[0].name = "user";
  spec.vocabularies[1].name = "item";
  if (itemRows > 0) {
    spec.vocabularies[1].kind = experiment::VocabularyKind::kHash;
    spec.vocabularies[1].size = {experiment::VocabularySize::Kind::kFixed, itemRows};
  }
  return data::importDataset(spec, folder.path().toStdString(), {}, data::makeGenerator);
}

}  // namespace parapet::testing
