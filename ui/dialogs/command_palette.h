// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QLineEdit>
#include <QList>
#include <QListView>

#include "ui/models/palette_model.h"
#include "ui/style/controls.h"

namespace parapet::ui {

/// Every action of the window in one list: type a few letters, press Return. Closes when it loses
/// the focus.
class CommandPalette : public PopupDialog {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* parent);
  /// Shows the actions over the upper part of the parent.
  void open(const QList<QAction*>& actions);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& typed);
  void trigger(const QModelIndex& index);
  void moveBy(int rows);

  PaletteModel model_;
  QLineEdit* typed_;
  QListView* list_;
  QLabel* nothing_;
};

}  // namespace parapet::ui
