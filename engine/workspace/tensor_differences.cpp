// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/tensor_differences.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/train/batch_inspector.h"

namespace parapet::workspace {
namespace {

constexpr double kSmallestScale = 1e-30;

struct Gap {
  double largest = 0.0, rms = 0.0;
};

Gap gapBetween(std::span<const float> a, std::span<const float> b) {
  Gap gap;
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (std::isnan(difference)) difference = HUGE_VAL;
    gap.largest = std::max(gap.largest, difference);
    squares += difference * difference;
  }
  gap.rms = a.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(a.size()));
  return gap;
}

/// "dense/query_0_bias" of "dense/query_0_bias/moment".
std::string parameterOf(const std::string& tensor) {
  return tensor.substr(0, tensor.rfind('/'));
}

bool isAccepted(const TensorDifference& difference) {
  return difference.withoutEffect ||
         (difference.relative <= difference.accepted &&
          difference.rmsRelative <= TensorDifferences::kRelativeTolerance);
}

bool isCompared(const checkpoint::TensorView& tensor) {
  return tensor.type == checkpoint::ElementType::kF32;
}

}  // namespace

TensorDifferences::TensorDifferences(train::Session& a, train::Session& b) : a_(a) {
  for (const nn::Parameter& parameter : a.parameters())
    if (!parameter.spec.sparse)
      groupOf_[parameter.spec.name] = parameter.spec.isState ? "statistics" : "layers";
  const auto left = a.tensors(), right = b.tensors();
  for (const checkpoint::TensorView& tensor : left) {
    if (!isCompared(tensor)) continue;
    double& largest = scale_[keyOf(tensor.name)];
    largest = std::max(largest, kSmallestScale);
    for (const float element : elementsOf(tensor))
      largest = std::max(largest, std::abs(static_cast<double>(element)));
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!isCompared(left[i])) continue;
    const double scale = scale_.at(keyOf(left[i].name));
    const Gap gap = gapBetween(elementsOf(left[i]), elementsOf(right[i]));
    TensorDifference difference;
    difference.name = left[i].name;
    difference.maxAbs = gap.largest;
    difference.relative = gap.largest / scale;
    difference.rmsRelative = gap.rms / scale;
    difference.accepted = kRelativeTolerance;
    difference.identical = std::ranges::equal(left[i].bytes, right[i].bytes);
    all_.push_back(std::move(difference));
  }
}

void TensorDifferences::allowForLastBits(train::Session& c,
                                         const std::vector<std::vector<float>>& start) {
  const auto left = a_.tensors(), moved = c.tensors();
  std::map<std::string, double> change;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!isCompared(left[i])) continue;
    double& largest = change[keyOf(left[i].name)];
    largest = std::max(largest, gapBetween(elementsOf(left[i]), start[i]).largest);
  }
  auto difference = all_.begin();
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!isCompared(left[i])) continue;
    const std::string key = keyOf(left[i].name);
    const double scale = scale_.at(key);
    const Gap ofLastBit = gapBetween(elementsOf(left[i]), elementsOf(moved[i]));
    const double ofChange = kMaxShareOfChange * change.at(key);
    difference->lastBitRelative = ofLastBit.largest / scale;
    difference->accepted =
        std::max(kRelativeTolerance, std::min(kLastBits * ofLastBit.largest, ofChange) / scale);
    difference->lastBitIsAccepted =
        ofLastBit.largest / scale <= std::max(kRelativeTolerance, ofChange / scale) &&
        ofLastBit.rms / scale <= kRelativeTolerance;
    ++difference;
  }
}

void TensorDifferences::allowForGradients(const Gradients& ofA, const Gradients& ofB) {
  const std::span<const nn::Parameter> parameters = a_.parameters();
  const auto largestOf = [](std::span<const float> gradient) {
    double largest = 0.0;
    for (const float element : gradient)
      largest = std::max(largest, std::abs(static_cast<double>(element)));
    return largest;
  };
  std::map<std::string, double> scale;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    double& largest = scale[keyOf(parameters[i].spec.name + "/weight")];
    largest = std::max({largest, largestOf(ofA[i]), kSmallestScale});
  }
  std::map<std::string, double> apart;
  std::set<std::string> flat, states;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const nn::ParameterSpec& spec = parameters[i].spec;
    const std::string key = keyOf(spec.name + "/weight");
    const double most = scale.at(key), gap = gapBetween(ofA[i], ofB[i]).largest;
    apart[spec.name] = gap / most;
    if (spec.isState) {
      // The change by a step is small beside these values, and rounded with them.
      apart[spec.name] = gap * train::BatchInspector::kRate / scale_.at(key);
      states.insert(spec.name);
    } else if (std::max(largestOf(ofA[i]), largestOf(ofB[i])) <= kRelativeTolerance * most) {
      flat.insert(spec.name);
    }
  }
  const bool agree = std::ranges::all_of(
      apart, [](const auto& parameter) { return parameter.second <= kRelativeTolerance; });
  bool hasMoved = false;  // a parameter without gradient
  for (TensorDifference& difference : all_) {
    const std::string parameter = parameterOf(difference.name);
    difference.gradientRelative = apart.at(parameter);
    difference.withoutEffect = agree && !isAccepted(difference) && flat.contains(parameter);
    hasMoved = hasMoved || difference.withoutEffect;
  }
  for (TensorDifference& difference : all_)
    difference.withoutEffect =
        difference.withoutEffect ||
        (hasMoved && !isAccepted(difference) && states.contains(parameterOf(difference.name)));
}

bool TensorDifferences::accepted() const {
  return std::ranges::all_of(all_, isAccepted);
}

bool TensorDifferences::areMagnifiedRounding() const {
  return std::ranges::all_of(all_, [](const TensorDifference& difference) {
    return isAccepted(difference) || !difference.lastBitIsAccepted;
  });
}

bool TensorDifferences::areOfRounding() const {
  return std::ranges::all_of(all_, [](const TensorDifference& difference) {
    return isAccepted(difference) ||
           difference.relative <= kMaxLastBits * difference.lastBitRelative.value_or(0.0);
  });
}

std::string TensorDifferences::keyOf(const std::string& tensor) const {
  const std::string parameter = parameterOf(tensor);
  const auto group = groupOf_.find(parameter);
  return group == groupOf_.end() ? tensor : group->second + tensor.substr(parameter.size());
}

}  // namespace parapet::workspace
