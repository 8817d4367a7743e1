// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <limits>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/store/run_store.h"

namespace parapet::ui {

/// A run as the table of runs shows it. Numbers that are not known are NaN.
struct RunRow {
  store::RunRecord record;
  double lastLoss = std::numeric_limits<double>::quiet_NaN();
  double bestValLoss = std::numeric_limits<double>::quiet_NaN();  ///< the smallest of all epochs
  std::int64_t bestEpoch = 0;  ///< of bestValLoss; 0 if there is none
  std::string headlineKey;     ///< the metric it is judged by besides its loss, "val_recall@10"
  double headline = std::numeric_limits<double>::quiet_NaN();  ///< its last value
  QString devices;                                             ///< as the document names them
  QString difference;          ///< from the other runs of its name, see workspace::differenceText()
  std::string differenceName;  ///< the name that `difference` was found for
};

/// All runs, the trash included. Metrics and devices of runs that are as they were in `known` are
/// taken from there, and so are differences while the same runs have the same names: reading again
/// costs one query.
///
/// Errors   of the store. A run that somebody deletes meanwhile is left out.
/// Thread   any.
Result<std::vector<RunRow>> readRunRows(const store::RunStore& store,
                                        const std::vector<RunRow>& known);

/// What a person can do about a run, and why it ended as it did.
struct RunAdvice {
  enum class Next {
    kBrowse,  ///< ask the model
    kResume,  ///< go on from the newest checkpoint
    kClone,   ///< change the experiment and train again
    kWatch,   ///< look at it while it trains
  };
  QString why;
  Next next = Next::kBrowse;
  QString nextText;  ///< of a button, "Resume"
};
RunAdvice adviceFor(const store::RunRecord& run);

/// Whether a run in this state can go on, from a checkpoint or from the beginning: it ended before
/// its last epoch.
bool isResumable(experiment::RunState state);

}  // namespace parapet::ui
