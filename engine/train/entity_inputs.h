// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/data/dataset/batches.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/data/dataset/row_set.h"
#include "engine/data/dataset/user_history.h"
#include "engine/experiment/document.h"
#include "engine/nn/model.h"
#include "engine/retrieval/query_encoder.h"

namespace parapet::train {

/// The histories that a model reads, by column of its batches (experiment::batchColumn).
using Histories = std::map<std::string, data::HistoryColumn>;

/// Makes the histories of an experiment over a data set, which must outlive them. Features that
/// count the same rows in the same order share an index.
///
/// Errors   InvalidArgument if they go by time and the data set has none (see
///          workspace::checkData); data::PassStopped once `stop` fires.
Histories makeHistories(const experiment::Experiment& experiment, const data::Dataset& dataset,
                        const data::RowSet& trainingRows, std::stop_token stop = {});

/// Features of a user and an item that need not occur together in the data: their ids, the context
/// of a query, what a catalogue knows of them, and the values of other columns in the last training
/// row of the user (features of the query side) or of the item (those of the candidate side); and
/// the history of a query. Copies
/// share what was read from the data.
///
/// Thread   not shared; a copy for each.
class EntityInputs {
 public:
  /// `trainingRows` are used only if the model reads more than the two ids. `histories`: those of
  /// the experiment; made here if it has some and none are given.
  EntityInputs(std::shared_ptr<const data::Dataset> dataset, const nn::Model& model,
               const experiment::Experiment& experiment, const data::RowSet& trainingRows,
               Histories histories = {});

  [[nodiscard]] std::span<const retrieval::ContextColumn> contexts() const { return contexts_; }
  /// See retrieval::QuerySide.
  [[nodiscard]] std::vector<retrieval::ContextCell> lastContext(std::int32_t user) const;
  [[nodiscard]] std::span<const retrieval::QueryFeature> features() const { return features_; }
  [[nodiscard]] bool readsHistory() const { return !histories_.empty(); }
  [[nodiscard]] std::vector<std::int32_t> historyOf(const retrieval::EncoderQuery& query) const;

  // Views are valid until the next call.

  /// Inputs of queries without an item, which reads row 0. InvalidArgument for a query with more or
  /// fewer values than contexts.
  std::span<const data::FeatureIds> ofQueries(std::span<const retrieval::EncoderQuery> queries);
  /// Inputs of one query with each of the items.
  std::span<const data::FeatureIds> ofPairs(const retrieval::EncoderQuery& query,
                                            std::span<const std::int32_t> items);
  /// Inputs of items without a query.
  std::span<const data::FeatureIds> ofItems(std::span<const std::int32_t> items);

 private:
  enum class Kind { kUserId, kItemId, kIds, kBags, kNumeric, kHistory };
  struct Column {
    std::string name;
    Kind kind;
    bool ofUser;
    std::ptrdiff_t context;  ///< index of the context that it is; −1: none
    std::uint64_t bit = 0;   ///< bit of EncoderQuery::without; 0: no feature of the query
    /// Row of zeros, the one after the rows of the vocabulary (see ForwardRunners).
    std::int32_t zeroRow = 0;
    float usual = 0.0f;  ///< mean of a number over the training rows, where it is taken out
    data::HistoryColumn history{};
    /// Values that a catalogue has for every user, or item; read instead of training rows.
    std::optional<data::EntityColumn> known{};
    /// Ids without a training row were never trained: where the model knows more of them, they are
    /// read as unknown ones, row 0. Null: all ids are read as they are.
    std::shared_ptr<const std::vector<bool>> trained{};
    std::vector<std::int32_t> ids, offsets;
    std::vector<float> weights, numeric;
  };
  /// The form of the examples: a query each or one for all; an item each or none.
  struct Examples {
    std::span<const retrieval::EncoderQuery> queries;
    std::span<const std::int32_t> items;
    std::size_t count;
    [[nodiscard]] const retrieval::EncoderQuery* query(std::size_t example) const {
      return queries.empty() ? nullptr : &queries[queries.size() == 1 ? 0 : example];
    }
  };
  std::span<const data::FeatureIds> of(const Examples& examples);
  void fill(Column& column, const Examples& examples) const;
  [[nodiscard]] std::int64_t rowOf(const Column& column, const Examples& examples,
                                   std::size_t example) const;
  [[nodiscard]] std::optional<data::EntityColumn> knownOf(const Column& column,
                                                          const nn::Model& model) const;
  [[nodiscard]] std::shared_ptr<const std::vector<bool>> trainedIds(
      const Column& column, const experiment::Experiment& experiment,
      const data::RowSet& trainingRows) const;
  [[nodiscard]] std::int32_t idOf(const Column& column, std::int32_t entity) const;
  [[nodiscard]] float meanOf(const std::string& column, const data::RowSet& trainingRows) const;
  static void appendHistory(const data::HistoryColumn& column, const retrieval::EncoderQuery& query,
                            std::vector<std::int32_t>& items);
  void findUsualContext(const data::RowSet& trainingRows);

  std::shared_ptr<const data::Dataset> dataset_;
  Histories histories_;
  std::shared_ptr<const data::EntityFeatures> users_, items_;  ///< null: not needed
  std::vector<retrieval::ContextColumn> contexts_;
  std::vector<retrieval::QueryFeature> features_;
  std::vector<retrieval::ContextCell> usual_;  ///< by context, of users without training rows
  std::vector<Column> columns_;                // by feature of the graph
  std::vector<data::FeatureIds> views_;
};

}  // namespace parapet::train
