// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/experiment/run_event.h"
#include "engine/train/session.h"

namespace parapet::workspace {

/// The bytes of a file of scalars, texts and histograms that TensorBoard reads: records of a length and a payload, each with
/// its masked CRC-32C; a payload is an Event in the encoding of protocol buffers. The first one names
/// the version.
class EventFile {
 public:
  /// `wallSeconds`: since 1970.
  explicit EventFile(double wallSeconds);
  void add(double wallSeconds, std::int64_t step, std::string_view tag, float value);
  /// A text, which TensorBoard reads as Markdown.
  void addText(double wallSeconds, std::int64_t step, std::string_view tag, std::string_view text);
  /// Counts of the finite values in kBuckets equal parts of their range; nothing if there are none.
  void addHistogram(double wallSeconds, std::int64_t step, std::string_view tag,
                    std::span<const float> values);
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Bytes that were added since the last call.
  [[nodiscard]] std::string take() { return std::exchange(bytes_, {}); }

  static constexpr std::size_t kBuckets = 64;

 private:
  void append(std::string_view event);
  /// An event with one value of a summary.
  void appendValue(double wallSeconds, std::int64_t step, std::string_view value);
  std::string bytes_;
};

/// CRC-32C (Castagnoli), as RFC 3720 has it: 0xE3069283 of "123456789".
std::uint32_t crc32c(std::string_view bytes);

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
