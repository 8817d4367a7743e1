// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/copy_rows.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/fit_vocabularies.h"
#include "engine/workspace/input_rows.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::ColumnRole;

/// The rows of a file with labels. What a catalogue knows of users and items is known already.
experiment::Dataset describeRows(const OpenedRun& opened, const std::filesystem::path& input) {
  const experiment::Dataset& data = opened.experiment.dataset;
  std::vector<experiment::Column> columns = columnsOf(data);
  if (data.columns.empty() && !opened.dataset->times().empty())
    columns.push_back({.name = "timestamp", .role = ColumnRole::kTime});
  std::erase_if(columns, [&](const experiment::Column& column) {
    return column.role != ColumnRole::kTime && column.role != ColumnRole::kUser &&
           column.role != ColumnRole::kItem && opened.dataset->entityColumn(column.name);
  });
  return describeFile(data, input, std::move(columns));
}

}  // namespace

Status validateOnFile(OpenedRun& opened, const std::filesystem::path& input,
                      const WorkContext& context) {
  if (!opened.dataset->hasInteractions())
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("run {} reads texts; accepted is a run with users and items",
                             opened.record.id)};
  PARAPET_TRY(requireFile(input));
  auto files = std::make_shared<TemporaryFolder>();
  if (files->path().empty())
    return Error{ErrorCode::kIo, "a temporary folder cannot be made; TMPDIR names another place"};
  auto rows = data::importDataset(describeRows(opened, input), files->path() / "rows", context,
                                  data::makeGenerator);
  if (!rows) return ofInput(rows.error(), input);
  PARAPET_ASSIGN(const auto own, data::Dataset::open(opened.dataset->folder()));
  auto appended = data::appendRows(*own, opened.split.train, *rows->dataset,
                                   files->path() / "datasets", context);
  if (!appended) return ofInput(appended.error(), input);
  PARAPET_ASSIGN(auto dataset, data::Dataset::open(files->path() / "datasets" / *appended));
  data::Split split;
  data::RowBits trained = data::noRowBits(dataset->rows());
  opened.split.train.forEach([&](std::int64_t row) { data::setRow(trained, row); });
  data::RowBits held = data::noRowBits(dataset->rows());
  for (std::int64_t row = own->rows(); row < dataset->rows(); ++row) data::setRow(held, row);
  split.train = data::RowSet::ofBits(std::move(trained));
  split.validation = data::RowSet::ofBits(std::move(held));
  PARAPET_ASSIGN(opened.dataset,
                 data::fitVocabularies(std::move(dataset), opened.experiment.dataset, split));
  opened.split = std::move(split);
  opened.files = std::move(files);
  for (const std::string& warning : rows->warnings) opened.warnings.push_back(warning);
  if (rows->quarantined > 0)
    opened.warnings.push_back(
        fmt::format("{} lines of {} were rejected", rows->quarantined, input.string()));
  return {};
}

}  // namespace parapet::workspace
