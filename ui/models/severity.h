// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>

#include "engine/experiment/problem.h"

namespace parapet::ui {

/// How bad something is; the greater, the worse.
enum class Severity {
  kNone,
  kWarning,  ///< a run can start
  kProblem,  ///< a run cannot start
};

/// The worst of some findings.
Severity severityOf(const experiment::Findings& findings);
/// "Problem" or "Warning", for readers who see no colour.
QString severityName(Severity severity);
/// Readable as text on the palette's base, light or dark.
QColor severityColor(const QPalette& palette, Severity severity);
/// A disc with a cross, or a triangle with a bar: the shapes differ, not the colours alone.
QIcon severityIcon(const QPalette& palette, Severity severity);
/// "/training/epochs: what was found; accepted: what is accepted"
QString problemText(const experiment::Problem& problem);
/// "what was found. Accepted: what is accepted"; one line a finding, problems first.
QString findingsText(const experiment::Findings& findings);

}  // namespace parapet::ui
