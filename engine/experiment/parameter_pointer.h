// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// JSON pointer of what a parameter of a model belongs to: "/tables/0" for "tables/user",
/// "/model/query/0" for "dense/query_0_kernel", "/loss/temperature" for that of the loss; "" if
/// the document has nothing of that name.
std::string parameterPointer(const Experiment& experiment, std::string_view parameter);

}  // namespace parapet::experiment
