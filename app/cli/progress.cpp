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
#include "engine/workspace/downloads.h"

namespace parapet::cli {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr std::string_view kWipe = "\r\x1b[K";

std::atomic<bool> lineDrawn{false};

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
  ProgressStyle style;
  Stopwatch sinceShown{};
  workspace::TransferMeter meter{};
  std::string wait{};  ///< for whom, that was shown last

  // Whether it is time for another.
  bool report(std::int64_t done, std::int64_t total) {
    meter.report(done, total);
    const double apart = style == ProgressStyle::kBar ? kRedrawSeconds : kLineSeconds;
    if (sinceShown.seconds() < apart) return false;
    sinceShown.restart();
    return true;
  }
  // Whether the run waits for other processes, and for others than was shown.
  bool isNewWait(std::string_view stage) {
    if (!stage.starts_with("waiting for ")) return false;
    std::string now(stage.substr(0, stage.find(';')));
    now += stage.substr(std::min(stage.find("; turned away"), stage.size()));
    for (std::size_t count; (count = now.find(" (")) != std::string::npos;)
      now.erase(count, now.find(')', count) - count + 1);
    return std::exchange(wait, now) != now;
  }
  void show(const std::string& line) const {
    if (style == ProgressStyle::kBar)
      drawProgressLine(line);
    else
      writeStderr(line);
  }
  // The bar, which only a terminal shows.
  [[nodiscard]] std::string barOf(std::int64_t done, std::int64_t total) const {
    return style == ProgressStyle::kBar ? bar(shareOf(done, total)) + " " : std::string();
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
  const std::string text = std::string(kWipe) + terminalText(line, LineEnds::kEscape);
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
  lineDrawn = true;
}

std::string wipeProgressLine() {
  return lineDrawn.exchange(false) ? std::string(kWipe) : std::string();
}

ProgressFunction workProgress(ProgressStyle style) {
  if (style == ProgressStyle::kNone) return {};
  return [line = std::make_shared<MeteredLine>(MeteredLine{style})](
             std::string_view stage, std::int64_t done, std::int64_t total) {
    if (!line->report(done, total) && !line->isNewWait(stage)) return;
    line->show(total > 0  ? fmt::format("{} {}{:3.0f} %{}", stage, line->barOf(done, total),
                                        100.0 * shareOf(done, total), line->timeLeft())
               : done > 0 ? fmt::format("{} {}", stage, formatCount(done))
                          : fmt::format("{} …", stage));
  };
}

ProgressFunction transferProgress(ProgressStyle style) {
  if (style == ProgressStyle::kNone) return {};
  return [line = std::make_shared<MeteredLine>(MeteredLine{style})](
             std::string_view stage, std::int64_t done, std::int64_t total) {
    if (!line->report(done, total)) return;
    const auto bytes = [](double count) { return formatBytes(static_cast<std::uint64_t>(count)); };
    std::string text = std::string(stage) + " ";
    if (total > 0) text += line->barOf(done, total);
    text += bytes(static_cast<double>(done));
    if (total > 0) text += " of " + bytes(static_cast<double>(total));
    if (const auto speed = line->meter.bytesPerSecond())
      text += fmt::format("  {}/s", bytes(*speed));
    line->show(text + line->timeLeft());
  };
}

void TrainProgress::onEvent(const std::string& runId, const experiment::RunEvent& event) {
  if (const auto* warning = std::get_if<experiment::RunWarning>(&event)) {
    printWarning(warning->message);
    warnings_.push_back(warning->message);
  } else if (const auto* note = std::get_if<experiment::RunNote>(&event)) {
    if (style_ != ProgressStyle::kNone) writeStderr(note->message);
  } else if (const auto* started = std::get_if<experiment::RunStarted>(&event)) {
    started_ = *started;
    if (style_ != ProgressStyle::kNone) writeStderr("run " + runId);
    sinceStarted_.restart();
    sinceShown_.restart();
  } else if (const auto* ended = std::get_if<experiment::EpochEnded>(&event)) {
    if (style_ != ProgressStyle::kNone) epochEnded(ended->summary);
  }
}

void TrainProgress::onStep(const std::string&, const experiment::StepPoint& point) {
  if (style_ == ProgressStyle::kNone) return;
  const bool isBar = style_ == ProgressStyle::kBar;
  const bool first = isBar && !drawn_;
  if (!first && sinceShown_.seconds() < (isBar ? kRedrawSeconds : lineSeconds_)) return;
  drawn_ = true;
  sinceShown_.restart();
  if (isBar)
    drawProgressLine(lineOf(point));
  else
    writeStderr(lineOf(point));
}

std::string TrainProgress::lineOf(const experiment::StepPoint& point) const {
  const std::int64_t total = started_.totalEpochs * started_.stepsPerEpoch;
  const std::int64_t done = std::max<std::int64_t>(1, point.step - started_.firstStep);
  const double msPerStep = 1e3 * sinceStarted_.seconds() / static_cast<double>(done);
  const double left =
      msPerStep * 1e-3 * static_cast<double>(std::max<std::int64_t>(0, total - point.step));
  const std::string drawnBar =
      style_ == ProgressStyle::kBar ? bar(shareOf(point.step, total)) + " " : std::string();
  return fmt::format("epoch {}/{} {}step {}/{}  loss {}  {:.2f} ms/step  ETA {}", point.epoch,
                     started_.totalEpochs, drawnBar, point.step, total, formatValue(point.loss, 4),
                     msPerStep, formatDuration(left));
}

void TrainProgress::epochEnded(const experiment::EpochSummary& epoch) {
  std::string line = fmt::format("epoch {}/{}  loss {}", epoch.epoch, started_.totalEpochs,
                                 formatValue(epoch.loss, 6));
  std::vector<std::string> shown{"val_loss"};
  for (const std::string& metric : shown_)
    if (metric != "loss" && std::ranges::find(shown, metric) == shown.end())
      shown.push_back(metric);
  for (const std::string& metric : shown)
    if (const double* value = find(epoch.metrics, metric))
      line += fmt::format("  {} {}", metric, formatValue(*value, 6));
  line += fmt::format("  {:.3f} ms/step  {} examples/s  lr {:g}", epoch.msPerStep,
                      std::isfinite(epoch.examplesPerSecond)
                          ? formatCount(std::llround(epoch.examplesPerSecond))
                          : std::string("–"),
                      epoch.learningRate);
  sinceShown_.restart();
  writeStderr(line);
}

}  // namespace parapet::cli
