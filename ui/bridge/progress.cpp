// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/progress.h"

#include <QMetaObject>
#include <QObject>
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

namespace parapet::ui {
namespace {

struct LatestReport {
  std::mutex mutex;
  QString stage;
  std::int64_t done = 0, total = 0;
  bool posted = false;
};

struct Stage {
  const char* reported;
  const char* text;
};

/// Where it is more than the word with a capital.
constexpr Stage kStages[] = {
    {"reading", QT_TRANSLATE_NOOP("QObject", "Importing")},
    {"catalogue", QT_TRANSLATE_NOOP("QObject", "Importing a catalogue")},
    {"vectors", QT_TRANSLATE_NOOP("QObject", "Importing vectors")},
    {"k-core", QT_TRANSLATE_NOOP("QObject", "Finding the k-core")},
};

/// The other stages of the engine, as stageText() writes them in English: from here lupdate knows them.
[[maybe_unused]] constexpr const char* kOtherStages[] = {
    QT_TRANSLATE_NOOP("QObject", "Checking"),
    QT_TRANSLATE_NOOP("QObject", "Checking checkpoints"),
    QT_TRANSLATE_NOOP("QObject", "Checking data sets"),
    QT_TRANSLATE_NOOP("QObject", "Checking files"),
    QT_TRANSLATE_NOOP("QObject", "Checking the database"),
    QT_TRANSLATE_NOOP("QObject", "Checking the model"),
    QT_TRANSLATE_NOOP("QObject", "Checking the source"),
    QT_TRANSLATE_NOOP("QObject", "Checking the split"),
    QT_TRANSLATE_NOOP("QObject", "Choosing rows for baselines"),
    QT_TRANSLATE_NOOP("QObject", "Comparing contexts"),
    QT_TRANSLATE_NOOP("QObject", "Comparing lists"),
    QT_TRANSLATE_NOOP("QObject", "Comparing variants on validation rows"),
    QT_TRANSLATE_NOOP("QObject", "Copying the rows"),
    QT_TRANSLATE_NOOP("QObject", "Counting rows"),
    QT_TRANSLATE_NOOP("QObject", "Counting words"),
    QT_TRANSLATE_NOOP("QObject", "Downloading"),
    QT_TRANSLATE_NOOP("QObject", "Evaluating"),
    QT_TRANSLATE_NOOP("QObject", "Exporting"),
    QT_TRANSLATE_NOOP("QObject", "Fitting EASE"),
    QT_TRANSLATE_NOOP("QObject", "Fitting SVD"),
    QT_TRANSLATE_NOOP("QObject", "Fitting item-kNN"),
    QT_TRANSLATE_NOOP("QObject", "Following process 0"),
    QT_TRANSLATE_NOOP("QObject", "Generating"),
    QT_TRANSLATE_NOOP("QObject", "Gradients"),
    QT_TRANSLATE_NOOP("QObject", "Indexing"),
    QT_TRANSLATE_NOOP("QObject", "Listing"),
    QT_TRANSLATE_NOOP("QObject", "Looking at rows"),
    QT_TRANSLATE_NOOP("QObject", "Measuring"),
    QT_TRANSLATE_NOOP("QObject", "Measuring baselines"),
    QT_TRANSLATE_NOOP("QObject", "Measuring kept checkpoints again"),
    QT_TRANSLATE_NOOP("QObject", "Measuring lists"),
    QT_TRANSLATE_NOOP("QObject", "Measuring losses"),
    QT_TRANSLATE_NOOP("QObject", "Measuring most popular"),
    QT_TRANSLATE_NOOP("QObject", "Measuring popular in the context"),
    QT_TRANSLATE_NOOP("QObject", "Merging pairs"),
    QT_TRANSLATE_NOOP("QObject", "Preparing"),
    QT_TRANSLATE_NOOP("QObject", "Step by step"),
    QT_TRANSLATE_NOOP("QObject", "Testing"),
    QT_TRANSLATE_NOOP("QObject", "Unpacking"),
    QT_TRANSLATE_NOOP("QObject", "Vectors of users"),
    QT_TRANSLATE_NOOP("QObject", "Writing curves"),
    QT_TRANSLATE_NOOP("QObject", "Writing the archive"),
};

/// Steps over which the average forgets; fewer make the range jump.
constexpr double kMemorySteps = 64.0;
/// Steps before anything is said: the first ones fill caches.
constexpr std::int64_t kWarmUpSteps = 8;
constexpr double kMinShare = 0.05, kValidationShare = 0.2;

}  // namespace

ProgressFunction latestProgressTo(
    QObject* receiver, std::function<void(const QString& stage, qint64 done, qint64 total)> tell) {
  auto latest = std::make_shared<LatestReport>();
  return [receiver, latest, tell = std::move(tell)](std::string_view stage, std::int64_t done,
                                                    std::int64_t total) {
    {
      std::lock_guard lock(latest->mutex);
      latest->stage = QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
      latest->done = done;
      latest->total = total;
      if (std::exchange(latest->posted, true)) return;
    }
    QMetaObject::invokeMethod(
        receiver,
        [latest, tell] {
          std::unique_lock lock(latest->mutex);
          const QString text = latest->stage;
          const std::int64_t reached = latest->done, all = latest->total;
          latest->posted = false;
          lock.unlock();
          tell(text, reached, all);
        },
        Qt::QueuedConnection);
  };
}

QString stageText(const QString& stage) {
  for (const Stage& known : kStages)
    if (stage == QLatin1String(known.reported)) return QObject::tr(known.text);
  if (stage.isEmpty()) return stage;
  const QString text = stage.left(1).toUpper() + stage.mid(1);
  return QObject::tr(text.toUtf8().constData());
}

QString progressText(const QString& stage, qint64 done, qint64 total) {
  if (total <= 0) return QObject::tr("%1 …").arg(stageText(stage));
  return QObject::tr("%1 … %2 %")
      .arg(stageText(stage))
      .arg(100 * std::clamp<qint64>(done, 0, total) / total);
}

void EtaEstimator::start(const experiment::RunStarted& started, std::int64_t validateEvery) {
  *this = {};
  done_ = lastStep_ = started.firstStep;
  total_ = started.stepsPerEpoch * started.totalEpochs;
  stepsPerEpoch_ = started.stepsPerEpoch;
  validateEvery_ = validateEvery;
}

void EtaEstimator::addSteps(const experiment::StepBucket& bucket) {
  done_ = std::max(done_, bucket.lastStep);
  const std::int64_t steps = bucket.lastStep - lastStep_;
  // Between epochs lies the validation, which is counted apart.
  if (haveLast_ && steps > 0 && bucket.epoch == lastEpoch_) {
    const double each = (bucket.seconds - lastSeconds_) / static_cast<double>(steps);
    const double weight =
        measuredSteps_ == 0 ? 1.0 : 1.0 - std::exp(-static_cast<double>(steps) / kMemorySteps);
    const double distance = measuredSteps_ == 0 ? 0.0 : std::abs(each - step_);
    step_ += weight * (each - step_);
    spread_ += weight * (distance - spread_);
    measuredSteps_ += steps;
  }
  haveLast_ = true;
  lastStep_ = bucket.lastStep;
  lastEpoch_ = bucket.epoch;
  lastSeconds_ = bucket.seconds;
}

void EtaEstimator::addEpoch(const experiment::EpochSummary& summary) {
  done_ = std::max(done_, summary.step);
  const double seconds = summary.validationSeconds + summary.retrievalSeconds;
  if (!(seconds > 0.0)) return;
  validation_ = validation_ < 0.0 ? seconds : validation_ + 0.5 * (seconds - validation_);
}

std::int64_t EtaEstimator::validationsLeft() const {
  if (validateEvery_ == 0 || stepsPerEpoch_ == 0) return 0;
  const std::int64_t between = stepsPerEpoch_ * validateEvery_;
  return total_ / between - done_ / between;
}

EtaEstimator::Range EtaEstimator::remaining() const {
  if (measuredSteps_ < kWarmUpSteps || total_ == 0) return {};
  const auto steps = static_cast<double>(std::max<std::int64_t>(0, total_ - done_));
  const double validation = std::max(0.0, validation_) * static_cast<double>(validationsLeft());
  const double eta = steps * step_ + validation;
  const double distance =
      std::max(kMinShare * eta, steps * spread_ + kValidationShare * validation);
  return {std::max(0.0, eta - distance), eta + distance};
}

}  // namespace parapet::ui
