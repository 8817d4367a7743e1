// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace parapet::ui {

/// A word of the document as a person reads it: "in_batch_softmax" to "In-batch softmax", "mse" to
/// "Mean squared error". What is no word of the schema stays as it is.
QString valueName(const QString& word);

}  // namespace parapet::ui
