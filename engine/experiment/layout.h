// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/record/location.h"
#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"

namespace parapet::experiment {

/// Whether a name fits a pattern, in which * matches any text and ? one character.
bool matches(std::string_view pattern, std::string_view name);

/// Names of all parameters of a model, as patterns meet them: of tables, then of layers.
std::vector<std::string> parameterNames(const Experiment& experiment);

/// The tables with what the layout says put into placement and axes. A pattern of the layout is one
/// of parameter names ("tables/user"); its value names the axis of the mesh that splits rows and
/// the one that splits columns, "" for none.
///
///   ["model", ""]   row_block over the axis      ["", "model"]   column over the axis
///   ["", ""]        replicated
///
/// Notes an axis that the mesh lacks, a table split both ways, a table that two patterns match or
/// that has a placement of its own, a pattern that shards dense parameters; warns of a pattern
/// without a match. A table that a wrong pattern matches stays unchanged.
std::vector<Table> withLayout(const Experiment& experiment, const Location& root);
std::vector<Table> withLayout(const Experiment& experiment);

/// JSON pointer of what a parameter of a model belongs to: "/tables/0" for "tables/user",
/// "/model/query/0" for "dense/query_0_kernel", "/loss/temperature" for that of the loss; "" if
/// the document has nothing of that name.
std::string parameterPointer(const Experiment& experiment, std::string_view parameter);

}  // namespace parapet::experiment
