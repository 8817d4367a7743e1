// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::experiment {

/// Sizes of an encoder of texts: transformer blocks, their width, heads of each, and units of their
/// dense layer.
struct EncoderSizes {
  std::int64_t blocks = 0, width = 0, heads = 0, units = 0;
  bool operator==(const EncoderSizes&) const = default;
};

/// Sizes that have a name.
///
/// Source   Turc et al., "Well-read students learn better" (2019), table 1.
struct EncoderPreset {
  const char* name;   ///< "bert-tiny"
  const char* title;  ///< "BERT tiny"
  EncoderSizes sizes;
};
std::span<const EncoderPreset> encoderPresets();
/// Errors   kNotFound, with the names that there are.
Result<EncoderPreset> findEncoderPreset(std::string_view name);

/// The sizes of a document's encoder; no blocks if these are not all alike.
EncoderSizes encoderSizes(const Experiment& experiment);

/// The document of a masked language model with an encoder of these sizes, its masked layers and the
/// width of the tokens' table, arranged as in the recipe bert-tiny-mlm.
nlohmann::ordered_json withEncoder(nlohmann::ordered_json document, const EncoderSizes& sizes);

}  // namespace parapet::experiment
