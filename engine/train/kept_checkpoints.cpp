// SPDX-License-Identifier: Apache-2.0
#include "engine/train/kept_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"

namespace parapet::train {
namespace {

constexpr const char* kPrefix = "val_";

bool endsValidatedEpoch(const checkpoint::Manifest& manifest, std::int64_t validateEvery) {
  return manifest.batch == 0 && manifest.epoch > 0 && validateEvery > 0 &&
         manifest.epoch % validateEvery == 0;
}

std::string noteOf(const experiment::EpochMeasuredAgain& now, const checkpoint::Manifest& then) {
  std::vector<std::string> changes;
  for (const auto& [key, value] : now.metrics) {
    const auto before = then.metrics.find(key);
    const std::string is = fmt::format("{:.6g}", value);
    const std::string was =
        before == then.metrics.end() ? "not measured" : fmt::format("{:.6g}", before->second);
    if (is != was) changes.push_back(fmt::format("{} is {} (was {})", key, is, was));
  }
  return fmt::format("the checkpoint of epoch {} was measured again by rules {}: {}", now.epoch,
                     experiment::kMetricRules,
                     changes.empty() ? "its metrics are what they were" : join(changes));
}

}  // namespace

CheckpointKeeper::CheckpointKeeper(std::filesystem::path folder,
                                   const experiment::Checkpoints& spec, Emit emit)
    : folder_(std::move(folder)),
      keep_(std::max<std::int64_t>(1, spec.keep)),
      emit_(std::move(emit)) {}

void CheckpointKeeper::restore(std::int64_t lastStep, std::int64_t lastEpoch, std::int64_t bestStep,
                               std::string last) {
  lastStep_ = lastStep;
  lastEpoch_ = lastEpoch;
  bestStep_ = bestStep;
  last_ = std::move(last);
}

Status CheckpointKeeper::commit(Session& session, const checkpoint::Manifest& manifest,
                                CheckpointReason reason) {
  const bool best = reason == CheckpointReason::kBest;
  if (reason != CheckpointReason::kLast && retryDelay_ > 0.0 &&
      sinceFailure_.seconds() < retryDelay_)
    return {};
  const Stopwatch watch;
  const auto tensors = session.tensors();
  auto written = checkpoint::write(folder_, manifest, tensors);
  if (!written) {
    retryDelay_ = std::clamp(retryDelay_ * 2.0, 1.0, 60.0);
    sinceFailure_.restart();
    emit_(experiment::RunWarning{
        fmt::format("the checkpoint of step {} could not be written, training goes on: {}; next "
                    "attempt in {:.0f} s at the earliest",
                    manifest.step, written.error().text(), retryDelay_)});
    return written.error();
  }
  retryDelay_ = 0.0;
  last_ = written->string();
  lastStep_ = manifest.step;
  lastEpoch_ = manifest.epoch;
  if (best) bestStep_ = manifest.step;
  std::uint64_t bytes = 0;
  for (const checkpoint::TensorView& tensor : tensors) bytes += tensor.bytes.size();
  emit_(experiment::CheckpointWritten{manifest.step, manifest.epoch, last_, bytes, best,
                                      watch.seconds()});
  prune();
  return {};
}

void CheckpointKeeper::prune() {
  const auto listed = checkpoint::list(folder_);
  const auto count = static_cast<std::int64_t>(listed.size());
  for (std::int64_t i = 0; i < count - keep_; ++i) {
    const checkpoint::Listed& old = listed[static_cast<std::size_t>(i)];
    if (old.step == bestStep_) continue;
    if (checkpoint::remove(old.folder)) emit_(experiment::CheckpointRemoved{old.step});
  }
}

Result<std::vector<KeptEpoch>> measureKept(Session& session, Evaluator& validation,
                                           const checkpoint::Checkpoint& last,
                                           const WorkContext& context) {
  std::vector<KeptEpoch> kept;
  Status outcome;
  const auto listed = checkpoint::list(last.folder().parent_path());
  for (auto each = listed.begin(); each != listed.end(); ++each) {
    if (each->step > last.manifest().step || context.cancelled()) break;
    context.report("measuring kept checkpoints again", std::distance(listed.begin(), each),
                   std::ssize(listed));
    const auto opened = checkpoint::open(each->folder);
    if (!opened) continue;
    const checkpoint::Manifest& manifest = opened->manifest();
    if (manifest.runId != last.manifest().runId ||
        !endsValidatedEpoch(manifest, session.experiment().training.validateEvery) ||
        !session.load(*opened).ok())
      continue;
    auto measured = validation.measure(kPrefix, manifest.epoch, {{}, context.stop},
                                       listsAt(session.experiment(), manifest.epoch));
    if (!measured) {
      outcome = measured.error();
      break;
    }
    if (context.cancelled() || measured->metrics.empty()) break;
    KeptEpoch epoch{{manifest.epoch, manifest.step, std::move(measured->metrics),
                     std::move(measured->verdicts), std::move(measured->catalogue.segments)},
                    {}};
    epoch.note = noteOf(epoch.event, manifest);
    kept.push_back(std::move(epoch));
  }
  PARAPET_TRY(session.load(last));
  PARAPET_TRY(outcome);
  return kept;
}

}  // namespace parapet::train
