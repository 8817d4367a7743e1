// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/step_ring.h"
#include "engine/store/run_store.h"
#include "ui/models/epochs_model.h"

namespace parapet::ui {

/// Something that happened during a run, as the event rail shows it.
struct RunMark {
  enum class Kind {
    kCheckpoint,
    kPause,
    kResume,
    kWarning,
  };
  Kind kind = Kind::kWarning;
  std::int64_t step = 0;
  /// Seconds since the run started training; NaN if not known.
  double seconds = std::numeric_limits<double>::quiet_NaN();
  QString text;
};

/// All that the store knows about a run.
struct StoredRun {
  store::RunRecord record;
  experiment::Experiment experiment;
  experiment::Baselines baselines;
  std::vector<experiment::StepBucket> steps;
  bool reduced = false;             ///< some of `steps` hold several steps
  std::int64_t firstNonFinite = 0;  ///< first step whose loss was NaN or infinite; 0: none
  std::vector<EpochRow> epochs;
  std::vector<RunMark> marks;
};

/// Additions to a run since `afterStep`, and all of its epochs: the verdicts of the last one may be
/// new, and a resume may have measured others again.
struct StoredTail {
  store::RunRecord record;
  experiment::Baselines baselines;
  std::vector<experiment::StepBucket> steps;
  std::vector<EpochRow> epochs;
  std::vector<RunMark> marks;  ///< all of them
};

/// The steps come as at most `maxSteps` buckets (≥ 8), however long the run is.
///
/// Errors   of the store; kData if the document of the run cannot be read.
/// Thread   any.
Result<StoredRun> readStoredRun(const store::RunStore& store, const std::string& runId,
                                std::int64_t maxSteps);
Result<StoredTail> readStoredTail(const store::RunStore& store, const std::string& runId,
                                  std::int64_t afterStep);
/// The marks of a run in order; those of steps that a resume took back are left out.
Result<std::vector<RunMark>> readMarks(const store::RunStore& store, const std::string& runId);

}  // namespace parapet::ui
