// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/bert_layout.h"

namespace parapet::train {

/// The text of a config.json of BertForMaskedLM.
std::string bertConfig(const experiment::BertSettings& settings, std::int64_t pieces);

/// What a config.json beside a file of weights says otherwise than the model, for the user: shapes
/// tell neither the activation nor epsilon. Empty without a file that reads.
///
/// Errors   kInvalidDocument at /model/weights for another number of heads, which shapes do not
///          tell either.
Result<std::vector<std::string>> bertConfigNotes(const std::filesystem::path& weights,
                                                 const experiment::BertSettings& settings);

}  // namespace parapet::train
