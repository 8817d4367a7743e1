// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/pause.h"

#include <algorithm>
#include <cmath>

namespace parapet::ui {
namespace {

/// A machine that slept mid-refresh must not silence a plot for minutes.
constexpr double kMaxMs = 5000.0;
/// 50 times the cost between two refreshes: drawing stays below 2 % of a core, however slow it
/// gets.
constexpr double kWaitPerCost = 50.0;

}  // namespace

ReplotTimer::ReplotTimer(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &ReplotTimer::due);
}

void ReplotTimer::request() {
  if (!timer_.isActive()) timer_.start(intervalMs_);
}

void ReplotTimer::setCost(double milliseconds) {
  const double wait = std::isfinite(milliseconds) ? kWaitPerCost * milliseconds : 0.0;
  intervalMs_ = static_cast<int>(std::ceil(std::clamp(wait, static_cast<double>(kMinMs), kMaxMs)));
}

WorkContext PauseGate::through(const WorkContext& context) {
  const auto report = [this, context](std::string_view stage, std::int64_t done,
                                      std::int64_t total) {
    context.report(stage, done, total);
    std::unique_lock lock(mutex_);
    ++waiting_;
    opened_.wait(lock, context.stop, [this] { return !paused_; });
    --waiting_;
  };
  return {report, context.stop};
}

void PauseGate::setPaused(bool paused) {
  {
    std::lock_guard lock(mutex_);
    paused_ = paused;
  }
  opened_.notify_all();
}

int PauseGate::waiting() const {
  std::lock_guard lock(mutex_);
  return waiting_;
}

bool PauseGate::paused() const {
  std::lock_guard lock(mutex_);
  return paused_;
}

}  // namespace parapet::ui
