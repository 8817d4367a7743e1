// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controllers/browse_session.h"

namespace parapet::ui {

/// What a column asks of a model: values of contexts that it does not read are left out, and somebody
/// whom nobody knows is asked in the context that is usual.
retrieval::Query queryOf(const ColumnQuery& column, const retrieval::Recommender& model);

}  // namespace parapet::ui
