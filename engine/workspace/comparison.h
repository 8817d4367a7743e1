// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/verdict.h"
#include "engine/store/run_store.h"
#include "engine/workspace/evaluation.h"

namespace parapet::workspace {

/// The held-out rows and the weights that are compared.
struct CompareOptions {
  /// kValidation or kTest.
  experiment::SplitPart part = experiment::SplitPart::kValidation;
  /// kLast or kBest, of each run.
  WhichCheckpoint checkpoint = WhichCheckpoint::kLast;
};

struct Comparison {
  struct Setting {
    std::string pointer;
    std::vector<nlohmann::json> values;  ///< one per run
  };
  struct MetricRow {
    std::string name;
    std::vector<double> values;  ///< one per run, NaN if none
    /// Why a better value does not make a better run: other data, another split, another loss, other
    /// rules of the metric, or a time. "" where it does.
    std::string notComparable;
  };
  CompareOptions options;
  std::vector<store::RunRecord> runs;
  std::vector<Setting> settings;  ///< only the differing ones
  std::vector<MetricRow> metrics;
  double meanOverlapAt10 = 0.0;  ///< mean over users of |A ∩ B| / 10 of the first two runs; NaN if
                                 ///< they share no catalogue
  std::int64_t overlapUsers = 0;
  /// A metric of lists of the catalogue, of the first run minus the second over the same held-out
  /// queries; `significant` beyond three paired standard errors.
  struct PairedMetric {
    std::string name;
    experiment::PairedDifference difference;  ///< pairs are users
    bool significant = false;
  };
  std::vector<PairedMetric>
      paired;  ///< empty if they have no queries in common; a warning says why
  /// Step of the checkpoint whose lists are compared, one per run; unset where none is.
  std::vector<std::optional<std::int64_t>> steps;
  std::vector<std::string> warnings;  ///< of the checkpoints, and why lists are not compared
};

/// The run that is better by a metric than each other one that has it, beyond three paired standard
/// errors over the same held-out queries or rows; nullopt where none is, and
/// MetricRow::notComparable says why.
std::optional<std::size_t> bestRun(const Comparison::MetricRow& metric);

/// The contexts that the first two runs read, by name: the lists whose overlap was measured answer
/// their values in each user's last training row. Empty if there is no overlap.
std::vector<std::string> overlapContexts(const Comparison& comparison);

}  // namespace parapet::workspace
