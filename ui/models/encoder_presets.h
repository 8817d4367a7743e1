// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "engine/experiment/encoder_presets.h"

namespace parapet::ui {

/// "BERT tiny: 2 blocks, width 128, 2 heads".
QString encoderText(const experiment::EncoderPreset& preset);

}  // namespace parapet::ui
