// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/encoder_presets.h"

#include <QCoreApplication>

namespace parapet::ui {

QString encoderText(const experiment::EncoderPreset& preset) {
  return QCoreApplication::translate("EncoderPresets", "%1: %2 blocks, width %3, %4 heads")
      .arg(QLatin1String(preset.title))
      .arg(preset.sizes.blocks)
      .arg(preset.sizes.width)
      .arg(preset.sizes.heads);
}

}  // namespace parapet::ui
