// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <algorithm>

#include "ui/pages/page.h"

namespace parapet::ui {

/// A step of the experiment: it edits a part of the document, and the page Experiment hosts it.
class StepPage : public Page {
  Q_OBJECT

 public:
  using Page::Page;
  /// Pointers that are edited here, with all that lies below them.
  [[nodiscard]] virtual QStringList prefixes() const = 0;
  /// Puts the focus where a field is edited, as near as there is a widget for it; false if it is
  /// not here.
  virtual bool reveal(const QString& pointer) = 0;

 signals:
  /// A field that is edited elsewhere.
  void pointerChosen(const QString& pointer);
};

}  // namespace parapet::ui
