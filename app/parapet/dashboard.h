// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/parapet/parts.h"

namespace parapet::window {

/// Writes the page Train of the newest finished run to a PNG of 1600 × 1000 pixels; trains the
/// recipe `sample` first if there is none.
///
/// Errors   kIo if the picture cannot be written, kInternal if the run did not finish.
Status writeDashboard(Parts& parts, const QString& file);

}  // namespace parapet::window
