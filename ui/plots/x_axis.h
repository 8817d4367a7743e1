// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace parapet::ui {

/// What a curve is drawn against.
enum class XAxis {
  kStep,     ///< training steps of the run, from 1
  kEpoch,    ///< epochs completed: the end of the first epoch is at 1
  kSeconds,  ///< seconds since the run started training, over all its processes
};

}  // namespace parapet::ui
