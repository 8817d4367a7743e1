// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "engine/experiment/run_event.h"
#include "engine/train/session.h"
#include "engine/workspace/event_file.h"

namespace parapet::workspace {

/// Writes a run for TensorBoard while it trains, as /training/tensorboard asks: a file
/// FOLDER/<run>/events.out.tfevents.*; a resumed run begins another one beside it.
///
///   document                     text, at the first step
///   step_loss                    every step
///   loss, val_…, learning_rate, … every epoch, by the names of the metrics, as an export has them;
///                                val_… where it was validated
///   weights/<parameter>          histograms, at every validation
///   test_…                       at the end
///
/// Thread   that of the run, between whose steps it reads the weights.
class TensorBoardSink final : public experiment::RunSink {
 public:
  /// Errors   kIo if the folder or file cannot be made, at /training/tensorboard.
  static Result<std::unique_ptr<TensorBoardSink>> open(const std::filesystem::path& folder,
                                                       const std::string& runId,
                                                       const std::string& document,
                                                       train::Session& session);

  void onEvent(const std::string& runId, const experiment::RunEvent& event) override;
  void onStep(const std::string& runId, const experiment::StepPoint& point) override;

  [[nodiscard]] const std::filesystem::path& file() const { return path_; }

 private:
  TensorBoardSink(train::Session& session, double wallSeconds)
      : session_(session), events_(wallSeconds) {}
  void addMetrics(const std::vector<experiment::Metric>& metrics, std::int64_t step);
  void add(const std::string& tag, std::int64_t step, double value);
  void addWeights();
  void flush();

  train::Session& session_;
  EventFile events_;
  std::filesystem::path path_;
  std::ofstream out_;
  std::int64_t step_ = 0;
  double flushed_ = 0.0;  ///< wall seconds
  bool failed_ = false;
};

}  // namespace parapet::workspace
