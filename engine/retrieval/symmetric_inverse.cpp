// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/symmetric_inverse.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::retrieval {
namespace {

// Columns of a sweep: wide enough for products at full speed, narrow beside the matrix.
constexpr std::int64_t kSweep = 256;
// Rows of a product: what it computes above the diagonal is lost.
constexpr std::int64_t kRows = 1024;

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// One inversion; the vectors hold [n, columns of the sweep].
class Sweeps {
 public:
  Sweeps(float* matrix, std::int64_t n, Workers* workers)
      : a_(matrix), n_(n), launch_{&tensor::cpuDevice(), workers} {
    column_.resize(static_cast<std::size_t>(n * std::min(n, kSweep)));
    product_.resize(column_.size());
  }

  /// False if it was cancelled.
  bool sweep(std::int64_t first, const WorkContext& context) {
    first_ = first;
    width_ = std::min(kSweep, n_ - first);
    copyColumn();
    negativeInverse();
    tensor::run(launch_, PpMatmul{.m = n_,
                                  .n = width_,
                                  .k = width_,
                                  .a = column_.data(),
                                  .strideA = width_,
                                  .b = pivot_.data(),
                                  .strideB = width_,
                                  .c = product_.data(),
                                  .strideC = width_});
    for (std::int64_t row = 0; row < n_; row += kRows) {
      if (context.cancelled()) return false;
      const std::int64_t rows = std::min(kRows, n_ - row);
      tensor::run(launch_, PpMatmul{.m = rows,
                                    .n = row + rows,
                                    .k = width_,
                                    .transposeB = 1,
                                    .a = product_.data() + row * width_,
                                    .strideA = width_,
                                    .b = column_.data(),
                                    .strideB = width_,
                                    .beta = 1.0f,
                                    .c = a_ + row * n_,
                                    .strideC = n_});
    }
    writeColumn();
    return true;
  }

  // A = −(−A), and the upper triangle.
  void finish() {
    each(n_, [&](std::int64_t row) {
      for (std::int64_t column = 0; column <= row; ++column) at(row, column) = -at(row, column);
    });
    each(n_, [&](std::int64_t row) {
      for (std::int64_t column = row + 1; column < n_; ++column) at(row, column) = at(column, row);
    });
  }

 private:
  float& at(std::int64_t row, std::int64_t column) const { return a_[row * n_ + column]; }

  template <class Body>
  void each(std::int64_t rows, const Body& body) const {
    constexpr std::int64_t kBlock = 64;
    const auto block = [&](std::int64_t index) {
      for (std::int64_t row = index * kBlock; row < std::min(rows, (index + 1) * kBlock); ++row)
        body(row);
    };
    runBlocks(launch_.workers, (rows + kBlock - 1) / kBlock, block);
  }

  // C = A_·K, of which the lower triangle has the rows above K as columns.
  void copyColumn() {
    each(n_, [&](std::int64_t row) {
      float* to = column_.data() + row * width_;
      for (std::int64_t j = 0; j < width_; ++j)
        to[j] = row >= first_ + j ? at(row, first_ + j) : at(first_ + j, row);
    });
  }

  void negativeInverse() {
    const Eigen::Map<Matrix> block(column_.data() + first_ * width_, width_, width_);
    const Eigen::LLT<Eigen::MatrixXd> factor(block.cast<double>());
    if (factor.info() != Eigen::Success)
      throw InternalError("[retrieval.invertSymmetric] the matrix is not positive definite");
    pivot_ = -factor.solve(Eigen::MatrixXd::Identity(width_, width_)).cast<float>();
  }

  // A_iK = C·P, which is −(C·(−P)).
  void writeColumn() {
    each(n_, [&](std::int64_t row) {
      const float* from = product_.data() + row * width_;
      for (std::int64_t j = 0; j < width_; ++j) {
        if (row >= first_ && row < first_ + width_)
          at(row, first_ + j) = pivot_(row - first_, j);
        else if (row > first_ + j)
          at(row, first_ + j) = -from[j];
        else
          at(first_ + j, row) = -from[j];
      }
    });
  }

  float* a_;
  std::int64_t n_, first_ = 0, width_ = 0;
  tensor::Launch launch_;
  std::vector<float> column_, product_;  ///< C, and C·(−P)
  Matrix pivot_;                         ///< −P
};

}  // namespace

bool invertSymmetric(std::span<float> matrix, std::int64_t n, Workers* workers,
                     const WorkContext& context) {
  if (n < 0 || matrix.size() != static_cast<std::size_t>(n) * static_cast<std::size_t>(n))
    throw InvalidArgument(fmt::format(
        "[retrieval.invertSymmetric] {} elements are no matrix of {}²", matrix.size(), n));
  Sweeps sweeps(matrix.data(), n, workers);
  for (std::int64_t first = 0; first < n; first += kSweep) {
    if (context.cancelled()) return false;
    context.report("fitting EASE", first, n);
    if (!sweeps.sweep(first, context)) return false;
  }
  sweeps.finish();
  return true;
}

}  // namespace parapet::retrieval
