// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/record/problem.h"

namespace parapet::record {
class Location;
}

namespace parapet::experiment {

// Findings of an experiment are those of any document.
using record::Findings;
using record::Location;
using record::Problem;

}  // namespace parapet::experiment
