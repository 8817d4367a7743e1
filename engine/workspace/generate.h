// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/generate/generate.h"

/// Data sets with a known truth, made to order.
namespace parapet::workspace {

using data::generate;
using data::GeneratedFormat;
using data::GenerateReport;
using data::GenerateTarget;

}  // namespace parapet::workspace
