// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/result.h"
#include "engine/store/sqlite.h"

namespace parapet::store {

/// Whether a file system with this statfs magic may be shared between machines. WAL needs memory
/// shared by all who open the database, which such file systems do not give.
bool isNetworkFileSystem(std::uint64_t statfsMagic);

/// WAL where the file system allows it, else DELETE. Returns a warning for the user, "" if none.
Result<std::string> chooseJournalMode(Database& database);

}  // namespace parapet::store
