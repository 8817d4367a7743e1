// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

#include "engine/base/result.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/data/ingest/import/check_side_files.h"
#include "engine/data/ingest/import/choose_data.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/ingest/import/preview.h"
#include "engine/data/ingest/import/propose_catalogues.h"
#include "engine/data/ingest/import/text_sample.h"
#include "engine/data/ingest/import/train_pieces.h"
#include "engine/data/ingest/shape/filter.h"
#include "engine/data/ingest/shape/time_text.h"
#include "engine/data/split/leakage.h"
#include "engine/data/split/split_timeline.h"
#include "engine/experiment/document.h"
#include "engine/experiment/experiment.h"

/// Questions of the apps about a source before it is imported, and about the split of a data set. The
/// apps know the data modules by these names alone.
namespace parapet::workspace {

using data::Dataset;
using data::ImportReport;
using data::Quarantine;
using data::RejectedLine;
using data::Split;
using data::Vocabulary;
using data::VocabularyReport;

// A source: what it is, its first rows, the use of each column.
using data::ChosenData;
using data::detectSource;
using data::OtherColumns;
using data::requireKindOfData;
using data::RoleProposal;
using data::SourceColumn;
using data::SourcePreview;
using data::suggestDataset;
using data::typeName;
using data::useOfColumn;
using data::usesOfColumns;
using data::ValueType;
using data::withUse;
/// The data of a document exchanged for those at `path`; see data::chooseData.
Result<ChosenData> chooseData(const experiment::Dataset& now, const std::filesystem::path& path,
                              OtherColumns other, std::int64_t rows, const WorkContext& context);
/// Chooses the data of a document as it was read. If it cannot be done, because its settings of data are
/// wrong or there are no data, /dataset/path alone is set, and the import says why.
///
/// Returns  the changes besides source and path.
std::vector<std::string> chooseDataOf(nlohmann::json& document, const std::filesystem::path& path,
                                      OtherColumns other);
/// Whether the settings of a recipe can be about the data at `path`: texts for texts, MovieLens for
/// MovieLens, and of tables the source and the columns that it names.
///
/// Errors   those of detectSource; kData that says what is there and what is wanted.
Status requireDataOf(const experiment::Dataset& wanted, const std::filesystem::path& path);
/// Whether the data at `path` are the public data set that a recipe is named after, such as MovieLens
/// 100K, by their contents: as many rows, users and items. Any data are those of a recipe that is named after
/// none.
///
/// Errors   those of the source; kData that says what was expected and what is there.
Status requireNamedData(const experiment::Recipe& recipe, const std::filesystem::path& path,
                        const WorkContext& context = {});
/// The first `rows` rows; a generated source is generated.
Result<SourcePreview> previewSource(const experiment::Dataset& spec, std::int64_t rows,
                                    const WorkContext& context);

// Files beside the data: what they would tell, which columns they have.
using data::CatalogueProposal;
using data::proposeCatalogue;
using data::proposeCatalogues;
using data::proposeVectors;
using data::sideFileColumns;
using data::sideFileName;
/// The findings of an import about such files before it reads their lines.
experiment::Findings checkSideFiles(const experiment::Dataset& spec);

// A filter: whether it parses, how many rows pass.
using data::Filter;
using data::FilterCount;
using data::lateTimesWarning;
/// Counts over the first `atMost` rows; 0: over all. lateTimesWarning() says what its times are, as an import does.
Result<FilterCount> countRows(const experiment::Dataset& spec, std::int64_t atMost,
                              const WorkContext& context);

// Texts: their lines where there is no vocabulary yet, their pieces with masks; a vocabulary trained
// on a corpus.
/// previewSource() and countRows() of lines as they are.
Result<SourcePreview> previewLines(const experiment::Dataset& spec, std::int64_t rows,
                                   const WorkContext& context);
Result<FilterCount> countLines(const experiment::Dataset& spec, std::int64_t atMost,
                               const WorkContext& context);
using data::Casing;
using data::MaskedText;
using data::PieceFate;
using data::PieceTraining;
using data::TextSample;
using data::TrainedPieces;
using data::trainPieces;

// A data set: what its vocabularies cover, where the parts of the split lie, what leaks.
using data::coverageCurve;
using data::CoveragePoint;
using data::EventColumns;
using data::findLeakage;
using data::LeakFinding;
using data::LeakSeverity;
using data::severityName;
using data::splitTimeline;
using data::SplitTimeline;

}  // namespace parapet::workspace
