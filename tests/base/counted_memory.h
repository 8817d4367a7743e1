// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parapet::sample {

/// How often this program has asked for memory so far, through operator new, malloc or
/// aligned_alloc; through the last two in its libraries only where kCountsLibraries says so.
std::int64_t allocations();

/// The linker counts in what it links into the program: instrumented libraries are shared.
inline constexpr bool kCountsLibraries = PARAPET_COUNTS_LIBRARIES;

}  // namespace parapet::sample
