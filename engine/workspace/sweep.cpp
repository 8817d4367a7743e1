// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>

#include "engine/base/clock.h"
#include "engine/base/workers.h"
#include "engine/experiment/metric_key.h"
#include "engine/workspace/check_data.h"
#include "engine/workspace/sweep_watch.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::SweepPoint;

constexpr std::chrono::milliseconds kLook{50};
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

std::optional<double> valueIn(const std::vector<experiment::Metric>& metrics,
                              std::string_view key) {
  for (const auto& [name, value] : metrics)
    if (name == key && std::isfinite(value)) return value;
  return std::nullopt;
}

/// The best epoch by a metric, else the last one.
const experiment::EpochSummary* bestEpoch(const std::vector<experiment::EpochSummary>& epochs,
                                          const std::string& metric) {
  const experiment::EpochSummary* best = nullptr;
  std::optional<double> bestValue;
  const bool isLower = experiment::smallerIsBetter(metric);
  for (const experiment::EpochSummary& epoch : epochs) {
    const auto value =
        metric == "loss" ? std::optional(epoch.loss) : valueIn(epoch.metrics, metric);
    if (!value || (bestValue && (isLower ? *value >= *bestValue : *value <= *bestValue))) continue;
    bestValue = value;
    best = &epoch;
  }
  return best || epochs.empty() ? best : &epochs.back();
}

void describe(SweepRun& run, const RunOutcome& outcome, const std::string& metric) {
  run.runId = outcome.runId;
  run.state = outcome.state;
  run.error = outcome.error;
  if (const experiment::EpochSummary* epoch = bestEpoch(outcome.epochs, metric)) {
    run.epoch = epoch->epoch;
    run.metrics = epoch->metrics;
    run.metrics.emplace_back("loss", epoch->loss);
  }
  run.metrics.insert(run.metrics.end(), outcome.testMetrics.begin(), outcome.testMetrics.end());
}

SweepStatistics statisticsOf(const std::vector<double>& values) {
  SweepStatistics of{kNoValue, kNoValue, static_cast<std::int64_t>(values.size())};
  if (values.empty()) return of;
  const auto n = static_cast<double>(values.size());
  of.mean = 0.0;
  for (const double value : values) of.mean += value / n;
  if (values.size() < 2) return of;
  double squares = 0.0;
  for (const double value : values) squares += (value - of.mean) * (value - of.mean);
  of.sd = std::sqrt(squares / (n - 1.0));
  return of;
}

/// A run that lives.
struct LivingRun {
  std::size_t index = 0;
  std::unique_ptr<SweepWatch> watch;
  std::unique_ptr<RunHandle> handle;  ///< last: it ends before what listens to it
};

/// One sweep, from its first run to its last.
class Sweep {
 public:
  Sweep(Workspace& workspace, const std::vector<SweepPoint>& points, const SweepOptions& options)
      : workspace_(workspace),
        points_(points),
        options_(options),
        pace_(options.metrics.empty() ? "val_loss" : options.metrics.front()) {
    outcome_.group = store::RunStore::newRunId();
  }

  Result<SweepOutcome> run() {
    PARAPET_TRY(checkFirst());
    const auto parallel = static_cast<std::size_t>(std::max(1, options_.parallel));
    SweepRequest heard = SweepRequest::kGoOn;
    while (!living_.empty() || (!outcome_.stopped && next_ < points_.size())) {
      const SweepRequest asked = options_.asked();
      if (asked != heard) tellRuns(asked);
      heard = asked;
      if (heard != SweepRequest::kGoOn) outcome_.stopped = true;
      while (!outcome_.stopped && living_.size() < parallel && next_ < points_.size())
        begin(next_++);
      look();
    }
    std::ranges::sort(outcome_.runs, {}, &SweepRun::index);
    outcome_.summary = summarize(points_, outcome_.runs, options_.metrics);
    return std::move(outcome_);
  }

 private:
  // Reports faults of the data, or of all points alike, before there is a run.
  Status checkFirst() try {
    const experiment::Experiment first = experiment::parse(points_.front().document).experiment;
    PARAPET_ASSIGN(const data::ImportReport import, importOf(first));
    const Preflight preflight = workspace_.preflight(first, options_.stop);
    if (!preflight.findings.problems.empty()) return firstProblem(preflight.findings);
    PARAPET_ASSIGN(const data::Split split, splitFor(first, *import.dataset, options_.stop));
    for (const std::string& metric : options_.metrics)
      if (const auto problem = neverMeasured(first, *import.dataset, split, metric, options_.stop))
        return Error{ErrorCode::kInvalidDocument,
                     fmt::format("{}; accepted: {}", problem->message, problem->accepted)};
    return {};
  } catch (const data::PassStopped&) {
    return Error{ErrorCode::kCancelled, "the sweep was stopped before its first run"};
  }

  Result<data::ImportReport> importOf(const experiment::Experiment& experiment) {
    const std::string key = sourceKey(experiment);
    if (const auto found = imports_.find(key); found != imports_.end()) return found->second;
    PARAPET_ASSIGN(data::ImportReport import,
                   workspace_.importData(experiment, {options_.importing, options_.stop}));
    return imports_.emplace(key, std::move(import)).first->second;
  }

  // A stop before a run is there leaves nothing of it.
  void begin(std::size_t index) try {
    const SweepPoint& point = points_[index];
    const experiment::Experiment experiment = experiment::parse(point.document).experiment;
    RunOptions run{.recipe = options_.recipe, .experimentId = options_.experimentId};
    run.threads = threadsOfRun();
    run.group = outcome_.group;
    nlohmann::ordered_json settings = nlohmann::ordered_json::object();
    for (const auto& [pointer, value] : point.values) settings[pointer] = value;
    run.sweepJson = settings.dump();
    auto watch = std::make_unique<SweepWatch>(pace_, experiment.training.epochs);
    run.sink = watch.get();
    auto started = [&]() -> Result<std::unique_ptr<RunHandle>> {
      PARAPET_ASSIGN(run.import, importOf(experiment));
      run.preflight = workspace_.preflight(experiment, options_.stop);
      return workspace_.start(experiment, std::move(run));
    }();
    if (started) {
      living_.push_back({index, std::move(watch), std::move(started).value()});
      return;
    }
    if (started.error().code == ErrorCode::kCancelled) {
      outcome_.stopped = true;
      return;
    }
    end({.index = index, .state = experiment::RunState::kFailed, .error = started.error()});
  } catch (const data::PassStopped&) {
    outcome_.stopped = true;
  }

  [[nodiscard]] int threadsOfRun() const {
    const int all = options_.threads > 0 ? options_.threads : Workers::available();
    return options_.parallel > 1 ? std::max(1, all / options_.parallel) : options_.threads;
  }

  // Waits a moment for the living runs.
  void look() {
    for (std::size_t i = 0; i < living_.size();) {
      LivingRun& run = living_[i];
      auto outcome = run.handle->wait(kLook / std::ssize(living_));
      if (!outcome) {
        if (options_.bad == BadRuns::kStop && run.watch->isBad()) run.handle->stop();
        ++i;
        continue;
      }
      SweepRun ended{.index = run.index};
      describe(ended, *outcome, pace_.metric());
      ended.stoppedAsBad =
          ended.state == experiment::RunState::kStopped && run.watch->isBad() && !outcome_.stopped;
      pace_.add(run.watch->values());
      living_.erase(living_.begin() + static_cast<std::ptrdiff_t>(i));
      end(std::move(ended));
    }
    tell(nullptr);
  }

  void end(SweepRun ended) {
    outcome_.runs.push_back(std::move(ended));
    tell(&outcome_.runs.back());
  }

  void tell(const SweepRun* ended) {
    SweepProgress progress{outcome_.runs.size(), points_.size(), 0.0, std::nullopt, ended};
    double done = static_cast<double>(outcome_.runs.size());
    for (const LivingRun& run : living_) done += run.watch->share();
    progress.share = done / static_cast<double>(points_.size());
    if (done > 0.0)
      progress.secondsLeft = clock_.seconds() * (1.0 - progress.share) / progress.share;
    options_.progress(progress);
  }

  void tellRuns(SweepRequest asked) {
    for (LivingRun& run : living_)
      if (asked == SweepRequest::kAbort)
        run.handle->abort();
      else if (asked == SweepRequest::kStop)
        run.handle->stop();
  }

  Workspace& workspace_;
  const std::vector<SweepPoint>& points_;
  const SweepOptions& options_;
  SweepPace pace_;
  SweepOutcome outcome_;
  std::size_t next_ = 0;
  std::vector<LivingRun> living_;
  std::map<std::string, data::ImportReport> imports_;
  Stopwatch clock_;
};

}  // namespace

std::vector<SweepSetting> summarize(const std::vector<SweepPoint>& points,
                                    const std::vector<SweepRun>& runs,
                                    const std::vector<std::string>& metrics) {
  // A metric may be named twice, by checkpoints and early stopping: a run counts once.
  const std::set<std::string> keys(metrics.begin(), metrics.end());
  std::map<std::size_t, std::map<std::string, std::vector<double>>> values;
  for (const SweepRun& run : runs) {
    if (run.isCutShort()) continue;
    auto& of = values[points.at(run.index).setting];
    if (run.state != experiment::RunState::kFinished) continue;
    for (const std::string& metric : keys)
      if (const auto value = valueIn(run.metrics, metric)) of[metric].push_back(*value);
  }
  std::vector<SweepSetting> summary;
  for (auto& [setting, ofSetting] : values) {
    SweepSetting& row = summary.emplace_back(SweepSetting{.setting = setting});
    for (const std::string& metric : keys) row.metrics[metric] = statisticsOf(ofSetting[metric]);
  }
  if (metrics.empty()) return summary;
  const std::string& first = metrics.front();
  const bool isLower = experiment::smallerIsBetter(first);
  std::ranges::stable_sort(summary, [&](const SweepSetting& a, const SweepSetting& b) {
    const double left = a.metrics.at(first).mean, right = b.metrics.at(first).mean;
    if (std::isnan(left) || std::isnan(right)) return !std::isnan(left) && std::isnan(right);
    return isLower ? left < right : left > right;
  });
  return summary;
}

Result<SweepOutcome> runSweep(Workspace& workspace, const std::vector<SweepPoint>& points,
                              const SweepOptions& options) {
  if (points.empty()) throw InvalidArgument("[workspace.runSweep] no points");
  return Sweep(workspace, points, options).run();
}

}  // namespace parapet::workspace
