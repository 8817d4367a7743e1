// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "ui/models/run_curves.h"

namespace parapet::ui {

/// Seconds that a run will still take; −1: not known.
struct RunEta {
  double lowSeconds = -1.0, highSeconds = -1.0;
};

/// The headline numbers of a run, as text; "–" where nothing is known yet.
struct RunHeadline {
  QString epoch;  ///< "3 / 20"
  QString step;
  QString loss, valLoss;
  QString keyLabel,
      key;             ///< the metric it is judged by, "recall@10", and its last value; "" if none
  QString maskedHits;  ///< of the last epoch; "" where none are masked
  QString msPerStep, examplesPerSecond;
  QString timeLabel;  ///< what `time` is: "time left" or "took"
  QString time;
  QString verdict;  ///< see experiment::verdictText; "" before there is one
};

/// `eta` of a run of this window; of other running runs it is taken from their epochs so far.
RunHeadline headlineOf(const RunCurves& curves, RunEta eta = {});

/// What decided how the run ended and what its results are worth: "Stopped early (patience 3):
/// val_loss improved no more; best epoch 2." "The split leaks: …" "" where there is nothing to say.
QString decisionOf(const RunCurves& curves);

/// From the shortest and the longest of the last epochs.
RunEta etaFromEpochs(const RunCurves& curves);

/// The name of a baseline in words, as it stands beside a metric: "most popular". The constant of the
/// run's own loss depends on the loss; that of another head is the mean of its label.
QString baselineName(const std::string& name, experiment::LossKind loss, const QString& metric);

}  // namespace parapet::ui
