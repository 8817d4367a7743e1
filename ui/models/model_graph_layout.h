// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/model_graph.h"

namespace parapet::ui {

/// Puts features that the same layers read into one box each, where there are too many to draw.
void groupFeatures(ModelGraph& graph);

/// Gives boxes their column and row: a box stands right after all that it reads, near the middle of
/// it.
void layOut(ModelGraph& graph);

}  // namespace parapet::ui
