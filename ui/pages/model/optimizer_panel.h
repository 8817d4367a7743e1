// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <vector>

#include "ui/forms/card.h"
#include "ui/forms/settings_form.h"

namespace parapet::ui {

/// The optimizers of the model, a block for each: that of the experiment, with all that it updates,
/// and those that tables have of their own.
class OptimizerPanel : public QWidget {
  Q_OBJECT

 public:
  explicit OptimizerPanel(ExperimentEditor& editor, QWidget* parent = nullptr);

  /// Gives a table an optimizer of its own, with the settings of the experiment's: one undo step.
  void addGroup(int table);
  bool reveal(const QString& pointer);
  /// Titles of the blocks, from above.
  [[nodiscard]] QStringList titles() const;
  [[nodiscard]] QPushButton& addButton() const { return *add_; }

 private:
  struct Block {
    QString pointer;
    QLabel* title;
    QLabel* explanation;
    SettingsForm* form;
    QWidget* widget;
  };
  /// Of "/optimizer", or of "/tables/3/optimizer".
  void addBlock(const QString& pointer);
  void offerTables();
  void follow();
  [[nodiscard]] QString titleOf(const QString& pointer) const;

  ExperimentEditor& editor_;
  std::vector<Block> blocks_;
  QVBoxLayout* column_;
  QPushButton* add_;
  QMenu* tables_;
};

}  // namespace parapet::ui
