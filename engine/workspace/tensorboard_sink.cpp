// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/tensorboard_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/log.h"
#include "engine/nn/parameters.h"

namespace parapet::workspace {
namespace {

/// What is older is written, so that a reader follows the run.
constexpr double kFlushSeconds = 1.0;

double wallSeconds() {
  return static_cast<double>(wallClockMs()) / 1000.0;
}

}  // namespace

Result<std::unique_ptr<TensorBoardSink>> TensorBoardSink::open(const std::filesystem::path& folder,
                                                               const std::string& runId,
                                                               const std::string& document,
                                                               train::Session& session) {
  const auto refused = [](Error error) {
    error.pointer = "/training/tensorboard";
    return error;
  };
  const double now = wallSeconds();
  std::unique_ptr<TensorBoardSink> sink(new TensorBoardSink(session, now));
  const std::filesystem::path place = folder / runId;
  if (const Status made = createFolders(place); !made) return refused(made.error());
  const std::string name =
      fmt::format("events.out.tfevents.{}.{}", static_cast<std::int64_t>(now), runId);
  sink->path_ = place / name;
  std::error_code ignored;
  for (int more = 1; std::filesystem::exists(sink->path_, ignored); ++more)
    sink->path_ = place / fmt::format("{}.{}", name, more);
  sink->out_.open(sink->path_, std::ios::binary);
  // Markdown takes lines that begin with four blanks for code.
  std::string text = "    ";
  for (const char letter : document) {
    text += letter;
    if (letter == '\n') text += "    ";
  }
  sink->events_.addText(now, 0, "document", text);
  sink->flush();
  if (sink->failed_)
    return refused(Error{
        ErrorCode::kIo,
        fmt::format("{} cannot be written; a folder that can is accepted", sink->path_.string()),
        {},
        sink->path_.string()});
  return sink;
}

void TensorBoardSink::add(const std::string& tag, std::int64_t step, double value) {
  if (!std::isnan(value)) events_.add(wallSeconds(), step, tag, static_cast<float>(value));
}

void TensorBoardSink::addMetrics(const std::vector<experiment::Metric>& metrics,
                                 std::int64_t step) {
  for (const auto& [name, value] : metrics) add(name, step, value);
}

// Results of an epoch may come while the next one trains: the weights are those of now.
void TensorBoardSink::addWeights() {
  for (const nn::Parameter& parameter : session_.parameters()) {
    std::vector<float> values(static_cast<std::size_t>(parameter.size()));
    nn::gatherRows(parameter, -1, values);
    events_.addHistogram(wallSeconds(), step_, "weights/" + parameter.spec.name, values);
  }
}

void TensorBoardSink::onStep(const std::string&, const experiment::StepPoint& point) {
  step_ = point.step;
  add("step_loss", point.step, point.loss);
  if (wallSeconds() - flushed_ >= kFlushSeconds) flush();
}

void TensorBoardSink::onEvent(const std::string&, const experiment::RunEvent& event) {
  if (const auto* ended = std::get_if<experiment::EpochEnded>(&event)) {
    const experiment::EpochSummary& epoch = ended->summary;
    add("loss", epoch.step, epoch.loss);
    add("loss_as_displayed", epoch.step, epoch.lossAsDisplayed);
    add("learning_rate", epoch.step, epoch.learningRate);
    add("examples_per_second", epoch.step, epoch.examplesPerSecond);
    addMetrics(epoch.metrics, epoch.step);
    const bool isValidated = std::ranges::any_of(epoch.metrics, [](const experiment::Metric& each) {
      return each.first.starts_with("val_");
    });
    if (isValidated) addWeights();
    flush();
  }
  if (const auto* ended = std::get_if<experiment::RunEnded>(&event)) {
    addMetrics(ended->testMetrics, step_);
    flush();
  }
}

// A full disk must not end the training: it is said once, and the run goes on.
void TensorBoardSink::flush() {
  const std::string bytes = events_.take();
  flushed_ = wallSeconds();
  if (failed_) return;
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out_.flush();
  if (out_) return;
  failed_ = true;
  log(LogLevel::kWarning,
      fmt::format("{} cannot be written any more; the run goes on without it", path_.string()));
}

}  // namespace parapet::workspace
