// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/models/explanation_models.h"

namespace parapet::ui {

/// A checkpoint of a run, as a picker gives it.
struct ModelChoice {
  QString runId;
  workspace::CheckpointChoice checkpoint;
  bool operator==(const ModelChoice& other) const {
    using enum workspace::WhichCheckpoint;
    return runId == other.runId && checkpoint.which == other.checkpoint.which &&
           (checkpoint.which != kStep || checkpoint.step == other.checkpoint.step);
  }
};

using RecommenderPtr = std::shared_ptr<const retrieval::Recommender>;

/// Models that were opened last, so that going back and forth over the checkpoints of a run reads
/// each once. What is least recently used goes first.
///
/// Memory   at most kModels of them and, beyond the newest, kBytes of their vectors.
/// Thread   GUI.
class ModelCache {
 public:
  static constexpr std::size_t kModels = 12;
  static constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;

  /// A checkpoint of a step that is at hand; null for others, and for "last" and "best", which may
  /// have become another one.
  [[nodiscard]] RecommenderPtr find(const ModelChoice& choice);
  void add(const RecommenderPtr& model);
  /// Any model of a run, which shares its data with the others; null if there is none.
  [[nodiscard]] RecommenderPtr ofRun(const QString& runId) const;
  [[nodiscard]] std::size_t size() const { return models_.size(); }

 private:
  std::list<RecommenderPtr> models_;  ///< the newest first
};

/// The question of a column of Browse: whose list, in which context, of which model.
struct ColumnQuery {
  QString user;
  /// Values that a person gave, by name; the others are as in the user's last row. Those that the
  /// model does not read are kept and not asked.
  std::map<QString, QString> context{};
  /// Raw ids of items in place of the user's own history, oldest first; null: its own. Models that
  /// read none are not asked with it.
  std::optional<QStringList> history{};
  std::optional<ModelChoice> model{};  ///< null: the model of the page
  bool operator==(const ColumnQuery&) const = default;
};

/// The answer that a column shows.
struct ColumnAnswer {
  ColumnQuery query{};           ///< that was answered
  bool ready = false;            ///< else nothing was answered yet
  std::optional<Error> error{};  ///< then there are no lists
  RecommenderPtr model{};        ///< that answered
  bool hasLastRow = false;       ///< else the default context is the most frequent one
  retrieval::Recommendation list{};
  QString scoreName{};  ///< what a score is: "dot product", "cosine", "output of the model"
  /// Titles of the items that the list rests on, oldest first; empty if the model reads no history.
  QStringList historyTitles{};
  /// The list for the same user and context by the model before, where the model was replaced.
  std::optional<retrieval::Recommendation> before{};
  std::vector<retrieval::HistoryItem> history{};
  /// Unset until it is measured: it takes the lists of all users.
  std::optional<retrieval::UserSummary> summary{};
};

/// The columns of Browse, the models that answer them, and every question put to them. The first
/// column is the one that the others are compared with; it has the model of the page.
///
/// Each kind of question has its own Background: a newer one supersedes the one before, and late
/// answers are dropped. Only columns that changed are asked anew. Recommenders are immutable, so
/// questions share them without locks.
///
/// Thread   GUI. Nothing here blocks.
class BrowseSession : public QObject {
  Q_OBJECT

 public:
  /// The order of a user search; kRandom is drawn from (draw), reproducible.
  enum class Order { kById, kRandom, kActiveFirst, kInactiveFirst, kWorst, kSensitive };
  static constexpr int kMaxColumns = 6;
  static constexpr std::size_t kUserLimit = 1000;  ///< of a search; more do not help a reader
  /// Values of a context that are offered; others can be typed.
  static constexpr std::size_t kContextValues = 1000;
  /// Users whose sensitivity is measured, spread evenly over those found.
  static constexpr std::size_t kSensitivityUsers = 20'000;

  explicit BrowseSession(workspace::Workspace& workspace, QObject* parent = nullptr);

  /// Opens a checkpoint as the model of the page; opened() or openFailed() follows.
  void open(const ModelChoice& choice);
  /// Another state of the run that is shown: moves are relative to the lists before.
  void update(const ModelChoice& choice);
  void update(RecommenderPtr model);
  /// A model of a living run that was not shown before.
  void adopt(RecommenderPtr model);
  /// The model of the page.
  [[nodiscard]] const RecommenderPtr& model() const { return model_; }
  [[nodiscard]] bool opening() const { return opener_.running(); }
  /// The model of a column; null while it is being opened.
  [[nodiscard]] RecommenderPtr modelOf(int column) const;
  [[nodiscard]] bool isOpening(int column) const;
  /// Gives up what is being opened for a column and keeps what it shows.
  void cancelOpening(int column);

  /// At most kMaxColumns; equal ones, and those of no user, are left out. The first is of the page's
  /// model.
  void setColumns(std::vector<ColumnQuery> columns);
  [[nodiscard]] std::vector<ColumnQuery> columns() const;
  [[nodiscard]] int count() const { return static_cast<int>(columns_.size()); }
  /// Columns of these users, of the page's model in their own contexts.
  void setUsers(const QStringList& users);
  [[nodiscard]] QStringList users() const;
  /// The context stays; a history that was given belongs to the user before and goes.
  void setUser(int column, const QString& user);
  /// nullopt: as in the last row.
  void setContext(int column, const QString& name, const std::optional<QString>& value);
  /// Items that replace the user's own history; nullopt: the user's own.
  void setHistory(int column, const std::optional<QStringList>& items);
  /// Sets the model of a column other than the first; nullopt: the model of the page.
  void setModel(int column, const std::optional<ModelChoice>& model);
  /// Adds a copy of the column beside it. False if there is no room.
  bool duplicate(int column);
  void remove(int column);
  /// Exchanges a column and the first, which takes the model of the page.
  void makeFirst(int column);

  /// `seen`: nullopt: as the evaluation of the page's model has it, so that lists are those it counts.
  void setList(std::int64_t k, std::optional<retrieval::SeenItems> seen);
  [[nodiscard]] std::int64_t k() const { return k_; }
  [[nodiscard]] retrieval::SeenItems seen() const;
  /// Limits the candidates of all columns. The filter is given up with data that lack one of
  /// its attributes.
  void setFilter(retrieval::CandidateFilter filter);
  [[nodiscard]] const retrieval::CandidateFilter& filter() const { return filter_; }
  /// One per column; what was not answered yet is not ready. Empty without a model.
  [[nodiscard]] std::vector<ColumnAnswer> answers() const;

  template <class T>
  using Done = std::function<void(Result<T>)>;
  using UserList = std::vector<retrieval::UserSummary>;
  using ItemList = std::vector<retrieval::SimilarItem>;
  using ItemRanks = std::vector<ItemRanksModel::Row>;
  using Domains = std::vector<retrieval::ContextDomain>;
  using Values = std::vector<retrieval::AttributeValue>;
  void findUsers(const QString& text, Order order, std::uint64_t draw, Done<UserList> done);
  /// Progress of a search by sensitivity, which can be cancelled.
  [[nodiscard]] Background& userSearch() { return usersSearch_; }
  void findItems(const QString& text, Done<ItemList> done);
  void explain(int column, const QString& item, Done<retrieval::Explanation> done);
  void similar(int column, const QString& item, std::int64_t count, Done<ItemList> done);
  /// For every column, in order.
  void itemRanks(const QString& item, Done<ItemRanks> done);
  /// The values of the contexts that the model of a column reads.
  void contextDomains(int column, Done<Domains> done);
  /// The values that candidates have of an attribute of the catalogue.
  void attributeValues(const QString& name, Done<Values> done);

 signals:
  void opened();
  void openFailed(const parapet::Error& error);
  /// A checkpoint was damaged and an older one was used.
  void warned(const QString& text);
  /// Columns, answers or what is being opened changed.
  void answered();

 private:
  /// The inputs that an answer depends on.
  struct Stamp {
    ColumnQuery query;
    const retrieval::Recommender* model = nullptr;
    std::int64_t k = 0;
    retrieval::SeenItems seen = retrieval::SeenItems::kKeep;
    retrieval::CandidateFilter filter{};
    bool operator==(const Stamp&) const = default;
  };
  struct Column {
    ColumnQuery query{};
    std::size_t slot = 0;          ///< of its opener
    RecommenderPtr own{};          ///< of a model of its own
    std::optional<Error> fault{};  ///< why that could not be opened
    ColumnAnswer answer{};
    std::optional<Stamp> stamp{};  ///< of the answer
  };
  struct Opened {
    RecommenderPtr model;
    std::vector<std::string> warnings;
  };
  /// The lists that new ones are compared with by moves.
  enum class ListsBefore {
    kForget,
    kKeep,  ///< those that are shown now, of the same data
  };
  void start(const ModelChoice& choice, ListsBefore before);
  void startOwn(Column& column);
  std::function<Result<Opened>(const WorkContext&)> opening(const ModelChoice& choice) const;
  void installOwn(std::size_t slot, const ModelChoice& choice, const Result<Opened>& opened);
  void install(RecommenderPtr model, ListsBefore before);
  void warn(const std::vector<std::string>& warnings);
  [[nodiscard]] Column* at(int column);
  [[nodiscard]] const Column* at(int column) const;
  [[nodiscard]] Column* ofSlot(std::size_t slot);
  [[nodiscard]] std::size_t freeSlot() const;
  [[nodiscard]] const RecommenderPtr& modelFor(const Column& column) const;
  [[nodiscard]] Stamp stampOf(const Column& column) const;
  void ask();
  void measureSummaries();

  workspace::Workspace& workspace_;
  RecommenderPtr model_;
  ModelCache cache_;
  std::vector<Column> columns_;
  std::int64_t k_ = 10;
  std::optional<retrieval::SeenItems> seen_;  ///< null: as measured
  retrieval::CandidateFilter filter_;
  std::map<std::string, Domains> domainsOf_;  ///< by run
  /// Sensitivities that were measured, by row of the user; of one model.
  struct Sensitivities {
    RecommenderPtr model;
    std::map<std::int32_t, double> byUser;
  };
  Sensitivities sensitivities_;
  QTimer rest_;
  // Last, so that all work is joined before the rest goes.
  Background opener_, lists_, summaries_, usersSearch_, itemsSearch_, explain_, similar_, ranks_,
      domains_, values_;
  std::array<Background, kMaxColumns> columnOpeners_;
};

/// "Keep", "Exclude training items", …: as shown over every list.
QString seenText(retrieval::SeenItems seen);
/// Two lines: "sample 3f2a91 · step 640 · data 1a2b3c4d", "281 candidates, training items
/// excluded".
QString provenanceText(const retrieval::Recommender& model, const QString& runName,
                       std::int64_t candidates, retrieval::SeenItems seen);
/// "is_organic 1 · part_of_day evening (as in the last row)", or "(the most frequent)" of users
/// without one; "" without contexts.
QString contextText(const std::vector<retrieval::ContextValue>& context, bool hasLastRow);

/// The query of a column to a model: values of contexts that it does not read are left out, and somebody
/// whom nobody knows is asked in the context that is usual.
retrieval::Query queryOf(const ColumnQuery& column, const retrieval::Recommender& model);

}  // namespace parapet::ui
