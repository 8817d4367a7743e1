// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/forms/choice_fields.h"

namespace parapet::ui {

/// A line for a number of bytes, or one for each of several devices: "2 GiB", "2 GiB, 512 MiB".
BindingMaker bytesField(const QString& placeholder);

}  // namespace parapet::ui
