// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/ingest/import/import_plan.h"
#include "engine/data/ingest/import/shaped_rows.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/train/entity_inputs.h"
#include "engine/workspace/predict.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {

/// The columns of a data set: those of user and item where its document names none.
std::vector<experiment::Column> columnsOf(const experiment::Dataset& data);

/// A file of tables described with the settings of a data set: these columns, any id, all of its rows
/// that the filter keeps, and nothing that the data of the run alone has (catalogues, pretrained
/// embeddings, weights, the split).
experiment::Dataset describeFile(const experiment::Dataset& data,
                                 const std::filesystem::path& input,
                                 std::vector<experiment::Column> columns);

/// A file that lacks a column is at fault, not the document of the run: kInvalidDocument is wrapped, with
/// the path of the file. Other errors stay as they are.
Error ofInput(const Error& error, const std::filesystem::path& input);

/// Errors   kNotFound with the path if there is no such file.
Status requireFile(const std::filesystem::path& input);

/// Rows of another file, as the model of a run reads them.
struct InputRows {
  experiment::Dataset spec;
  std::unique_ptr<data::Source> source;
  data::ImportPlan plan;

  /// Errors   kInvalidDocument with the path for a file that lacks a column; those of openSource().
  static Result<InputRows> open(const experiment::Experiment& experiment,
                                const std::filesystem::path& path,
                                std::vector<std::string>& warnings, const WorkContext& context);
};

/// An empty cell of a dense column in the rows of another file: what the import made of those of the
/// run's data.
///
///   kMean   (1/N) Σ_n value[n]   over the rows of the data set; cells that the import filled with
///           the mean of the others do not change it. A model has them at kFilledNumbers of its
///           trainer state, by column: its data set lacks rows
///   kZero   0
///
/// Order    sums in the order of the rows, in double precision.
/// Errors   InvalidArgument for a column that the data set does not have.
/// Thread   pure. O(rows) for kMean.
float filledNumber(const OpenedRun& run, const std::string& column,
                   experiment::MissingNumbers policy);
inline constexpr const char* kFilledNumbers = "filled_numbers";

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
  void forget() { unknown_ = {unknown_.column}; }

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
  /// As many copies of the last row.
  void repeatLast(std::int64_t copies) {
    const bool isBag = offsets.size() > 1;
    const std::size_t count =
        isBag ? static_cast<std::size_t>(offsets.back() - offsets[offsets.size() - 2])
              : std::min<std::size_t>(1, rows.size());
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      for (std::size_t i = 0; i < count; ++i) rows.push_back(rows[rows.size() - count]);
      if (!weights.empty())
        for (std::size_t i = 0; i < count; ++i) weights.push_back(weights[weights.size() - count]);
      if (isBag) offsets.push_back(static_cast<std::int32_t>(rows.size()));
      if (!values.empty()) values.push_back(values.back());
    }
  }
};

/// Scores rows as they come, a batch at a time; asks `beforeBatch` whether to go on. The score of a row
/// has the same bits whichever rows come with it.
class RowScorer {
 public:
  /// All but the function must outlive it; `serial` numbers the batches of the session.
  RowScorer(OpenedRun& run, const train::Histories& histories, const data::ImportPlan& plan,
            std::int64_t& serial, RowScores& out, std::function<Status()> beforeBatch);

  Status add(const data::ShapedRows& rows, std::span<const std::int64_t> positions);
  /// Scores what waits for a batch.
  Status flush();
  /// Forgets what was scored and found so far.
  void startAgain();
  /// Says in the scores what was found besides them.
  void tell();

 private:
  InputFeature featureOf(const std::string& column, const data::ImportPlan& plan);
  void useLimits(InputFeature& feature, const std::string& column) const;
  void addRow(InputFeature& feature, const data::ShapedRows& rows, std::size_t row);
  void addNumber(InputFeature& feature, const data::ShapedRows& rows, std::size_t row);
  void addHistory(InputFeature& feature, const data::ShapedRows& rows, std::size_t row);
  std::int64_t fillBlock();

  OpenedRun& run_;
  train::Session& session_;
  const train::Histories& histories_;
  RowScores& out_;
  const std::function<Status()> beforeBatch_;
  std::vector<InputFeature> features_;
  std::optional<KnownIds> users_;
  std::size_t user_ = 0;
  std::vector<float> zeros_;
  std::int64_t ranks_ = 1, waiting_ = 0;
  std::int64_t& serial_;
};

}  // namespace parapet::workspace
