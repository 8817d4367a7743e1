// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabWidget>
#include <QTimer>

#include "ui/controllers/browse_session.h"
#include "ui/pages/browse/user_column.h"
#include "ui/pages/page.h"

class QSplitter;
class QStackedWidget;
class QToolButton;

namespace parapet::ui {

/// Tabs that can be folded to their titles, so that what stands above them has the space. The arrow
/// beside the titles folds and unfolds them; a title unfolds its page.
class FoldingTabs : public QTabWidget {
  Q_OBJECT

 public:
  explicit FoldingTabs(QWidget* parent = nullptr);
  [[nodiscard]] bool isFolded() const { return folded_; }
  void setFolded(bool folded);

 signals:
  void foldedChanged(bool folded);

 private:
  bool folded_ = false;
  QToolButton* arrow_;
};

class BrowseBar;
class FillMaskPanel;
class HistoryStrip;
class MessagePanel;
class SimilarPanel;
class RankPanel;
class UserFinder;
class WhyPanel;

/// Looks at what a trained model recommends to whom, and why.
class BrowsePage : public Page {
  Q_OBJECT

 public:
  explicit BrowsePage(const Workbench& workbench, QWidget* parent = nullptr);
  ~BrowsePage() override;

  [[nodiscard]] QString title() const override { return tr("Browse"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("browse"); }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] nlohmann::json saveState() const override;
  void restoreState(const nlohmann::json& state) override;

  /// Opens the last checkpoint of a run and, unless empty, one user of it.
  void showUser(const QString& runId, const QString& user);
  /// The run that Train shows. Browse goes to its model as soon as a person looks at Browse, unless
  /// another run is pinned; lists that are being looked at stay until asked.
  void follow(const QString& runId);

  [[nodiscard]] BrowseSession& session() { return *session_; }
  [[nodiscard]] UserBoard& board() { return *board_; }
  [[nodiscard]] UserFinder& finder() { return *finder_; }
  [[nodiscard]] BrowseBar& bar() { return *bar_; }
  [[nodiscard]] WhyPanel& why() { return *why_; }
  /// The panels about the selected item; folded where the page is low.
  [[nodiscard]] FoldingTabs& details() { return *details_; }
  [[nodiscard]] HistoryStrip& historyStrip() { return *history_; }
  /// The history of the user of the current column.
  [[nodiscard]] HistoryPanel& history() { return *past_; }
  [[nodiscard]] RankPanel& rankPanel() { return *rankPanel_; }
  [[nodiscard]] SimilarPanel& similar() { return *similar_; }
  /// In place of lists, of a masked language model.
  [[nodiscard]] FillMaskPanel& fillMask() { return *fillMask_; }
  [[nodiscard]] bool asksTexts() const;
  /// The message that is shown instead of the lists; "" while there are lists.
  [[nodiscard]] QString message() const;

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  enum class Detail { kWhy, kRank, kSimilar };
  void buildContent();
  void buildMessage();
  void buildActions();
  void connectSession();
  void connectBar();
  void connectColumns();
  void connectRuns();

  void openModel(const ModelChoice& choice);
  void openedModel();
  void leaveOtherData(const retrieval::Recommender& model);
  void openFailed(const Error& error);
  void showFailure(const Error& error);
  void runsLoaded(int runs);
  void openRun(const QString& runId);
  void catchUp();
  void takeNewer();
  void showNewest();
  void refreshStrip();
  void showEmpty();
  void showMessage(const QString& title, const QString& text);
  void trainSample();
  void newerModel(const QString& runId, std::int64_t step);
  void updateModel();
  void showAnswers();
  void showDetail();
  void shareHeight();
  [[nodiscard]] std::optional<ColumnQuery> columnFor(const QString& user, const QString& shown);
  void showUserHere(const QString& user);
  void sayFull();
  void addUser(const QString& user);
  void exportLists(const QString& format);
  void showColumn();
  void showChoice();
  void makeFirst(int column);
  void replay(std::int64_t step);
  void duplicateColumn(int column);
  [[nodiscard]] int currentIndex() const;
  [[nodiscard]] ListNames names() const;

  Workbench workbench_;
  BrowseSession* session_;  // the first child: its work is joined before any view goes
  BrowseBar* bar_;
  UserFinder* finder_;
  UserBoard* board_;
  FoldingTabs* details_;
  WhyPanel* why_;
  RankPanel* rankPanel_;
  HistoryStrip* history_;
  SimilarPanel* similar_;
  HistoryPanel* past_;
  QSplitter *across_, *down_, *below_;
  QStackedWidget* stack_;
  MessagePanel* message_;
  FillMaskPanel* fillMask_;
  QWidget* sampleButton_;
  QWidget* liveButton_;
  QWidget* runsButton_;
  QString followed_;  ///< the run that Train shows
  Background catchingUp_, kindOfRun_;
  QString runId_;                    ///< of the model that is shown or being opened
  QString sampleRun_;                ///< the run this page started and waits for
  bool liveWanted_ = false;          ///< a model of the living run was asked for
  bool waitsForCheckpoint_ = false;  ///< the run had none when it was opened
  bool lookedAt_ = false;            ///< somebody has seen lists here
  bool low_ = false;                 ///< too low for lists and the panels below them
  QString item_, itemTitle_;
  int itemColumn_ = 0;
  std::pair<QString, std::string> finderOf_;  ///< run and data whose users are listed
  QTimer finderRest_;
};

}  // namespace parapet::ui
