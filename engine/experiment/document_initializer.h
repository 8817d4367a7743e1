// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// How weights begin.

namespace parapet::experiment {

enum class InitializerKind {
  kUniform,
  kNormal,
  kTruncatedNormal,
  kVarianceScaling,
  kGlorotUniform,
  kConstant,
  kFile,     ///< a NumPy file [rows, width], f32
  kVectors,  ///< pretrained embeddings of the data set (tables only)
};
enum class VarianceMode { kFanIn, kFanOut, kFanAverage };
enum class VarianceDistribution { kUniform, kNormal, kTruncatedNormal };

/// The defaults are those of Keras: uniform in ±.05 for embeddings, Glorot uniform for layers.
struct Initializer {
  InitializerKind kind = InitializerKind::kUniform;
  double min = -0.05, max = 0.05;            ///< kUniform
  double mean = 0.0, stddev = 0.05;          ///< kNormal, kTruncatedNormal
  double scale = 1.0;                        ///< kVarianceScaling
  VarianceMode mode = VarianceMode::kFanIn;  ///< kVarianceScaling
  VarianceDistribution distribution = VarianceDistribution::kTruncatedNormal;  ///< kVarianceScaling
  double value = 0.0;                                                          ///< kConstant
  std::string path{};                                                          ///< kFile
  std::string vectors{};  ///< kVectors: entry of Dataset::vectors
};

}  // namespace parapet::experiment
