// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace parapet::store {

/// The scripts that lead from an empty file to today's schema; the n-th leads to version n. A
/// script that was released is never edited: a change is a new one at the end. Tables and columns
/// are described in README.md.
std::span<const char* const> migrationScripts();

}  // namespace parapet::store
