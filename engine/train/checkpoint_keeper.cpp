// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint_keeper.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::train {

CheckpointKeeper::CheckpointKeeper(std::filesystem::path folder,
                                   const experiment::Checkpoints& spec, Emit emit)
    : folder_(std::move(folder)),
      keep_(std::max<std::int64_t>(1, spec.keep)),
      emit_(std::move(emit)) {}

void CheckpointKeeper::restore(std::int64_t lastStep, std::int64_t bestStep, std::string last) {
  lastStep_ = lastStep;
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

}  // namespace parapet::train
