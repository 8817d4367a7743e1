// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>

namespace parapet::ui {

/// Layouts that most widgets begin with: no margins unless they are given, and the spacing of the
/// style unless another one is.
inline QVBoxLayout* verticalBox(QWidget* parent = nullptr, int spacing = -1,
                                const QMargins& margins = {}) {
  auto* layout = new QVBoxLayout(parent);
  layout->setContentsMargins(margins);
  layout->setSpacing(spacing);
  return layout;
}
inline QHBoxLayout* horizontalBox(QWidget* parent = nullptr, int spacing = -1,
                                  const QMargins& margins = {}) {
  auto* layout = new QHBoxLayout(parent);
  layout->setContentsMargins(margins);
  layout->setSpacing(spacing);
  return layout;
}

}  // namespace parapet::ui
