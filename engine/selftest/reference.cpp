// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parapet::selftest {

using tensor::ActivationOp;

void Exact::add(std::size_t at, double term) {
  value[at] += term;
  magnitude[at] += std::abs(term);
}

namespace reference {

Exact gatherRows(Doubles table, std::int64_t width, Rows rows) {
  const auto cols = static_cast<std::size_t>(width);
  Exact out(rows.size() * cols);
  for (std::size_t n = 0; n < rows.size(); ++n)
    for (std::size_t d = 0; d < cols; ++d)
      out.add(n * cols + d, table[static_cast<std::size_t>(rows[n]) * cols + d]);
  return out;
}

Merged mergeRows(Rows rows, Doubles grad, std::int64_t width) {
  const auto cols = static_cast<std::size_t>(width);
  Merged merged;
  for (const std::int32_t row : rows)
    if (std::find(merged.rows.begin(), merged.rows.end(), row) == merged.rows.end())
      merged.rows.push_back(row);
  merged.grad = Exact(merged.rows.size() * cols);
  for (std::size_t u = 0; u < merged.rows.size(); ++u)
    for (std::size_t n = 0; n < rows.size(); ++n)
      if (rows[n] == merged.rows[u])
        for (std::size_t d = 0; d < cols; ++d) merged.grad.add(u * cols + d, grad[n * cols + d]);
  return merged;
}

std::vector<double> toBf16(std::span<const float> values) {
  std::vector<double> out;
  for (const float value : values) {
    int exponent = 0;
    const double mantissa = std::frexp(static_cast<double>(value), &exponent);
    out.push_back(std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), exponent - 8));
  }
  return out;
}

double Matrix::at(std::int64_t i, std::int64_t j) const {
  return data[static_cast<std::size_t>(transposed ? j * stride + i : i * stride + j)];
}

Exact matmul(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b,
             double beta, Doubles c, std::int64_t strideC) {
  Exact out(c.size());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < strideC; ++j) {
      const auto at = static_cast<std::size_t>(i * strideC + j);
      if (j >= n) {
        out.add(at, c[at]);
        continue;
      }
      if (beta != 0.0) out.add(at, beta * c[at]);
      for (std::int64_t l = 0; l < k; ++l) out.add(at, a.at(i, l) * b.at(l, j));
    }
  return out;
}

namespace {

double geluTanhArgument(double z) {
  return std::sqrt(2.0 / std::numbers::pi) * (z + 0.044715 * z * z * z);
}

}  // namespace

double activation(ActivationOp op, double z) {
  switch (op) {
    case ActivationOp::kLinear:
      return z;
    case ActivationOp::kRelu:
      return std::max(z, 0.0);
    case ActivationOp::kTanh:
      return std::tanh(z);
    case ActivationOp::kSigmoid:
      return 1.0 / (1.0 + std::exp(-z));
    case ActivationOp::kGelu:
      return 0.5 * z * std::erfc(-z / std::numbers::sqrt2);
    case ActivationOp::kGeluTanh:
      return 0.5 * z * (1.0 + std::tanh(geluTanhArgument(z)));
    case ActivationOp::kSilu:
      return z / (1.0 + std::exp(-z));
  }
  return z;
}

double activationSlope(ActivationOp op, double z) {
  switch (op) {
    case ActivationOp::kLinear:
      return 1.0;
    case ActivationOp::kRelu:
      return z > 0.0 ? 1.0 : 0.0;
    case ActivationOp::kTanh:
      return 1.0 / (std::cosh(z) * std::cosh(z));
    case ActivationOp::kSigmoid:
      return 1.0 / ((1.0 + std::exp(-z)) * (1.0 + std::exp(z)));
    case ActivationOp::kGelu:
      return 0.5 * std::erfc(-z / std::numbers::sqrt2) +
             z * std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    case ActivationOp::kGeluTanh: {
      const double t = std::tanh(geluTanhArgument(z));
      const double slope = std::sqrt(2.0 / std::numbers::pi) * (1.0 + 3.0 * 0.044715 * z * z);
      return 0.5 * (1.0 + t) + 0.5 * z * (1.0 - t * t) * slope;
    }
    case ActivationOp::kSilu: {
      const double open = 1.0 / (1.0 + std::exp(-z));
      return open * (1.0 + z * (1.0 - open));
    }
  }
  return 1.0;
}

// The magnitudes carry 1 + |x| + |bias|: the functions are smooth with slopes near 1, so what their
// argument and their internal sums lose is in proportion to that.
Exact biasActivation(ActivationOp op, std::int64_t width, Doubles x, Doubles bias) {
  Exact out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double shift = bias.empty() ? 0.0 : bias[i % static_cast<std::size_t>(width)];
    out.value[i] = activation(op, x[i] + shift);
    out.magnitude[i] = 1.0 + std::abs(x[i]) + std::abs(shift);
  }
  return out;
}

void finish(ActivationOp op, std::int64_t width, std::int64_t stride, Doubles bias, Exact& sums) {
  for (std::size_t i = 0; i < sums.value.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i) % stride;
    if (column >= width) continue;
    const double shift = bias.empty() ? 0.0 : bias[static_cast<std::size_t>(column)];
    sums.value[i] = activation(op, sums.value[i] + shift);
    sums.magnitude[i] += 1.0 + std::abs(shift);
  }
}

BiasActivationGradient biasActivationGradient(ActivationOp op, std::int64_t width, Doubles x,
                                              Doubles bias, Doubles dy) {
  const auto cols = static_cast<std::size_t>(width);
  BiasActivationGradient out{Exact(x.size()), Exact(cols)};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double shift = bias.empty() ? 0.0 : bias[i % cols];
    const double dx = dy[i] * activationSlope(op, x[i] + shift);
    const double magnitude = std::abs(dy[i]) * (1.0 + std::abs(x[i]) + std::abs(shift));
    out.dx.value[i] = dx;
    out.dx.magnitude[i] = magnitude;
    out.dbias.value[i % cols] += dx;
    out.dbias.magnitude[i % cols] += magnitude;
  }
  return out;
}

Exact dotRows(std::int64_t width, Doubles x, Doubles y) {
  const auto cols = static_cast<std::size_t>(width);
  Exact out(x.size() / cols);
  for (std::size_t i = 0; i < x.size(); ++i) out.add(i / cols, x[i] * y[i]);
  return out;
}

Exact dotRowsGradient(std::int64_t width, Doubles other, Doubles dout, Doubles before) {
  Exact out(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (!before.empty()) out.add(i, before[i]);
    out.add(i, dout[i / static_cast<std::size_t>(width)] * other[i]);
  }
  return out;
}

// p − y is formed in f32 and may cancel, so the magnitudes carry |p| + |y| instead.
SquaredError squaredError(Doubles prediction, Doubles label, Doubles weight, double scale) {
  SquaredError out;
  out.gradient = Exact(prediction.size());
  for (std::size_t b = 0; b < prediction.size(); ++b) {
    const double w = weight.empty() ? 1.0 : weight[b];
    const double error = prediction[b] - label[b];
    const double size = std::abs(prediction[b]) + std::abs(label[b]);
    out.sums.value[0] += w * error * error;
    out.sums.magnitude[0] += w * size * size;
    out.sums.value[1] += w * std::abs(error);
    out.sums.magnitude[1] += w * size;
    out.sums.add(2, w);
    out.gradient.value[b] = scale * 2.0 * w * error;
    out.gradient.magnitude[b] = scale * 2.0 * w * size;
  }
  return out;
}

Element sgd(const Element& before, double grad, double rate) {
  Element after = before;
  after.weight -= rate * grad;
  after.weightMagnitude = std::abs(before.weight) + std::abs(rate * grad);
  return after;
}

Element momentum(const Element& before, double grad, double rate, double momentum) {
  Element after = before;
  after.slot[0] = momentum * before.slot[0] - rate * grad;
  after.slotMagnitude[0] = std::abs(momentum * before.slot[0]) + std::abs(rate * grad);
  after.weight += after.slot[0];
  after.weightMagnitude = std::abs(before.weight) + after.slotMagnitude[0];
  return after;
}

Element adagrad(const Element& before, double grad, double rate, double epsilon,
                tensor::AdagradEpsilon mode) {
  return rowwiseAdagrad(before, grad, grad * grad, rate, epsilon, mode);
}

Element rowwiseAdagrad(const Element& before, double grad, double meanSquare, double rate,
                       double epsilon, tensor::AdagradEpsilon mode) {
  Element after = before;
  after.slot[0] += meanSquare;
  after.slotMagnitude[0] = after.slot[0];
  const double root = mode == tensor::AdagradEpsilon::kInsideRoot
                          ? std::sqrt(after.slot[0] + epsilon)
                          : std::sqrt(after.slot[0]) + epsilon;
  after.weight -= rate * grad / root;
  after.weightMagnitude = std::abs(before.weight) + std::abs(rate * grad / root);
  return after;
}

Element ftrl(const Element& before, double grad, const FtrlSettings& settings) {
  const auto rate = static_cast<double>(settings.learningRate);
  const auto power = -static_cast<double>(settings.learningRatePower);
  const auto l1 = static_cast<double>(settings.l1), l2 = static_cast<double>(settings.l2);
  const double accumulator = before.slot[0] + grad * grad;
  const double old = std::pow(before.slot[0], power), raised = std::pow(accumulator, power);
  Element after = before;
  after.slot[0] = after.slotMagnitude[0] = accumulator;
  after.slot[1] += grad - (raised - old) / rate * before.weight;
  after.slotMagnitude[1] =
      std::abs(before.slot[1]) + std::abs(grad) + (raised + old) / rate * std::abs(before.weight);
  const double pull = raised / rate + 2.0 * l2 + static_cast<double>(settings.beta) / rate;
  after.weight = (std::clamp(after.slot[1], -l1, l1) - after.slot[1]) / pull;
  after.weightMagnitude = (l1 + after.slotMagnitude[1]) / pull;
  return after;
}

Element adam(const Element& before, double grad, const AdamSettings& settings, double momentBeta1,
             double momentBeta2) {
  Element after = before;
  double& moment = after.slot[0];
  double& variance = after.slot[1];
  moment = momentBeta1 * before.slot[0] + (1.0 - momentBeta1) * grad;
  after.slotMagnitude[0] =
      std::abs(momentBeta1 * before.slot[0]) + std::abs((1.0 - momentBeta1) * grad);
  variance = momentBeta2 * before.slot[1] + (1.0 - momentBeta2) * grad * grad;
  after.slotMagnitude[1] = variance;
  const double bias1 = 1.0 - std::pow(settings.beta1, static_cast<double>(settings.step));
  const double bias2 = 1.0 - std::pow(settings.beta2, static_cast<double>(settings.step));
  const double factor =
      settings.corrected
          ? settings.rate / bias1 / (std::sqrt(variance / bias2) + settings.epsilon)
          : settings.rate * std::sqrt(bias2) / bias1 / (std::sqrt(variance) + settings.epsilon);
  after.weight -= factor * moment;
  after.weightMagnitude = std::abs(before.weight) + factor * after.slotMagnitude[0];
  return after;
}

}  // namespace reference
}  // namespace parapet::selftest
