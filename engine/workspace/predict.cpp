// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import_plan.h"
#include "engine/data/ingest/import/row_pipeline.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"
#include "engine/experiment/query_context.h"
#include "engine/train/entity_inputs.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

/// What an empty cell of a dense column is in the rows of another file: what the import made of those
/// of the run's data.
///
///   kMean   (1/N) Σ_n value[n]   over the rows of the data set; cells that the import filled with
///           the mean of the others do not change it
///   kZero   0
///
/// Order    sums in the order of the rows, in double precision.
/// Errors   InvalidArgument for a column that the data set does not have.
/// Thread   pure. O(rows) for kMean.
float filledNumber(const data::Dataset& dataset, const std::string& column,
                   experiment::MissingNumbers policy) {
  const std::span<const float> values = dataset.denseValues(column);
  if (policy != experiment::MissingNumbers::kMean || values.empty()) return 0.0f;
  double sum = 0.0;
  for (const float value : values) sum += value;
  return static_cast<float>(sum / static_cast<double>(values.size()));
}

using experiment::ColumnRole;
using experiment::Experiment;

/// Columns that a model reads from rows, and those of user and item, which every file has.
std::vector<experiment::Column> readColumns(const Experiment& experiment) {
  std::set<std::string> read;
  for (const experiment::Feature& feature : experiment.features)
    if (!feature.history) read.insert(feature.column);
  std::vector<experiment::Column> columns = experiment.dataset.columns;
  if (columns.empty())
    columns = {{.name = "user", .role = ColumnRole::kUser},
               {.name = "item", .role = ColumnRole::kItem}};
  std::erase_if(columns, [&](const experiment::Column& column) {
    const bool isRequired = column.role == ColumnRole::kUser || column.role == ColumnRole::kItem;
    return !isRequired && (column.role == ColumnRole::kTime || !read.contains(column.name));
  });
  return columns;
}

/// A catalogue lies beside the data of the run, not beside the file.
void keepCatalogues(experiment::Dataset& of) {
  if (!of.path) return;
  std::filesystem::path beside(*of.path);
  std::error_code ignored;
  if (!std::filesystem::is_directory(beside, ignored)) beside = beside.parent_path();
  for (experiment::Catalogue& catalogue : of.catalogues)
    if (std::filesystem::exists(beside / catalogue.path, ignored))
      catalogue.path = std::filesystem::absolute(beside / catalogue.path).string();
}

/// The data of a run as a description of another file: the columns that the model reads, any id, no
/// label, every row.
experiment::Dataset describeInput(const Experiment& experiment,
                                  const std::filesystem::path& input) {
  experiment::Dataset of = experiment.dataset;
  const experiment::SourceKind trained = of.source;
  keepCatalogues(of);
  of.source = data::tableSource(input.string());
  if (of.source != experiment::SourceKind::kCsv || of.source != trained) of.format.reset();
  of.path = std::filesystem::absolute(input).string();
  of.columns = readColumns(experiment);
  of.label = {.column = std::nullopt, .scale = std::nullopt};
  of.slice.reset();
  of.generator.reset();
  of.filter.reset();
  of.split = {};
  of.kCore.reset();
  of.weight.reset();
  of.vectors.clear();
  std::set<std::string> used, origins;
  for (const experiment::Column& column : of.columns) {
    if (experiment::holdsIds(column.role)) used.insert(column.vocabularyName());
    origins.insert(column.originName());
  }
  std::erase_if(of.derived, [&](const experiment::Derived& derived) {
    return !origins.contains(derived.name);
  });
  of.vocabularies.clear();
  for (const std::string& name : used) {
    experiment::Vocabulary& vocabulary = of.vocabularies.emplace_back();
    vocabulary.name = name;
    vocabulary.kind = experiment::VocabularyKind::kCompressed;
  }
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

/// Finds the rows of raw ids in a vocabulary of the run, and counts those that it does not know.
class KnownIds {
 public:
  KnownIds(std::string column, const data::Vocabulary& vocabulary)
      : vocabulary_(vocabulary), unknown_{std::move(column)} {}
  std::int32_t row(std::string_view rawId) {
    const auto found = vocabulary_.row(rawId);
    if (!found || vocabulary_.rawId(*found) != rawId) {
      if (unknown_.ids++ == 0) unknown_.example = std::string(rawId);
    }
    return found.value_or(0);
  }
  std::int32_t row(std::int64_t rawId) { return row(std::string_view(fmt::to_string(rawId))); }
  [[nodiscard]] const UnknownIds& unknown() const { return unknown_; }

 private:
  const data::Vocabulary& vocabulary_;
  UnknownIds unknown_;
};

/// A feature of the model over the rows that wait for their batch.
struct InputFeature {
  std::optional<std::size_t> ids, dense;  ///< index into the plan; neither: a history or a label
  const data::HistoryColumn* history = nullptr;
  std::optional<KnownIds> known{};
  std::int64_t maxBag = 0;  ///< ids of a bag that the plan has room for; 0: one id a row
  /// Ids that the features of the column use, of which side; 0: all, or not all of one side.
  std::int64_t maxLength = 0;
  experiment::TruncationSide side = experiment::TruncationSide::kEnd;
  bool isTruncated = false;
  std::string column{};  ///< of `dense`
  experiment::MissingNumbers missing = experiment::MissingNumbers::kReject;
  std::optional<float> filled{};  ///< what empty cells are; nullopt: there was none yet
  std::int64_t empty = 0;         ///< cells
  std::vector<std::int32_t> rows, offsets{0};
  std::vector<float> weights, values;

  void clear() {
    rows.clear();
    offsets.assign(1, 0);
    weights.clear();
    values.clear();
  }
};

/// Scores rows as they come, a batch at a time; asks `beforeBatch` whether to go on.
class RowScorer {
 public:
  RowScorer(OpenedRun& run, const data::ImportPlan& plan, RowScores& out,
            std::function<Status()> beforeBatch)
      : run_(run),
        session_(*run.session),
        histories_(train::makeHistories(run.experiment, *run.dataset, run.split.train)),
        out_(out),
        beforeBatch_(std::move(beforeBatch)) {
    const nn::Model& model = session_.model();
    for (const std::string& column : model.columns) features_.push_back(featureOf(column, plan));
    const auto user =
        std::ranges::find(plan.ids, ColumnRole::kUser, [](const auto& id) { return id.spec.role; });
    user_ = static_cast<std::size_t>(user - plan.ids.begin());
    users_.emplace(model.queryColumn, run.dataset->vocabularyOf(model.queryColumn));
    zeros_.assign(static_cast<std::size_t>(session_.batchRows()), 0.0f);
  }

  Status add(const data::ShapedRows& rows, std::span<const std::int64_t> positions) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.rows); ++row) {
      for (InputFeature& feature : features_) addRow(feature, rows, row);
      out_.scores.push_back({positions[row], 0.0f});
      if (++waiting_ == session_.batchRows()) PARAPET_TRY(flush());
    }
    return {};
  }

  Status flush() {
    if (waiting_ == 0) return {};
    PARAPET_TRY(beforeBatch_());
    data::Batch batch;
    batch.rows = waiting_;
    batch.serial = ++batches_;
    batch.labels = std::span(zeros_).first(static_cast<std::size_t>(waiting_));
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

  void tell() {
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

 private:
  InputFeature featureOf(const std::string& column, const data::ImportPlan& plan) {
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
  void useLimits(InputFeature& feature, const std::string& column) const {
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

  void addRow(InputFeature& feature, const data::ShapedRows& rows, std::size_t row) {
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

  void addNumber(InputFeature& feature, const data::ShapedRows& rows, std::size_t row) {
    float number = feature.dense ? rows.dense[*feature.dense][row] : 0.0f;
    if (std::isnan(number)) {
      ++feature.empty;
      if (!feature.filled)
        feature.filled = filledNumber(*run_.dataset, feature.column, feature.missing);
      number = *feature.filled;
    }
    feature.values.push_back(number);
  }

  // What the user has at the end of the data: the row is taken for a later one.
  void addHistory(InputFeature& feature, const data::ShapedRows& rows, std::size_t row) {
    feature.history->history->appendLast(rowOf(*users_, rows.ids[user_], row),
                                         feature.history->window, feature.rows);
    endBag(feature);
  }

  static void endBag(InputFeature& feature) {
    feature.offsets.push_back(static_cast<std::int32_t>(feature.rows.size()));
  }

  static std::int32_t rowOf(KnownIds& known, const data::ShapedRows::Ids& ids, std::size_t i) {
    const bool isBag = !ids.offsets.empty();
    if (!isBag && !ids.missing.empty() && ids.missing[i]) return 0;
    return ids.texts.empty() ? known.row(ids.integers[i]) : known.row(ids.texts[i]);
  }

  static data::FeatureIds viewOf(const InputFeature& feature) {
    data::FeatureIds view{feature.rows};
    if (feature.offsets.size() > 1) view.offsets = feature.offsets;
    view.weights = feature.weights;
    view.dense = feature.values;
    return view;
  }

  OpenedRun& run_;
  train::Session& session_;
  const train::Histories histories_;
  RowScores& out_;
  const std::function<Status()> beforeBatch_;
  std::vector<InputFeature> features_;
  std::optional<KnownIds> users_;
  std::size_t user_ = 0;
  std::vector<float> zeros_;
  std::int64_t waiting_ = 0, batches_ = 0;
};

/// Position in the file of each row that is kept, rejected rows counted, from `first` on.
std::vector<std::int64_t> positionsOf(const data::ShapedRows& rows, std::int64_t first) {
  std::vector<std::int64_t> rejected;
  for (const data::RejectedRow& line : rows.block.rejected) rejected.push_back(line.line);
  std::ranges::sort(rejected);
  std::vector<std::int64_t> positions;
  std::int64_t kept = 0;
  for (std::int64_t row = 0; row < rows.block.rows; ++row) {
    if (!rows.keep[static_cast<std::size_t>(row)]) continue;
    const auto before =
        std::ranges::lower_bound(rejected, rows.block.lineOf(row)) - rejected.begin();
    positions.push_back(first + kept++ + before);
  }
  return positions;
}

void addRejected(const data::ShapedRows& rows, std::int64_t linesBefore, const std::string& path,
                 RowScores& out) {
  constexpr std::size_t kShown = 100;
  out.rejected += std::ssize(rows.block.rejected);
  for (const data::RejectedRow& line : rows.block.rejected)
    if (out.rejectedLines.size() < kShown)
      out.rejectedLines.push_back({path, linesBefore + line.line + 1, line.reason, line.excerpt});
}

Status checkRejected(const experiment::Dataset& of, const RowScores& out) {
  const auto good = static_cast<double>(out.scores.size());
  const auto all = good + static_cast<double>(out.rejected);
  if (out.rejected == 0 && !out.scores.empty()) return {};
  if (!out.scores.empty() && static_cast<double>(out.rejected) <= of.maxRejectedShare * all)
    return {};
  Error error{ErrorCode::kData,
              out.rejected == 0 ? fmt::format("{} has no row; at least one is accepted", *of.path)
                                : fmt::format("{}: {} of {} lines were rejected; a share of at "
                                              "most {} is accepted, and at least one row",
                                              *of.path, out.rejected, all, of.maxRejectedShare),
              {},
              *of.path};
  if (!out.rejectedLines.empty()) {
    const data::RejectedLine& first = out.rejectedLines.front();
    error.line = first.line;
    error.message += fmt::format(". line {}: {} [{}]", first.line, first.reason, first.excerpt);
  }
  return error;
}

/// A file that lacks a column is at fault, not the document of the run.
Error ofInput(const Error& error, const std::string& path) {
  if (error.code != ErrorCode::kInvalidDocument) return error;
  Error of = error.wrap(fmt::format("{} does not fit the data of the run", path));
  of.path = path;
  return of;
}

}  // namespace

Result<RowScores> Workspace::predict(const std::string& run, const PredictOptions& options,
                                     const WorkContext& context) const {
  std::error_code ignored;
  PARAPET_ASSIGN(const store::RunRecord record, state_->shared->store->find(run));
  if (!std::filesystem::exists(options.input, ignored))
    return Error{ErrorCode::kNotFound,
                 fmt::format("{}: no such file", options.input.string()),
                 {},
                 options.input.string()};
  PARAPET_ASSIGN(OpenedRun opened, openRun(*state_->shared, record.id, options.checkpoint, 0,
                                           context, BagRoom::kOfFile));
  PARAPET_TRY(requireUsersAndItems(opened));
  experiment::Dataset spec = describeInput(opened.experiment, options.input);
  RowScores out{.runId = opened.record.id, .step = opened.manifest.step};
  out.warnings = opened.warnings;
  auto source = data::openSource(spec, data::makeGenerator);
  if (!source) return ofInput(source.error(), *spec.path);
  useLists(**source, spec, out.warnings);
  auto plan = data::planImport(spec, **source);
  if (!plan) return ofInput(plan.error(), *spec.path);
  PARAPET_TRY((*source)->readCatalogues(data::CatalogueExtent::kAll, context));
  // Any number is an id; one that the run does not know is an unknown one.
  for (data::PlannedVocabulary& vocabulary : plan->vocabularies)
    vocabulary.range.first = std::numeric_limits<std::int64_t>::min();
  // A piece of the file has many batches.
  RowScorer scorer(opened, *plan, out, [&]() -> Status {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the prediction was cancelled"};
    context.report("reading", (*source)->done(), (*source)->total());
    return {};
  });
  data::LineNumbers numbers(**source);
  std::int64_t first = 0;
  const auto take = [&](data::ShapedRows& rows) -> Status {
    const std::int64_t before = numbers.before(rows.piece, rows.block.lines);
    const auto positions = positionsOf(rows, first);
    addRejected(rows, before, *spec.path, out);
    first += rows.rows + std::ssize(rows.block.rejected);
    return scorer.add(rows, positions);
  };
  const data::RowShaper shaper(**source, *plan);
  PARAPET_TRY(data::shapeInOrder(**source, shaper, {}, 1, take, context));
  PARAPET_TRY(scorer.flush());
  PARAPET_TRY(checkRejected(spec, out));
  scorer.tell();
  return out;
}

}  // namespace parapet::workspace
