// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/buffer.h"

namespace parapet::selftest {

/// Rows and widths that blocks, vector registers and unrolled loops stumble over.
struct Shape {
  std::int64_t rows = 0, width = 0;
  [[nodiscard]] std::int64_t size() const { return rows * width; }
  [[nodiscard]] std::string name() const;  ///< "31×33"
};
/// 0, 1, 3, 7, 31 and 1000 rows by widths 1, 3, 16, 33 and 64.
std::vector<Shape> oddShapes();

/// Elements in [low, high), a pure function of the arguments.
std::vector<float> samples(std::uint64_t seed, std::int64_t count, float low = -1.0f,
                           float high = 1.0f);
/// Multiples of 1/8 in [−1, 1): their sums are exact in f32.
std::vector<float> exactSamples(std::uint64_t seed, std::int64_t count);
/// Rows in [0, tableRows), some of them more than once.
std::vector<std::int32_t> sampleRows(std::uint64_t seed, std::int64_t count,
                                     std::int64_t tableRows);
/// Distinct rows in no order; count ≤ tableRows.
std::vector<std::int32_t> distinctRows(std::uint64_t seed, std::int64_t count,
                                       std::int64_t tableRows);

std::vector<double> toDouble(std::span<const float> values);
/// Σ a[i]·b[i], in the order of i.
double innerProduct(std::span<const double> a, std::span<const double> b);

/// An array in the device's memory with a guard behind its end. Of f32, f64, i32, i64 and u64.
template <class T>
class DeviceArray {
 public:
  DeviceArray(const tensor::Device& device, std::span<const T> values);
  DeviceArray(const tensor::Device& device, const std::vector<T>& values)
      : DeviceArray(device, std::span<const T>(values)) {}
  /// Every element NaN, or one that no op gives: an output that an op must overwrite.
  static DeviceArray unset(const tensor::Device& device, std::int64_t count);

  [[nodiscard]] T* data() { return buffer_.data(); }
  [[nodiscard]] const T* data() const { return buffer_.data(); }
  [[nodiscard]] std::span<const T> span() const { return {buffer_.data(), count_}; }
  /// A copy on the host. InternalError if the guard was overwritten.
  [[nodiscard]] std::vector<T> read() const;

 private:
  tensor::Device device_;
  std::size_t count_;
  tensor::Buffer<T> buffer_;
};
using DeviceFloats = DeviceArray<float>;
using DeviceDoubles = DeviceArray<double>;
using DeviceInts = DeviceArray<std::int32_t>;

}  // namespace parapet::selftest
