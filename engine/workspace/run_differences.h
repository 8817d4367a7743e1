// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/store/run_store.h"

namespace parapet::workspace {

/// A setting of a run that others of its list have otherwise.
struct RunSetting {
  std::string pointer;   ///< "/optimizer/learning_rate"
  nlohmann::json value;  ///< null where the document of the run has none
};

/// So many runs of a list are compared unless a caller asks for more.
inline constexpr std::size_t kMaxComparedRuns = 200;

/// The settings that tell runs apart: for each of `runs`, in their order, the settings in which it
/// and the others
/// *of the same name* differ; empty for a name that stands once and for runs of one document. The settings
/// that people vary come first, the data before all, then the order of the document.
///
/// Documents are read for the first `maxCompared` alone, since a list of runs reads none else; the others
/// have no settings here.
///
/// Errors   of the store.
/// Thread   any.
Result<std::vector<std::vector<RunSetting>>> runDifferences(
    const store::RunStore& store, const std::vector<store::RunRecord>& runs,
    std::size_t maxCompared = kMaxComparedRuns);

/// "learning rate 0.1 · seed 7", at most `maxSettings` of them, then "+3"; "" for none.
std::string differenceText(const std::vector<RunSetting>& settings, std::size_t maxSettings);

/// The data of a run as a list names them: "ml-100k" of "/data/ml-100k", "generated movies".
std::string dataNameOf(const store::RunRecord& run);
/// Model and loss as a list names them: "retrieval / in-batch softmax".
std::string modelNameOf(const store::RunRecord& run);

/// Fills in what a list of runs shows of an experiment: data, model, loss, seed and fork.
void describeRun(const experiment::Experiment& experiment, store::RunRecord& run);

}  // namespace parapet::workspace
