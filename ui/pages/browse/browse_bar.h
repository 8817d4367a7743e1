// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/pages/browse/model_picker.h"

class QAction;
class QComboBox;
class QFrame;
class QLabel;
class QPushButton;
class QSlider;
class QSpinBox;
class QToolButton;

namespace parapet::ui {

class CandidateBar;
class ContextControl;

/// Questions of the lists: which items all of them may name, and of the current column the value of each
/// context that its model reads, and a model of its own.
class ColumnBar : public QWidget {
  Q_OBJECT

 public:
  explicit ColumnBar(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /// "Column 2 of 3".
  void setTitle(const QString& text);
  /// The controls for contexts that take these values.
  void setDomains(const std::vector<retrieval::ContextDomain>& domains);
  /// Shows the context of the column's list, in the order of the contexts.
  void setContext(const std::vector<retrieval::ContextValue>& context);
  [[nodiscard]] const std::vector<ContextControl*>& controls() const { return controls_; }
  [[nodiscard]] ModelPicker& model() { return *model_; }
  [[nodiscard]] CandidateBar& candidates() { return *candidates_; }
  /// The first column has the model of the page.
  void setIsFirst(bool first);
  void setCanDuplicate(bool can);
  /// Steps the active context; false if there is none.
  bool step(int by);

 signals:
  /// nullopt: as in the last row.
  void contextChosen(const QString& name, const std::optional<QString>& value);
  void duplicateRequested();

 private:
  void setActive(int index);

  CandidateBar* candidates_;
  QLabel* title_;
  ModelPicker* model_;
  QPushButton* duplicate_;
  std::vector<ContextControl*> controls_;
  std::vector<QString> names_;  ///< of the controls, with what tells their values apart
  int active_ = 0;
};

/// Goes through the checkpoints of a run, to see how a list grew: by slider, keys, or by itself.
class ReplayBar : public QWidget {
  Q_OBJECT

 public:
  explicit ReplayBar(QWidget* parent = nullptr);

  /// Steps of the checkpoints, ascending. With fewer than two there is nothing to replay.
  void setSteps(const std::vector<std::int64_t>& steps);
  /// The step that is shown; one that is not among them is shown as the last below it.
  void setStep(std::int64_t step);
  /// While a checkpoint is being read.
  void setOpening(bool opening);
  [[nodiscard]] const std::vector<std::int64_t>& steps() const { return steps_; }
  [[nodiscard]] bool playing() const;
  void stop();

 signals:
  void stepRequested(qint64 step);
  /// The model that is being read is not wanted any more.
  void cancelRequested();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void request();
  void play(bool on);
  void playNext();
  void showStep();

  std::vector<std::int64_t> steps_;
  QSlider* slider_;
  QToolButton* play_;
  QLabel* label_;
  QTimer rest_, next_;
  bool opening_ = false;
};

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
  /// nullopt: those that the evaluation of the run left out.
  [[nodiscard]] std::optional<retrieval::SeenItems> seen() const;
  void setList(std::int64_t k, std::optional<retrieval::SeenItems> seen);
  /// Whether the model answers with lists; of one that does not their controls are hidden.
  void setHasLists(bool lists);
  /// Sets the text of the strip about the run that is shown ("" hides the strip), and the newest
  /// run if that is another one.
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
