// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Why an import would end before it reads a row, though the document names its data: files of the
/// parts that are not there, and for texts a vocabulary of pieces that cannot be read. Each at the
/// pointer of its setting.
std::vector<Error> missingFiles(const experiment::Dataset& spec);

}  // namespace parapet::data
