// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

#include "app/cli/output.h"
#include "engine/base/text.h"
#include "engine/data/ingest/download/transfer_meter.h"

namespace parapet::cli {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr std::string_view kWipe = "\r\x1b[K";

std::atomic<bool> lineStands{false};

std::string bar(double share) {
  constexpr int kWidth = 24;
  const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth);
  return fmt::format("[{}{}]", std::string(static_cast<std::size_t>(full), '='),
                     std::string(static_cast<std::size_t>(kWidth - full), ' '));
}

double shareOf(std::int64_t done, std::int64_t total) {
  return total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0.0;
}

// A line now and then, with the time that is left.
struct MeteredLine {
  Stopwatch sinceDrawn;
  data::TransferMeter meter;

  // Whether it is time to draw another.
  bool report(std::int64_t done, std::int64_t total) {
    meter.report(done, total);
    if (sinceDrawn.seconds() < kRedrawSeconds) return false;
    sinceDrawn.restart();
    return true;
  }
  [[nodiscard]] std::string timeLeft() const {
    const auto left = meter.secondsLeft();
    return left ? fmt::format("  ETA {}", formatDuration(*left)) : std::string();
  }
};

const double* find(const std::vector<experiment::Metric>& metrics, std::string_view name) {
  for (const auto& [key, value] : metrics)
    if (key == name) return &value;
  return nullptr;
}

}  // namespace

ProgressStyle progressStyle(bool quiet) {
  if (quiet) return ProgressStyle::kNone;
  return ::isatty(STDERR_FILENO) == 1 ? ProgressStyle::kBar : ProgressStyle::kLines;
}

void drawProgressLine(const std::string& line) {
  const std::string text = std::string(kWipe) + line;
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
  lineStands = true;
}

std::string wipeProgressLine() {
  return lineStands.exchange(false) ? std::string(kWipe) : std::string();
}

ProgressFunction workProgress(ProgressStyle style) {
  if (style != ProgressStyle::kBar) return {};
  return [state = std::make_shared<MeteredLine>()](std::string_view stage, std::int64_t done,
                                                   std::int64_t total) {
    if (!state->report(done, total)) return;
    const double share = shareOf(done, total);
    drawProgressLine(total > 0 ? fmt::format("{} {} {:3.0f} %{}", stage, bar(share), 100.0 * share,
                                             state->timeLeft())
                               : fmt::format("{} {}", stage, formatCount(done)));
  };
}

ProgressFunction transferProgress(ProgressStyle style) {
  if (style != ProgressStyle::kBar) return {};
  return [state = std::make_shared<MeteredLine>()](std::string_view stage, std::int64_t done,
                                                   std::int64_t total) {
    if (!state->report(done, total)) return;
    const auto bytes = [](double count) { return formatBytes(static_cast<std::uint64_t>(count)); };
    std::string line = std::string(stage) + " ";
    if (total > 0) line += bar(shareOf(done, total)) + " ";
    line += bytes(static_cast<double>(done));
    if (total > 0) line += " of " + bytes(static_cast<double>(total));
    if (const auto speed = state->meter.bytesPerSecond())
      line += fmt::format("  {}/s", bytes(*speed));
    drawProgressLine(line + state->timeLeft());
  };
}

void TrainProgress::onEvent(const std::string& runId, const experiment::RunEvent& event) {
  if (const auto* warning = std::get_if<experiment::RunWarning>(&event)) {
    printWarning(warning->message);
  } else if (const auto* started = std::get_if<experiment::RunStarted>(&event)) {
    started_ = *started;
    if (style_ != ProgressStyle::kNone) writeStderr("run " + runId);
    sinceStarted_.restart();
  } else if (const auto* ended = std::get_if<experiment::EpochEnded>(&event)) {
    if (style_ != ProgressStyle::kNone) epochEnded(ended->summary);
  }
}

void TrainProgress::onStep(const std::string&, const experiment::StepPoint& point) {
  if (style_ != ProgressStyle::kBar || (drawn_ && sinceDrawn_.seconds() < kRedrawSeconds)) return;
  drawn_ = true;
  sinceDrawn_.restart();
  draw(point);
}

void TrainProgress::draw(const experiment::StepPoint& point) {
  const std::int64_t total = started_.totalEpochs * started_.stepsPerEpoch;
  const std::int64_t done = std::max<std::int64_t>(1, point.step - started_.firstStep);
  const double msPerStep = 1e3 * sinceStarted_.seconds() / static_cast<double>(done);
  const double left =
      msPerStep * 1e-3 * static_cast<double>(std::max<std::int64_t>(0, total - point.step));
  drawProgressLine(fmt::format("epoch {}/{} {} step {}/{}  loss {:.4f}  {:.2f} ms/step  ETA {}",
                               point.epoch, started_.totalEpochs, bar(shareOf(point.step, total)),
                               point.step, total, point.loss, msPerStep, formatDuration(left)));
}

void TrainProgress::epochEnded(const experiment::EpochSummary& epoch) {
  std::string line =
      fmt::format("epoch {}/{}  loss {:.6f}", epoch.epoch, started_.totalEpochs, epoch.loss);
  if (const double* value = find(epoch.metrics, "val_loss"))
    line += fmt::format("  val_loss {:.6f}", *value);
  line += fmt::format("  {:.3f} ms/step  {} examples/s  lr {:g}", epoch.msPerStep,
                      std::isfinite(epoch.examplesPerSecond)
                          ? formatCount(std::llround(epoch.examplesPerSecond))
                          : std::string("–"),
                      epoch.learningRate);
  writeStderr(line);
}

}  // namespace parapet::cli
