// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/parapet/parts.h"
#include "ui/pages/experiment/experiment_page.h"
#include "ui/pages/frame/main_window.h"

namespace parapet::window {

/// Writes the page Train of the newest finished run to a PNG of 1600 × 1000 pixels; trains the
/// recipe `sample` first if there is none.
///
/// Errors   kIo if the picture cannot be written, kInternal if the run did not finish.
Status writeDashboard(Parts& parts, const QString& file);

/// Gives the window its pages, in their order, and the routes between them.
void addPages(ui::MainWindow& window, ui::Workbench& bench);

/// Gives the page Experiment its steps: "data", "tables", "model", "training", "mesh".
void addSteps(ui::ExperimentPage& experiment, ui::Workbench& bench);

}  // namespace parapet::window
