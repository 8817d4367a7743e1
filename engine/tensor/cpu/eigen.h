// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#if defined(_OPENMP) || !defined(EIGEN_DONT_PARALLELIZE)
#error "Eigen must start no threads beneath the engine's workers"
#endif

namespace parapet::tensor::cpu {

/// Row-major matrices at the kernels' pointers.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;
using ConstMap = Eigen::Map<const Matrix, Eigen::Unaligned, Stride>;
using Map = Eigen::Map<Matrix, Eigen::Unaligned, Stride>;

/// Rows, element by element.
using Row = Eigen::Map<Eigen::ArrayXf>;
using ConstRow = Eigen::Map<const Eigen::ArrayXf>;

/// Eigen cuts long sums by the size of the caches: by that of the machine the bits would depend on
/// it.
inline void fixCacheSizes() {
  [[maybe_unused]] static const bool fixed =
      (Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024), true);
}

}  // namespace parapet::tensor::cpu
