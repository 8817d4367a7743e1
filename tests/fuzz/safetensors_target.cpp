// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "engine/checkpoint/manifest.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;
using namespace parapet::checkpoint;

namespace {

const std::array<float, 6> kWeights{1, 2, 3, 4, 5, 6};
const std::array<std::int64_t, 2> kIds{7, 9};

std::vector<TensorView> tensors() {
  return {{"tables/user/weight", ElementType::kF32, {2, 3}, std::as_bytes(std::span(kWeights))},
          {"vocab/user/ids", ElementType::kI64, {2}, std::as_bytes(std::span(kIds))},
          {"dense/empty", ElementType::kU8, {0, 5}, {}}};
}

std::string tensorFile(std::span<const TensorView> views) {
  const SafetensorsPlan plan = planSafetensors(views, {{"format", "pt"}});
  std::string file = plan.header;
  for (const TensorView* tensor : plan.order)
    file.append(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
  return file;
}

std::string manifestFile() {
  Manifest manifest;
  manifest.step = 160;
  manifest.runId = "20260101-sample";
  manifest.experiment = {{"name", "sample"}, {"tables", {{{"name", "user"}}}}};
  manifest.metrics = {{"loss", 0.25}};
  return manifestText(manifest, TensorFile{512, {std::string(32, 'a')}, tensors()});
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = parseSafetensors(std::as_bytes(std::span(data, size)));
  if (read.ok()) {
    std::size_t bytes = 0;
    for (const TensorView& tensor : *read) {
      std::size_t expected = elementBytes(tensor.type);
      for (const std::int64_t extent : tensor.shape) expected *= static_cast<std::size_t>(extent);
      if (expected != tensor.bytes.size()) fuzz::breakInvariant("bytes fill the shape");
      for (const std::byte byte : tensor.bytes) bytes += static_cast<std::size_t>(byte) & 1u;
    }
    fuzz::tell(bytes == 0 ? "read" : "read with data");
  } else {
    fuzz::tell(read.error().message);
  }
  const auto manifest = parseManifest(fuzz::asText(data, size));
  fuzz::tell(manifest.ok() ? "a manifest" : manifest.error().message);
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  const std::vector<TensorView> all = tensors();
  return {tensorFile(all), tensorFile(std::span(all).first(1)), tensorFile({}), manifestFile()};
}

std::vector<std::string> fuzz::words() {
  return {"\"__metadata__\":{",
          "\"dtype\":\"F32\"",
          "\"F64\"",
          "\"BF16\"",
          "\"shape\":[",
          "\"data_offsets\":[",
          "[[[[",
          "{\"a\":",
          ",",
          "4294967296",
          "9223372036854775807",
          "0,0",
          "\"name\"",
          "manifest_hash"};
}
