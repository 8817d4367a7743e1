// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/experiment/experiment_page.h"
#include "ui/pages/frame/main_window.h"

namespace parapet::window {

/// Gives the window its pages, in their order, and the routes between them.
void addPages(ui::MainWindow& window, ui::Workbench& bench);

/// Gives the page Experiment its steps: "data", "tables", "model", "training", "mesh".
void addSteps(ui::ExperimentPage& experiment, ui::Workbench& bench);

}  // namespace parapet::window
