// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/input_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "engine/base/text.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/experiment/document.h"
#include "engine/experiment/query_context.h"

namespace parapet::workspace {
namespace {

using experiment::ColumnRole;
using experiment::Experiment;

/// Columns that a model reads from rows, and those of user and item, which every file has.
std::vector<experiment::Column> readColumns(const Experiment& experiment) {
  std::set<std::string> read;
  for (const experiment::Feature& feature : experiment.features)
    if (!feature.history) read.insert(feature.column);
  std::vector<experiment::Column> columns = columnsOf(experiment.dataset);
  std::erase_if(columns, [&](const experiment::Column& column) {
    const bool isRequired = column.role == ColumnRole::kUser || column.role == ColumnRole::kItem;
    return !isRequired && (column.role == ColumnRole::kTime || !read.contains(column.name));
  });
  return columns;
}

/// A catalogue lies beside the data of the run, not beside the file; one that is gone is left out, and
/// columns of it that the model reads are then those of the file.
std::vector<experiment::Catalogue> cataloguesFor(const std::filesystem::path& input,
                                                 const experiment::Dataset& data) {
  std::error_code ignored;
  std::filesystem::path beside(data.path.value_or(""));
  if (!std::filesystem::is_directory(beside, ignored)) beside = beside.parent_path();
  std::vector<experiment::Catalogue> catalogues = data.catalogues;
  std::erase_if(catalogues, [&](experiment::Catalogue& catalogue) {
    for (const auto& folder : {beside, input.parent_path(), std::filesystem::path()})
      if (std::filesystem::exists(folder / catalogue.path, ignored)) {
        catalogue.path = std::filesystem::absolute(folder / catalogue.path).string();
        return false;
      }
    return true;
  });
  return catalogues;
}

/// The rows of a file as a model reads them: the columns that it reads, no label, every row.
experiment::Dataset describeInput(const Experiment& experiment,
                                  const std::filesystem::path& input) {
  experiment::Dataset of = describeFile(experiment.dataset, input, readColumns(experiment));
  of.catalogues = cataloguesFor(input, experiment.dataset);
  of.label = {.column = std::nullopt, .scale = std::nullopt};
  of.filter.reset();
  std::erase_if(of.derived, [&](const experiment::Derived& derived) {
    return std::ranges::find(of.columns, derived.name, &experiment::Column::originName) ==
           of.columns.end();
  });
  return of;
}

/// Lists of the file are bags as they are: nothing separates their ids, and nothing weighs them.
void useLists(const data::Source& source, experiment::Dataset& of,
              std::vector<std::string>& warnings) {
  for (experiment::Column& column : of.columns) {
    const auto found =
        std::ranges::find(source.columns(), column.originName(), &data::SourceColumn::name);
    if (found == source.columns().end() || !found->isList) continue;
    if (column.weights)
      warnings.push_back(fmt::format(
          "column \"{}\" has lists, which have no weights; each id counts as 1", column.name));
    column.separator.reset();
    column.weights.reset();
  }
}

void endBag(InputFeature& feature) {
  feature.offsets.push_back(static_cast<std::int32_t>(feature.rows.size()));
}

std::int32_t rowOf(KnownIds& known, const data::ShapedRows::Ids& ids, std::size_t i) {
  const bool isBag = !ids.offsets.empty();
  if (!isBag && !ids.missing.empty() && ids.missing[i]) return 0;
  return ids.texts.empty() ? known.row(ids.integers[i]) : known.row(ids.texts[i]);
}

data::FeatureIds viewOf(const InputFeature& feature) {
  data::FeatureIds view{feature.rows};
  if (feature.offsets.size() > 1) view.offsets = feature.offsets;
  view.weights = feature.weights;
  view.dense = feature.values;
  return view;
}

}  // namespace

std::vector<experiment::Column> columnsOf(const experiment::Dataset& data) {
  if (!data.columns.empty()) return data.columns;
  return {{.name = "user", .role = ColumnRole::kUser}, {.name = "item", .role = ColumnRole::kItem}};
}

experiment::Dataset describeFile(const experiment::Dataset& data,
                                 const std::filesystem::path& input,
                                 std::vector<experiment::Column> columns) {
  experiment::Dataset of = data;
  of.source = data::tableSource(input.string());
  if (of.source != experiment::SourceKind::kCsv || of.source != data.source) of.format.reset();
  of.path = std::filesystem::absolute(input).string();
  of.columns = std::move(columns);
  of.catalogues.clear();
  of.vectors.clear();
  of.generator.reset();
  of.slice.reset();
  of.kCore.reset();
  of.weight.reset();
  of.split = {};
  std::set<std::string> names;
  for (const experiment::Column& column : of.columns)
    if (experiment::holdsIds(column.role)) names.insert(column.vocabularyName());
  of.vocabularies.clear();
  for (const std::string& name : names) {
    experiment::Vocabulary& vocabulary = of.vocabularies.emplace_back();
    vocabulary.name = name;
    vocabulary.kind = experiment::VocabularyKind::kCompressed;
  }
  return of;
}

Error ofInput(const Error& error, const std::filesystem::path& input) {
  if (error.code != ErrorCode::kInvalidDocument) return error;
  Error of = error.wrap(fmt::format("{} does not fit the data of the run", input.string()));
  of.path = input.string();
  return of;
}

Status requireFile(const std::filesystem::path& input) {
  if (std::error_code ignored; std::filesystem::exists(input, ignored)) return {};
  return Error{
      ErrorCode::kNotFound, fmt::format("{}: no such file", input.string()), {}, input.string()};
}

float filledNumber(const OpenedRun& run, const std::string& column,
                   experiment::MissingNumbers policy) {
  const std::span<const float> values = run.dataset->denseValues(column);
  if (policy != experiment::MissingNumbers::kMean || values.empty()) return 0.0f;
  const nlohmann::json& state = run.manifest.trainerState;
  const auto kept = nlohmann::json::json_pointer() / kFilledNumbers / column;
  if (state.contains(kept)) return state.at(kept).get<float>();
  return static_cast<float>(std::accumulate(values.begin(), values.end(), 0.0) /
                            static_cast<double>(values.size()));
}

Result<InputRows> InputRows::open(const Experiment& experiment, const std::filesystem::path& path,
                                  std::vector<std::string>& warnings, const WorkContext& context) {
  InputRows input{.spec = describeInput(experiment, path), .source = {}, .plan = {}};
  auto source = data::openSource(input.spec, data::makeGenerator);
  if (!source) return ofInput(source.error(), *input.spec.path);
  input.source = std::move(*source);
  useLists(*input.source, input.spec, warnings);
  auto plan = data::planImport(input.spec, *input.source);
  if (!plan) return ofInput(plan.error(), *input.spec.path);
  input.plan = std::move(*plan);
  PARAPET_TRY(input.source->readCatalogues(data::CatalogueExtent::kAll, context));
  // Any number is an id; one that the run does not know is an unknown one.
  for (data::PlannedVocabulary& vocabulary : input.plan.vocabularies)
    vocabulary.range.first = std::numeric_limits<std::int64_t>::min();
  return input;
}

RowScorer::RowScorer(OpenedRun& run, const train::Histories& histories,
                     const data::ImportPlan& plan, std::int64_t& serial, RowScores& out,
                     std::function<Status()> beforeBatch)
    : run_(run),
      session_(*run.session),
      histories_(histories),
      out_(out),
      beforeBatch_(std::move(beforeBatch)),
      serial_(serial) {
  const nn::Model& model = session_.model();
  for (const std::string& column : model.columns) features_.push_back(featureOf(column, plan));
  const auto user =
      std::ranges::find(plan.ids, ColumnRole::kUser, [](const auto& id) { return id.spec.role; });
  user_ = static_cast<std::size_t>(user - plan.ids.begin());
  users_.emplace(model.queryColumn, run.dataset->vocabularyOf(model.queryColumn));
  zeros_.assign(static_cast<std::size_t>(session_.batchRows()), 0.0f);
  if (const auto devices = experiment::expandDevices(run.experiment.mesh.devices); devices.ok())
    ranks_ = std::ssize(*devices);
}

Status RowScorer::add(const data::ShapedRows& rows, std::span<const std::int64_t> positions) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows.rows); ++row) {
    for (InputFeature& feature : features_) addRow(feature, rows, row);
    out_.scores.push_back({positions[row], 0.0f});
    if (++waiting_ == session_.batchRows()) PARAPET_TRY(flush());
  }
  return {};
}

Status RowScorer::flush() {
  if (waiting_ == 0) return {};
  PARAPET_TRY(beforeBatch_());
  data::Batch batch;
  batch.rows = fillBlock();
  batch.serial = ++serial_;
  batch.labels = std::span(zeros_).first(static_cast<std::size_t>(batch.rows));
  for (const InputFeature& feature : features_) batch.features.push_back(viewOf(feature));
  PARAPET_TRY(session_.evaluate(batch));
  const float* scores = session_.predictions(0);
  const auto first = out_.scores.size() - static_cast<std::size_t>(waiting_);
  for (std::size_t row = 0; row < static_cast<std::size_t>(waiting_); ++row)
    out_.scores[first + row].score = scores[row];
  for (InputFeature& feature : features_) feature.clear();
  waiting_ = 0;
  return {};
}

void RowScorer::startAgain() {
  for (InputFeature& feature : features_) {
    feature.clear();
    if (feature.known) feature.known->forget();
    feature.isTruncated = false;
    feature.empty = 0;
  }
  waiting_ = 0;
  out_ = {.runId = out_.runId, .step = out_.step};
}

void RowScorer::tell() {
  std::set<std::string> told;
  for (const InputFeature& feature : features_) {
    if (feature.known && feature.known->unknown().ids > 0 &&
        told.insert(feature.known->unknown().column).second)
      out_.unknown.push_back(feature.known->unknown());
    if (feature.isTruncated)
      out_.warnings.push_back(
          fmt::format("column \"{}\": of rows with more than {} ids the first {} are used, as "
                      "many as the longest row of the run's data has",
                      feature.known->unknown().column, feature.maxBag, feature.maxBag));
    if (feature.empty > 0 && told.insert(feature.column).second)
      out_.warnings.push_back(fmt::format(
          "{} of the {} numbers of \"{}\" are missing; they become {:.6g}{}",
          formatCount(feature.empty), formatCount(std::ssize(out_.scores)), feature.column,
          *feature.filled,
          feature.missing == experiment::MissingNumbers::kMean ? ", the mean of the run's data"
                                                               : ""));
  }
}

InputFeature RowScorer::featureOf(const std::string& column, const data::ImportPlan& plan) {
  InputFeature feature;
  for (std::size_t i = 0; i < plan.ids.size(); ++i)
    if (plan.ids[i].spec.name == column) {
      feature.ids = i;
      feature.known.emplace(column, run_.dataset->vocabularyOf(column));
      const data::IdColumnInfo* info = run_.dataset->idColumn(column);
      if (info && info->longestBag > 0) {
        feature.maxBag = session_.resolved().idsPerRow[features_.size()];
        useLimits(feature, column);
      }
    }
  for (std::size_t i = 0; i < plan.denseColumns.size(); ++i)
    if (plan.denseColumns[i].name == column) {
      feature.dense = i;
      feature.column = column;
      feature.missing = plan.denseColumns[i].missing;
    }
  if (const auto found = histories_.find(column); found != histories_.end())
    feature.history = &found->second;
  return feature;
}

// Truncates as training does: features that read different sides of one column need all of it.
void RowScorer::useLimits(InputFeature& feature, const std::string& column) const {
  std::set<experiment::TruncationSide> sides;
  for (const experiment::Feature& reader : run_.experiment.features) {
    if (reader.history || reader.column != column) continue;
    if (!reader.maxLength) return void(feature.maxLength = 0);
    feature.maxLength = std::max(feature.maxLength, *reader.maxLength);
    sides.insert(reader.truncationSide);
  }
  if (sides.size() == 1)
    feature.side = *sides.begin();
  else
    feature.maxLength = 0;
}

void RowScorer::addRow(InputFeature& feature, const data::ShapedRows& rows, std::size_t row) {
  if (feature.history) return addHistory(feature, rows, row);
  if (!feature.ids) return addNumber(feature, rows, row);
  const data::ShapedRows::Ids& ids = rows.ids[*feature.ids];
  if (ids.offsets.empty()) {
    feature.rows.push_back(rowOf(*feature.known, ids, row));
    if (feature.maxBag > 0) endBag(feature);
    return;
  }
  auto begin = static_cast<std::size_t>(ids.offsets[row]);
  auto end = static_cast<std::size_t>(ids.offsets[row + 1]);
  const auto used = static_cast<std::size_t>(feature.maxLength);
  if (used > 0 && end - begin > used) {
    if (feature.side == experiment::TruncationSide::kEnd)
      end = begin + used;
    else
      begin = end - used;
  }
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(1, feature.maxBag));
  if (end - begin > most) {
    feature.isTruncated = true;
    end = begin + most;
  }
  for (std::size_t i = begin; i < end; ++i) {
    feature.rows.push_back(rowOf(*feature.known, ids, i));
    if (!ids.weights.empty()) feature.weights.push_back(ids.weights[i]);
  }
  endBag(feature);
}

void RowScorer::addNumber(InputFeature& feature, const data::ShapedRows& rows, std::size_t row) {
  float number = feature.dense ? rows.dense[*feature.dense][row] : 0.0f;
  if (std::isnan(number)) {
    ++feature.empty;
    if (!feature.filled) feature.filled = filledNumber(run_, feature.column, feature.missing);
    number = *feature.filled;
  }
  feature.values.push_back(number);
}

// Reads the history of the user at the end of the data: the row is taken for a later one.
void RowScorer::addHistory(InputFeature& feature, const data::ShapedRows& rows, std::size_t row) {
  feature.history->history->appendLast(rowOf(*users_, rows.ids[user_], row),
                                       feature.history->window, feature.rows);
  endBag(feature);
}

// Repeats the last row until a block of rows on every rank is full, and returns the number of
// rows: a matrix product rounds the rows of a whole block alike, so the score of a row has the same
// bits whichever rows stand beside it.
std::int64_t RowScorer::fillBlock() {
  constexpr std::int64_t kBlock = 32;
  const std::int64_t block = kBlock * ranks_;
  const std::int64_t rows = std::min(session_.batchRows(), (waiting_ + block - 1) / block * block);
  for (InputFeature& feature : features_) feature.repeatLast(rows - waiting_);
  return rows;
}

}  // namespace parapet::workspace
