// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/samples.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

#include "engine/base/random.h"
#include "engine/base/result.h"

namespace parapet::selftest {
namespace {

// At least one cache line of values that no op produces.
constexpr std::size_t kGuardElements = 16;
template <class T>
constexpr T kGuard = static_cast<T>(123456.75);

Random randomOf(std::uint64_t seed) {
  return {seed, RandomPurpose::kSampling};
}

}  // namespace

std::string Shape::name() const {
  return fmt::format("{}×{}", rows, width);
}

std::vector<Shape> oddShapes() {
  std::vector<Shape> shapes;
  for (const std::int64_t rows : {0, 1, 3, 7, 31, 1000})
    for (const std::int64_t width : {1, 3, 16, 33, 64}) shapes.push_back({rows, width});
  // Half a register of eight, alone and between whole ones and single elements.
  for (const std::int64_t width : {4, 13}) shapes.push_back({31, width});
  return shapes;
}

std::vector<float> samples(std::uint64_t seed, std::int64_t count, float low, float high) {
  const Random random = randomOf(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = low + (high - low) * random.uniform(i);
  return values;
}

std::vector<float> exactSamples(std::uint64_t seed, std::int64_t count) {
  const Random random = randomOf(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(random.below(i, 16)) / 8.0f - 1.0f;
  return values;
}

std::vector<std::int32_t> sampleRows(std::uint64_t seed, std::int64_t count,
                                     std::int64_t tableRows) {
  const Random random = randomOf(seed);
  std::vector<std::int32_t> rows(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<std::int32_t>(random.below(i, static_cast<std::uint64_t>(tableRows)));
  return rows;
}

std::vector<std::int32_t> distinctRows(std::uint64_t seed, std::int64_t count,
                                       std::int64_t tableRows) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(tableRows));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  shuffle(order, randomOf(seed));
  std::vector<std::int32_t> rows(static_cast<std::size_t>(count));
  std::transform(order.begin(), order.begin() + count, rows.begin(),
                 [](std::int64_t row) { return static_cast<std::int32_t>(row); });
  return rows;
}

double innerProduct(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> toDouble(std::span<const float> values) {
  return {values.begin(), values.end()};
}

template <class T>
DeviceArray<T>::DeviceArray(const tensor::Device& device, std::span<const T> values)
    : device_(device),
      count_(values.size()),
      buffer_(device, static_cast<std::int64_t>(values.size() + kGuardElements)) {
  std::vector<T> staged(values.begin(), values.end());
  staged.insert(staged.end(), kGuardElements, kGuard<T>);
  device.copyIn(buffer_.data(), staged.data(), buffer_.bytes());
}

template <class T>
DeviceArray<T> DeviceArray<T>::unset(const tensor::Device& device, std::int64_t count) {
  constexpr T kUnset =
      std::is_integral_v<T> ? static_cast<T>(-7) : std::numeric_limits<T>::quiet_NaN();
  return {device, std::vector<T>(static_cast<std::size_t>(count), kUnset)};
}

template <class T>
std::vector<T> DeviceArray<T>::read() const {
  std::vector<T> values(count_ + kGuardElements);
  device_.copyOut(values.data(), buffer_.data(), buffer_.bytes());
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(count_);
  if (std::any_of(end, values.end(), [](T value) { return value != kGuard<T>; }))
    throw InternalError("[selftest] the op wrote past the end of its output");
  values.resize(count_);
  return values;
}

template class DeviceArray<float>;
template class DeviceArray<double>;
template class DeviceArray<std::int32_t>;
template class DeviceArray<std::int64_t>;
template class DeviceArray<std::uint64_t>;

}  // namespace parapet::selftest
