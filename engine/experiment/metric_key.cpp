// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/metric_key.h"

#include <fmt/format.h>

#include <array>

#include "engine/base/text.h"

namespace parapet::experiment {
namespace {

constexpr std::string_view kPrefix = "val_";
constexpr std::array<std::string_view, 7> kPlain{"loss", "rmse",    "mae", "accuracy",
                                                 "auc",  "logloss", "mrr"};
constexpr std::array<std::string_view, 4> kOfLists{"recall", "ndcg", "map", "hit"};

}  // namespace

std::optional<MetricKey> parseValidationKey(std::string_view key) {
  if (!key.starts_with(kPrefix)) return std::nullopt;
  key.remove_prefix(kPrefix.size());
  if (std::ranges::find(kPlain, key) != kPlain.end()) return MetricKey{std::string(key), {}};
  const std::vector<std::string_view> parts = splitFields(key, '@');
  if (parts.size() != 2 || std::ranges::find(kOfLists, parts[0]) == kOfLists.end())
    return std::nullopt;
  const auto length = parseInt(parts[1]);
  // "10", not "+10" or "010": keys are compared as text.
  if (!length || *length < 1 || fmt::to_string(*length) != parts[1]) return std::nullopt;
  return MetricKey{std::string(parts[0]), length};
}

std::vector<std::string> validationKeys(const std::vector<std::int64_t>& k) {
  std::vector<std::string> keys;
  for (const std::string_view metric : kPlain) keys.push_back(fmt::format("{}{}", kPrefix, metric));
  for (const std::string_view metric : kOfLists)
    for (const std::int64_t length : k)
      keys.push_back(fmt::format("{}{}@{}", kPrefix, metric, length));
  return keys;
}

bool smallerIsBetter(std::string_view metric) {
  for (const std::string_view key : {"loss", "rmse", "mae"})
    if (metric.find(key) != std::string_view::npos) return true;
  return false;
}

}  // namespace parapet::experiment
