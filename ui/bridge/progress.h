// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <functional>

#include "engine/base/progress.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/step_ring.h"

namespace parapet::ui {

/// Carries the progress of work in another thread to the thread of an object: the newest alone, and
/// no more than one on its way, however often it is told.
///
/// Life     a report that arrives after `receiver` is gone is dropped; the work must have ended
///          before it goes.
/// Thread   the returned function: any.
ProgressFunction latestProgressTo(
    QObject* receiver, std::function<void(const QString& stage, qint64 done, qint64 total)> tell);

// How far work is, in the same words wherever it is told.

/// The name of a stage as a person says it: "Importing" of "reading".
QString stageText(const QString& stage);
/// "Importing … 42 %"; "Indexing …" while it is not known how much there is to do (`total` 0).
QString progressText(const QString& stage, qint64 done, qint64 total);

/// Estimates how long a run still takes, as a range.
///
/// The mean time of a step is followed by an exponential average over the last few dozens of steps;
/// beside it goes the average distance from that mean. Validation is another kind of time and is
/// averaged apart. With S steps and V validations left:
///
///   ETA = S · step + V · validation,   low / high = ETA ∓ (S · spread of step + V · 20 % of
///   validation)
///
/// where the range is at least 5 % wide to both sides. Pauses are left out: the clock of a run goes
/// on while it is paused, so the first step after a pause counts for nothing.
class EtaEstimator {
 public:
  struct Range {
    double lowSeconds = -1.0, highSeconds = -1.0;  ///< −1: not known yet
  };

  /// `validateEvery` epochs; 0: never.
  void start(const experiment::RunStarted& started, std::int64_t validateEvery);
  void addSteps(const experiment::StepBucket& bucket);
  void addEpoch(const experiment::EpochSummary& summary);
  /// The time until the next step says nothing about steps.
  void skipNextGap() { haveLast_ = false; }

  [[nodiscard]] std::int64_t stepsDone() const { return done_; }
  [[nodiscard]] std::int64_t stepsTotal() const { return total_; }
  [[nodiscard]] Range remaining() const;

 private:
  [[nodiscard]] std::int64_t validationsLeft() const;

  std::int64_t done_ = 0, total_ = 0, stepsPerEpoch_ = 0, validateEvery_ = 0;
  std::int64_t measuredSteps_ = 0;
  double step_ = 0.0, spread_ = 0.0;  ///< seconds
  double validation_ = -1.0;          ///< seconds; −1: none seen yet
  bool haveLast_ = false;
  std::int64_t lastStep_ = 0, lastEpoch_ = 0;
  double lastSeconds_ = 0.0;
};

}  // namespace parapet::ui
