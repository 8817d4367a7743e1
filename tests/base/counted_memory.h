// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parapet::sample {

/// How often this program has asked for memory so far, through operator new, malloc or
/// aligned_alloc.
std::int64_t allocations();

}  // namespace parapet::sample
