// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "engine/workspace/workspace.h"

namespace parapet::ui {

/// What a run needs of the memory of this machine, or why that is not known.
QString memoryText(const workspace::Preflight& preflight);

}  // namespace parapet::ui
