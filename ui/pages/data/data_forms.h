// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/controllers/source_watch.h"
#include "ui/forms/form.h"

namespace parapet::ui {

// Fields of /dataset, for every page that edits them.

/// Kind of source and path; what can choose the path goes beside the field that is returned.
Field* addSourceFields(Form& form);
/// Adds settings of generated sources and of the format of text.
void addSourceSettings(Form& form);
void addLabelFields(Form& form);
/// The kind of split and the settings that the kind has.
void addSplitFields(Form& form, ExperimentEditor& editor, SourceWatch& watch);

}  // namespace parapet::ui
