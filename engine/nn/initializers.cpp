// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/initializers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "engine/base/file_error.h"
#include "engine/base/hash.h"
#include "engine/base/npy.h"
#include "engine/base/random.h"

namespace parapet::nn {
namespace {

using experiment::Initializer;
using experiment::InitializerKind;
using experiment::VarianceDistribution;
using experiment::VarianceMode;

// Standard deviation of a unit normal truncated to ±2: Keras divides by it so that σ is met.
constexpr double kTruncatedDeviation = 0.87962566103423978;

InitialWeights uniform(const Random& random, double min, double max) {
  return [random, low = static_cast<float>(min), range = static_cast<float>(max - min)](
             std::int64_t first, std::span<float> out) {
    auto index = static_cast<std::uint64_t>(first);
    for (float& weight : out) weight = low + range * random.uniform(index++);
  };
}

enum class Tails {
  kWhole,
  kTruncated,  ///< within two standard deviations
};

InitialWeights normal(const Random& random, double mean, double stddev, NormalTails tails) {
  return [=](std::int64_t first, std::span<float> out) {
    auto index = static_cast<std::uint64_t>(first);
    for (float& weight : out)
      weight = static_cast<float>(mean + stddev * random.normal(index++, tails));
  };
}

InitialWeights varianceScaling(const Initializer& spec, const Random& random, double fanIn,
                               double fanOut) {
  const double n = spec.mode == VarianceMode::kFanIn    ? fanIn
                   : spec.mode == VarianceMode::kFanOut ? fanOut
                                                        : (fanIn + fanOut) / 2.0;
  const double deviation = std::sqrt(spec.scale / std::max(1.0, n));
  switch (spec.distribution) {
    case VarianceDistribution::kUniform:
      return uniform(random, -std::sqrt(3.0) * deviation, std::sqrt(3.0) * deviation);
    case VarianceDistribution::kNormal:
      return normal(random, 0.0, deviation, NormalTails::kFull);
    case VarianceDistribution::kTruncatedNormal:
      break;
  }
  return normal(random, 0.0, deviation / kTruncatedDeviation, NormalTails::kTruncated);
}

InitialWeights constant(double value) {
  return [value = static_cast<float>(value)](std::int64_t, std::span<float> out) {
    std::ranges::fill(out, value);
  };
}

Error wrongShape(std::string_view name, std::string_view source, std::string_view found,
                 std::int64_t rows, std::int64_t cols) {
  return Error{ErrorCode::kData,
               fmt::format("initializer of \"{}\": {} is {}; accepted is [{}, {}]", name, source,
                           found, rows, cols)};
}

Result<InitialWeights> fromFile(const std::string& path, std::string_view name, std::int64_t rows,
                                std::int64_t cols) {
  Result<NpyFile> opened = NpyFile::openFloats(path);
  if (!opened) return opened.error().wrap(fmt::format("initializer of \"{}\"", name));
  const auto file = std::make_shared<const NpyFile>(std::move(opened).value());
  if (file->shape() != std::vector{rows, cols}) {
    Error error =
        wrongShape(name, path, fmt::format("[{}]", fmt::join(file->shape(), ", ")), rows, cols);
    error.path = path;
    return error;
  }
  return InitialWeights([file](std::int64_t first, std::span<float> out) {
    if (const Status read = file->read(first, out); !read) throw FileError(read.error());
  });
}

Result<InitialWeights> fromVectors(const std::string& vectorsName, const InitialVectors& vectors,
                                   std::string_view name, std::int64_t rows, std::int64_t cols) {
  const VectorRows found = vectors ? vectors(vectorsName) : VectorRows{};
  const std::string source = fmt::format("vectors \"{}\"", vectorsName);
  if (found.values.empty() || found.width < 1)
    return wrongShape(name, source, "not in the data set", rows, cols);
  const auto count = static_cast<std::int64_t>(found.values.size());
  if (found.width != cols || count != rows * cols)
    return wrongShape(name, source, fmt::format("[{}, {}]", count / found.width, found.width), rows,
                      cols);
  return InitialWeights([values = found.values](std::int64_t first, std::span<float> out) {
    std::ranges::copy(values.subspan(static_cast<std::size_t>(first), out.size()), out.begin());
  });
}

}  // namespace

Result<InitialWeights> initialWeights(const Initializer& spec, std::uint64_t seed,
                                      std::string_view name, std::int64_t rows, std::int64_t cols,
                                      const InitialVectors& vectors) {
  const Random random(seed, RandomPurpose::kInitializer, hash64(name));
  const auto fanIn = static_cast<double>(rows);
  const auto fanOut = static_cast<double>(cols);
  switch (spec.kind) {
    case InitializerKind::kUniform:
      return uniform(random, spec.min, spec.max);
    case InitializerKind::kNormal:
      return normal(random, spec.mean, spec.stddev, NormalTails::kFull);
    case InitializerKind::kTruncatedNormal:
      return normal(random, spec.mean, spec.stddev, NormalTails::kTruncated);
    case InitializerKind::kVarianceScaling:
      return varianceScaling(spec, random, fanIn, fanOut);
    case InitializerKind::kGlorotUniform: {
      const double limit = std::sqrt(6.0 / (fanIn + fanOut));
      return uniform(random, -limit, limit);
    }
    case InitializerKind::kConstant:
      break;
    case InitializerKind::kFile:
      return fromFile(spec.path, name, rows, cols);
    case InitializerKind::kVectors:
      return fromVectors(spec.vectors, vectors, name, rows, cols);
  }
  return constant(spec.value);
}

Status initialize(const Initializer& spec, std::uint64_t seed, std::string_view name,
                  std::int64_t rows, std::int64_t cols, std::span<float> weight,
                  const InitialVectors& vectors) {
  PARAPET_ASSIGN(const InitialWeights weights,
                 initialWeights(spec, seed, name, rows, cols, vectors));
  weights(0, weight);
  return {};
}

}  // namespace parapet::nn
