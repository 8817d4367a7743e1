// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/import/preview.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The probable meaning of a table beside the data for their ids, with the reason; a person
/// can correct.
struct CatalogueProposal {
  experiment::Catalogue catalogue;  ///< a relative path if the file lies beside the data
  std::int64_t asked = 0;           ///< different ids in the first rows of the data
  std::int64_t found = 0;           ///< ids among `asked` that have an entry
  std::int64_t entries = 0;         ///< lines that were looked at
  std::int64_t rejected = 0;        ///< lines that an import rejects: no id, or a repeated one
  bool isOfRows = false;            ///< the file of the data itself, whose rows repeat the titles
  std::string rejection;  ///< "line 2: cell 5 has no closing quote; …", of the first one
  std::string reason;     ///< "movieId has 178 of the first 200 items; title names them"
};

/// The catalogue that a file would be, whatever is in it.
///
/// Ids     a column of texts or integers that hardly occur twice: the one called as the ids of the
///         data; one whose name, or the name of the file, tells users or items; else one whose
///         texts are ids of the data. Without any `id` is null and `found` 0.
/// Title   a column called title, name or so; of items also a text of several words.
///
/// preview  of `spec`, whose rows tell the ids.
/// Errors   kData or kIo for a file that is no table; kCancelled.
Result<CatalogueProposal> proposeCatalogue(const experiment::Dataset& spec,
                                           const SourcePreview& preview,
                                           const std::filesystem::path& file,
                                           const WorkContext& context);

/// The data themselves where each id of a role has one text that names it, then the files beside
/// them that have entries for ids of their first rows, and tell titles or
/// attributes that entries share; those with titles first, files before the data themselves. Files
/// that the document names already are none; nor are the data if ids of the role have titles. Of a folder of data these are the tables in it that are of
/// another kind (lists of films as text in a folder of Parquet), and those in the folder around it.
std::vector<CatalogueProposal> proposeCatalogues(const experiment::Dataset& spec,
                                                 const SourcePreview& preview,
                                                 const WorkContext& context);

}  // namespace parapet::data
