// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>

#include "ui/controllers/run_feed.h"
#include "ui/pages/page.h"
#include "ui/pages/train/curve_panel.h"
#include "ui/pages/train/run_header.h"
#include "ui/pages/train/watched_panel.h"

namespace parapet::ui {

/// A run while it trains or afterwards: curves, headline numbers, watched users. Follows the run of
/// this window unless another is asked for; at first it shows the newest run.
class TrainPage : public Page {
  Q_OBJECT

 public:
  explicit TrainPage(const Workbench& bench, QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Train"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("train"); }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] nlohmann::json saveState() const override;
  void restoreState(const nlohmann::json& state) override;

  /// Shows a run of the store or of this window.
  void showRun(const QString& runId);
  /// The run that is shown; "" if none.
  [[nodiscard]] const QString& runId() const { return feed_.runId(); }
  [[nodiscard]] const RunCurves& curves() const { return curves_; }
  [[nodiscard]] CurvePanel& curvePanel() { return *panel_; }
  [[nodiscard]] WatchedPanel& watched() { return *watched_; }

 signals:
  /// Another run is on the page.
  void runShown(const QString& runId);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* buildRun();
  QWidget* buildEmpty();
  QWidget* buildFailed();
  QWidget* buildModel();
  /// A page that says why there is nothing to see; `buttons` are the ways out of it.
  QWidget* buildNotice(QLabel* title, QLabel* text, const QList<QPushButton*>& buttons);
  void buildActions();
  void connectRun();
  void showNewest();
  void read(const QString& runId);
  void trainSample();
  void refreshHead();
  void refreshWatched();

  Workbench bench_;
  RunCurves curves_;
  RunFeed feed_;
  QStackedWidget* pages_;
  QSplitter* splitter_ = nullptr;
  RunHeader* header_ = nullptr;
  HeadlineBar* headline_ = nullptr;
  CurvePanel* panel_ = nullptr;
  WatchedPanel* watched_ = nullptr;
  QWidget* empty_ = nullptr;
  QLabel *failedTitle_ = nullptr, *failedText_ = nullptr;
  QPushButton* backToRun_ = nullptr;
  bool failed_ = false;  ///< a run did not start, which is said in place of the run before it
  QTimer headTimer_;     ///< collects changes of the headline numbers
  Background newest_;
  bool chosen_ = false;    ///< a run was asked for; the newest is not looked up any more
  bool restored_ = false;  ///< it is the one of the last session, and may be gone
};

}  // namespace parapet::ui
