// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/ingest/import/preview.h"
#include "engine/data/ingest/import/propose_roles.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The treatment of settings about columns that the chosen data do not have.
enum class OtherColumns {
  kSuggest,  ///< columns, label and vocabularies are suggested anew
  kKeep,     ///< they stay as they are, and the import names what is missing
};

/// Data that were chosen for a document.
struct ChosenData {
  experiment::Dataset dataset;
  SourcePreview preview;
  /// Settings that differ from those of the document, besides source and path, each with why.
  std::vector<std::string> changes;
  /// The probable roles of the columns, where they were suggested anew.
  std::vector<RoleProposal> proposals;
};

/// The data of a document with those at `path` in their stead: the one way in which data are
/// chosen, in the window and in the terminal.
///
/// The source is detected. If it is that of the document and has the columns that the document
/// names, the document's settings go on; only what cannot hold for these data is replaced: direct
/// vocabularies that have no rows for ids of the catalogue become compressed, the scale of the
/// label becomes that of the ratings, and counts of rows of a random split become shares. Otherwise
/// columns, label and vocabularies are those that names and cells of the source suggest
/// (propose_roles.h); split (but for such counts) and batches go on.
///
/// rows     of the preview, at least 1.
/// Errors   those of detectSource and previewSource.
Result<ChosenData> chooseData(const experiment::Dataset& now, const std::filesystem::path& path,
                              OtherColumns other, std::int64_t rows, const WorkContext& context,
                              const GeneratorFactory& makeGenerator);

/// The data that detectSource() found, with columns, label and vocabularies as names and cells of the
/// source suggest them.
///
/// Errors   those of previewSource.
Result<ChosenData> suggestData(const experiment::Dataset& found, std::int64_t rows,
                               const WorkContext& context, const GeneratorFactory& makeGenerator);

/// A direct vocabulary without rows for ids that its source is known to have.
struct UnfitVocabulary {
  std::size_t index = 0;  ///< in the document
  std::string reason;
};

/// The direct vocabularies of user and item whose rows the catalogue of the source exceeds; an
/// import would fail at the first such id. Reads the catalogue, and only if there are such
/// vocabularies of a fixed size or that of the catalogue.
///
/// Errors   those of openSource and of its catalogues; kCancelled.
Result<std::vector<UnfitVocabulary>> unfitVocabularies(const experiment::Dataset& spec,
                                                       const GeneratorFactory& makeGenerator,
                                                       const WorkContext& context = {});

}  // namespace parapet::data
