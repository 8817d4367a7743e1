// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QWidget>
#include <array>

#include "ui/forms/card.h"
#include "ui/models/run_curves.h"

namespace parapet::ui {

/// The numbers of a run that one looks at first, large, and what they are worth. Sentences that come while
/// it trains have their room from the beginning, and scroll beyond it: what is below does not move.
class HeadlineBar : public QWidget {
  Q_OBJECT

 public:
  explicit HeadlineBar(QWidget* parent = nullptr);
  /// `decision` what decided the end of the run, see decisionOf().
  void show(const RunHeadline& headline, const QString& decision);

 private:
  enum Cell {
    kEpoch,
    kStep,
    kLoss,
    kValLoss,
    kKeyMetric,
    kMaskedHits,
    kMsPerStep,
    kExamples,
    kTime,
    kCellCount
  };

  std::array<QWidget*, kCellCount> cells_{};
  std::array<QLabel*, kCellCount> captions_{}, values_{};
  QLabel *decision_, *verdict_;
};

/// The run that is shown, its state, and the ways on from there; below, in a strip, why it ended
/// badly or why published curves differ.
class RunHeader : public QWidget {
  Q_OBJECT

 public:
  explicit RunHeader(QWidget* parent = nullptr);
  /// `other` run that trains in this window while this one is shown; "" if none.
  void show(const RunFacts& facts, bool canResume, const QString& other);
  /// Another process trains the run, and can be asked for `pauseText` and to stop unless `asked` says what
  /// it was asked for; false: this window trains it, or nobody.
  void showElsewhere(bool elsewhere, const QString& pauseText, const QString& asked);

  /// The one that is shown.
  [[nodiscard]] experiment::RunState state() const { return shown_; }

 signals:
  void resumeRequested();
  void pauseRequested();
  void stopRequested();
  void browseRequested();
  void runsRequested();
  void liveRunRequested();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QPushButton* button(const QString& text, const QString& tip);
  void showStrip(const RunFacts& facts);
  void restyle();

  ElidedLabel* name_;
  QLabel *state_, *origin_;
  QPushButton *live_, *pause_, *stop_, *resume_, *browse_, *runs_;
  QWidget* strip_;
  QLabel *stripText_, *stripMore_;
  QToolButton* why_;
  experiment::RunState shown_ = experiment::RunState::kQueued;
};

}  // namespace parapet::ui
