// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace parapet {

/// How long this process waits for a device or another process that does not answer, before the run
/// ends: PARAPET_TIMEOUT_MS of its environment, from 1 on, else 30 s. Read once.
std::chrono::milliseconds waitLimit();

}  // namespace parapet
