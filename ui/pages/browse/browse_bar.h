// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/pages/browse/column_bar.h"
#include "ui/pages/browse/replay_bar.h"

class QAction;
class QComboBox;
class QFrame;
class QLabel;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace parapet::ui {

class ElidedLabel;

/// Over the lists: which model answers, how long the lists are, what is left out, and what to do
/// with them. Below it a strip that says which run answers, goes through its checkpoints, and says
/// whether it is pinned and what is newer; and what the current column asks.
class BrowseBar : public QWidget {
  Q_OBJECT

 public:
  explicit BrowseBar(workspace::Workspace& workspace, QWidget* parent = nullptr);

  [[nodiscard]] ModelPicker& shown() { return *shown_; }
  [[nodiscard]] ColumnBar& column() { return *column_; }
  [[nodiscard]] ReplayBar& replay() { return *replay_; }
  [[nodiscard]] std::int64_t k() const;
  [[nodiscard]] retrieval::SeenItems seen() const;
  void setList(std::int64_t k, retrieval::SeenItems seen);
  /// Whether the model answers with lists; of one that does not their controls are hidden.
  void setHasLists(bool lists);
  /// What the strip says of the run that is shown ("" hides the strip), and the newest run if that
  /// is another one.
  void setStrip(const QString& text, const QString& newestName);
  [[nodiscard]] QString strip() const;
  /// Whether the run stays while Train shows another.
  [[nodiscard]] bool pinned() const;
  void setPinned(bool pinned);
  void offerNewer(std::int64_t step);
  void hideNewer();
  [[nodiscard]] bool offersNewer() const;
  /// A line below the bar, e.g. why a comparison is not possible; "" takes it away.
  void setNotice(const QString& text);
  [[nodiscard]] QString notice() const;
  [[nodiscard]] QList<QAction*> exports() const { return {copy_, csv_, json_}; }

 signals:
  void listChanged();
  /// Pinned or released by a person.
  void pinChanged(bool pinned);
  void newestRequested();
  void updateRequested();
  void copyRequested();
  /// "csv" or "json".
  void exportRequested(const QString& format);

 private:
  QWidget* buildControls();
  QWidget* buildStrip();
  QFrame* buildNotice(QLabel** text);
  void buildExports(QWidget* box);

  ModelPicker* shown_;
  ColumnBar* column_;
  ReplayBar* replay_;
  QSpinBox* k_;
  QComboBox* seen_;
  QAction *copy_, *csv_, *json_;
  QToolButton* export_;
  QWidget* strip_;
  ElidedLabel* stripText_;
  QToolButton* pin_;
  QPushButton* newest_;
  QFrame *newer_, *notice_;
  QLabel *newerText_, *noticeText_;
};

}  // namespace parapet::ui
