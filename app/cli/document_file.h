// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/result.h"

namespace parapet::cli {

/// The text of a document: a regular file, a pipe that something writes to, or /dev/stdin.
///
/// Errors   NotFound, Io; InvalidDocument if it is larger than 16 MiB, or if nothing arrives for
/// ten
///          seconds; Cancelled if the user stops the program meanwhile.
Result<std::string> readDocumentFile(const std::string& path);

}  // namespace parapet::cli
