// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace parapet::ui {

// How far work is, in the same words wherever it is told.

/// What is being done, as a person says it: "Importing" of "reading".
QString stageText(const QString& stage);
/// "Importing … 42 %"; "Indexing …" while it is not known how much there is to do (`total` 0).
QString progressText(const QString& stage, qint64 done, qint64 total);

}  // namespace parapet::ui
