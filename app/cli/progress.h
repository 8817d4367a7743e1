// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/progress.h"
#include "engine/experiment/run_event.h"

namespace parapet::cli {

/// How progress is shown on stderr.
enum class ProgressStyle {
  kNone,   ///< --quiet
  kLines,  ///< a line per epoch, and one every ten seconds within it: stderr is a file or a pipe
  kBar,    ///< one line that is drawn again: stderr is a terminal
};
/// kNone if `quiet`, else what fits stderr.
ProgressStyle progressStyle(bool quiet);

/// Draws `line` over the line of progress that is on the terminal.
void drawProgressLine(const std::string& line);
/// The text that wipes a drawn line before other text, "" if there is none; the line is then forgotten.
std::string wipeProgressLine();

/// How far apart two lines of progress are in a file or pipe.
inline constexpr double kLineSeconds = 10.0;

/// Progress of imports, evaluations and other work without steps: a bar with the time left, or a
/// line every ten seconds.
ProgressFunction workProgress(ProgressStyle style);

/// Progress of a download: a bar, bytes, speed and the time left, or the same as lines.
ProgressFunction transferProgress(ProgressStyle style);

/// Progress of training: a bar over all steps with the time left, or a line per epoch and others
/// while an epoch lasts. An epoch's line has its loss, its val_loss and the metrics `shown`.
///
/// Thread   called from the run's thread; nothing else touches it while the run lives.
class TrainProgress final : public experiment::RunSink {
 public:
  TrainProgress(ProgressStyle style, std::vector<std::string> shown,
                double lineSeconds = kLineSeconds)
      : style_(style), shown_(std::move(shown)), lineSeconds_(lineSeconds) {}
  void onEvent(const std::string& runId, const experiment::RunEvent& event) override;
  void onStep(const std::string& runId, const experiment::StepPoint& point) override;
  /// The warnings of the run, once it has ended.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void epochEnded(const experiment::EpochSummary& epoch);
  [[nodiscard]] std::string lineOf(const experiment::StepPoint& point) const;

  const ProgressStyle style_;
  const std::vector<std::string> shown_;
  const double lineSeconds_;
  experiment::RunStarted started_;
  Stopwatch sinceShown_, sinceStarted_;
  bool drawn_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace parapet::cli
