// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/checkpoint/checkpoint.h"

namespace parapet::checkpoint::test {

/// The run that all samples are of.
inline constexpr const char* kSampleRun = "00c0ffee0001";

/// A checkpoint whose every byte follows from its step: the oracle that files are compared with.
struct Sample {
  Manifest manifest;
  std::vector<std::vector<std::byte>> storage;
  std::vector<TensorView> tensors;
};

inline std::vector<std::byte> bytesOf(std::size_t count, std::uint64_t seed) {
  const Random random(seed, RandomPurpose::kGenerator);
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(random.bits64(i / 8) >> (8 * (i % 8)));
  return bytes;
}

/// `rows` × 32 table with its slot, a scalar count, an odd-sized text and an empty tensor.
inline Sample sample(std::int64_t step, std::int64_t rows) {
  Sample made;
  made.manifest.step = step;
  made.manifest.epoch = step / 10;
  made.manifest.batch = step % 10;
  made.manifest.runId = kSampleRun;
  made.manifest.fingerprint = "f";
  made.manifest.dataset = "d";
  made.manifest.build = "0.1.0 portable";
  made.manifest.experiment = {{"name", "größe"}, {"training", {{"seed", 18446744073709551615ULL}}}};
  made.manifest.trainerState = {
      {"loss_sum", 0.1 + 0.2}, {"best", nullptr}, {"negative_zero", -0.0}};
  made.manifest.mesh = {{"devices", {"cpu:0"}}};
  made.manifest.metrics = {{"val_loss", 1.0 / 3.0}, {"val_recall@10", 1e-308}};
  const auto add = [&](std::string name, ElementType type, std::vector<std::int64_t> shape) {
    std::size_t count = elementBytes(type);
    for (const auto extent : shape) count *= static_cast<std::size_t>(extent);
    made.storage.push_back(
        bytesOf(count, static_cast<std::uint64_t>(step) * 100 + made.storage.size()));
    made.tensors.push_back({std::move(name), type, std::move(shape), made.storage.back()});
  };
  add("vocab/movie/text", ElementType::kU8, {13});
  add("tables/movie/weight", ElementType::kF32, {rows, 32});
  add("tables/movie/accumulator", ElementType::kF32, {rows, 32});
  add("dense/steps", ElementType::kI64, {});
  add("tables/empty/weight", ElementType::kF32, {0, 32});
  return made;
}

inline bool sameContent(const Checkpoint& found, const Sample& expected) {
  for (const TensorView& tensor : expected.tensors) {
    const TensorView* stored = found.find(tensor.name);
    if (!stored || stored->type != tensor.type || stored->shape != tensor.shape) return false;
    if (!std::ranges::equal(stored->bytes, tensor.bytes)) return false;
  }
  return found.tensors().size() == expected.tensors.size() &&
         found.manifest().step == expected.manifest.step &&
         found.manifest().experiment == expected.manifest.experiment &&
         found.manifest().trainerState == expected.manifest.trainerState;
}

}  // namespace parapet::checkpoint::test
