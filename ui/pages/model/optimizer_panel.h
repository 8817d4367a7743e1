// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QVBoxLayout>
#include <vector>

#include "ui/forms/card.h"
#include "ui/forms/form.h"
#include "ui/models/experiment_editor.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_table_model.h"

namespace parapet::ui {

/// The learning rate of every optimizer over the steps of the run, drawn and as a table.
class RatePanel : public QWidget {
  Q_OBJECT

 public:
  explicit RatePanel(ExperimentEditor& editor, QWidget* parent = nullptr);
  [[nodiscard]] CurvePlot& plot() const { return *plot_; }
  [[nodiscard]] CurveTableModel& table() { return table_; }
  /// The steps that are shown.
  [[nodiscard]] QString span() const { return span_->text(); }

 private:
  void follow();

  ExperimentEditor& editor_;
  CurveTableModel table_;
  CurvePlot* plot_;
  QTabBar* tabs_;
  QStackedWidget* stack_;
  QLabel* span_;
  QTimer pause_;
};

/// The optimizers of the model, a block for each: that of the experiment, with all that it updates,
/// and those that tables have of their own. Tables whose optimizers are equal share a block, which
/// changes all of them.
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
  /// Tables with the same optimizer of their own, by their position in the document.
  using Group = std::vector<int>;
  struct Block {
    QString pointer;  ///< "/optimizer", or "/tables/3/optimizer" of the first table of a group
    QLabel* title;
    QLabel* explanation;
    SettingsForm* form;
    QWidget* widget;
    Group tables{};  ///< that it changes; none: those without an optimizer of their own
  };
  void addBlock(const QString& pointer);
  /// A block that somebody works in keeps its tables and takes no others: a number that is being
  /// typed may equal that of another table for a moment.
  [[nodiscard]] std::vector<Group> groups() const;
  void offerTables();
  void follow();
  void nameRest(Block& block) const;
  void nameGroup(Block& block) const;

  ExperimentEditor& editor_;
  std::vector<Block> blocks_;
  QVBoxLayout* column_;
  QPushButton* add_;
  QMenu* tables_;
};

}  // namespace parapet::ui
