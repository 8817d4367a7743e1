// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parapet::experiment {

/// The key of a metric of a validation, taken apart: "val_recall@10" is {"recall", 10}.
struct MetricKey {
  std::string metric;
  std::optional<std::int64_t> k;  ///< list length of metrics of lists
};

/// nullopt unless the key is one that a validation can measure.
std::optional<MetricKey> parseValidationKey(std::string_view key);
/// The keys that there are, with the list lengths of `k`; for messages.
std::vector<std::string> validationKeys(const std::vector<std::int64_t>& k);

/// Errors and losses are better when small, ranking metrics when large. Any prefix or suffix.
bool smallerIsBetter(std::string_view metric);

}  // namespace parapet::experiment
