// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/models/item_ranks_model.h"

namespace parapet::ui {

/// A checkpoint of a run, as a picker gives it.
struct ModelChoice {
  QString runId;
  workspace::CheckpointChoice checkpoint;
};

using RecommenderPtr = std::shared_ptr<const retrieval::Recommender>;

/// What Browse shows of one user.
struct ColumnAnswer {
  QString user;
  std::optional<Error> error;  ///< then the rest is empty
  retrieval::UserSummary summary;
  retrieval::Recommendation list;
  std::optional<retrieval::Recommendation> compared;  ///< of the second model
  std::optional<retrieval::Recommendation> before;    ///< of the model before an update
  std::vector<retrieval::HistoryItem> history;
};

/// The models that are open on Browse and every question put to them.
///
/// Each kind of question has its own Background: a newer one supersedes the one before, and late
/// answers are dropped. Recommenders are immutable, so questions share them without locks.
///
/// Thread   GUI. Nothing here blocks.
class BrowseSession : public QObject {
  Q_OBJECT

 public:
  enum class Side { kShown, kCompared };
  /// The order of a user search; kRandom is drawn from (draw), reproducible.
  enum class Order { kById, kRandom, kActiveFirst, kInactiveFirst, kWorst };
  static constexpr int kMaxUsers = 6;
  static constexpr std::size_t kUserLimit = 1000;  ///< of a search; more do not help a reader

  explicit BrowseSession(workspace::Workspace& workspace, QObject* parent = nullptr);

  /// Opens a checkpoint; opened() or openFailed() follows.
  void open(Side side, const ModelChoice& choice);
  /// A newer state of the run that is shown: moves are relative to the previous lists.
  void update(const ModelChoice& choice);
  void update(RecommenderPtr model);
  /// A model of a living run that was not shown before.
  void adopt(RecommenderPtr model);
  void close(Side side);
  [[nodiscard]] const RecommenderPtr& model(Side side) const { return models_[at(side)]; }
  [[nodiscard]] bool opening(Side side) const { return openers_[at(side)].running(); }

  /// At most kMaxUsers, in the order of the columns; duplicates are left out.
  void setUsers(const QStringList& users);
  [[nodiscard]] const QStringList& users() const { return users_; }
  void setList(std::int64_t k, retrieval::SeenItems seen);
  [[nodiscard]] std::int64_t k() const { return k_; }
  [[nodiscard]] retrieval::SeenItems seen() const { return seen_; }
  /// The latest answers; one per user once answered() came.
  [[nodiscard]] const std::vector<ColumnAnswer>& answers() const { return answers_; }

  template <class T>
  using Done = std::function<void(Result<T>)>;
  using UserList = std::vector<retrieval::UserSummary>;
  using ItemList = std::vector<retrieval::SimilarItem>;
  using ItemRanks = std::vector<ItemRanksModel::Row>;
  void findUsers(const QString& text, Order order, std::uint64_t draw, Done<UserList> done);
  void findItems(const QString& text, Done<ItemList> done);
  void explain(const QString& user, const QString& item, Done<retrieval::Explanation> done);
  void similar(const QString& item, std::int64_t count, Done<ItemList> done);
  /// For every user shown, in order.
  void itemRanks(const QString& item, Done<ItemRanks> done);

 signals:
  void opened(parapet::ui::BrowseSession::Side side);
  void openFailed(parapet::ui::BrowseSession::Side side, const parapet::Error& error);
  /// A checkpoint was damaged and an older one was used.
  void warned(const QString& text);
  void answered();

 private:
  static std::size_t at(Side side) { return side == Side::kShown ? 0 : 1; }
  void start(Side side, const ModelChoice& choice, bool update);
  void install(Side side, RecommenderPtr model, bool update);
  void ask();

  workspace::Workspace& workspace_;
  RecommenderPtr models_[2];
  QStringList users_;
  std::int64_t k_ = 10;
  retrieval::SeenItems seen_ = retrieval::SeenItems::kExcludeTrain;
  std::vector<ColumnAnswer> answers_;
  std::map<QString, retrieval::Recommendation> before_;  ///< lists of the model before an update
  // Last, so that all work is joined before the rest goes.
  Background openers_[2], lists_, users_search_, items_search_, explain_, similar_, ranks_;
};

/// "Keep", "Exclude training items", …: as shown over every list.
QString seenText(retrieval::SeenItems seen);
/// Two lines: "sample 3f2a91 · step 640 · data 1a2b3c4d", "281 candidates, training items
/// excluded".
QString provenanceText(const retrieval::Recommender& model, const QString& runName,
                       std::int64_t candidates, retrieval::SeenItems seen);

}  // namespace parapet::ui
