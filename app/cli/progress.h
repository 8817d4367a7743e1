// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/progress.h"
#include "engine/experiment/run_event.h"

namespace parapet::cli {

/// How progress is shown on stderr.
enum class ProgressStyle {
  kNone,   ///< --quiet
  kLines,  ///< a line per epoch: stderr is a file or a pipe
  kBar,    ///< one line that is drawn again: stderr is a terminal
};
/// kNone if `quiet`, else what fits stderr.
ProgressStyle progressStyle(bool quiet);

/// Draws `line` over the line of progress that stands on the terminal.
void drawProgressLine(const std::string& line);
/// What wipes a drawn line before other text, "" if there is none; the line is then forgotten.
std::string wipeProgressLine();

/// Progress of imports, evaluations and other work without steps. Bars only: the work is short, and
/// a log file gains nothing from half-way marks.
ProgressFunction workProgress(ProgressStyle style);

/// Progress of a download: a bar, bytes, speed and the time left. Bars only.
ProgressFunction transferProgress(ProgressStyle style);

/// Progress of training: a bar over all steps with the time left, or a line per epoch.
///
/// Thread   called from the run's thread; nothing else touches it while the run lives.
class TrainProgress final : public experiment::RunSink {
 public:
  explicit TrainProgress(ProgressStyle style) : style_(style) {}
  void onEvent(const std::string& runId, const experiment::RunEvent& event) override;
  void onStep(const std::string& runId, const experiment::StepPoint& point) override;

 private:
  void epochEnded(const experiment::EpochSummary& epoch);
  void draw(const experiment::StepPoint& point);

  const ProgressStyle style_;
  experiment::RunStarted started_;
  Stopwatch sinceDrawn_, sinceStarted_;
  bool drawn_ = false;
};

}  // namespace parapet::cli
