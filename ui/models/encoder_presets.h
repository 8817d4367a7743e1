// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <nlohmann/json.hpp>
#include <span>

#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Sizes of an encoder of texts: transformer blocks, their width, heads of each, and units of their
/// dense layer.
struct EncoderSizes {
  std::int64_t blocks = 0, width = 0, heads = 0, units = 0;
  bool operator==(const EncoderSizes&) const = default;
};

/// Sizes that have a name.
/// Source   Turc et al., "Well-read students learn better" (2019), table 1.
struct EncoderPreset {
  const char* name;  ///< "BERT tiny"
  EncoderSizes sizes;
};
std::span<const EncoderPreset> encoderPresets();

/// "BERT tiny: 2 blocks, width 128, 2 heads".
QString encoderText(const EncoderPreset& preset);

/// The sizes of a document's encoder; no blocks if these are not all alike.
EncoderSizes encoderSizes(const experiment::Experiment& experiment);

/// The document with an encoder of these sizes, its masked layers and the width of the tokens' table,
/// arranged as in the recipe bert-tiny-mlm.
nlohmann::json withEncoder(const ExperimentEditor& editor, const EncoderSizes& sizes);

}  // namespace parapet::ui
