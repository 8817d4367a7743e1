// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTimer>

#include "ui/controllers/source_watch.h"
#include "ui/forms/form.h"
#include "ui/style/controls.h"

namespace parapet::ui {

/// The filter, what is wrong with it (with a caret under the position), and how many rows pass.
class FilterPanel : public QWidget {
  Q_OBJECT

 public:
  FilterPanel(ExperimentEditor& editor, SourceWatch& watch, QWidget* parent = nullptr);

  [[nodiscard]] QString countText() const { return count_->text(); }
  /// "" if nothing is wrong.
  [[nodiscard]] QString fault() const { return fault_->isHidden() ? QString() : fault_->text(); }
  bool reveal(const QString& pointer) { return form_->reveal(pointer); }

 private:
  void follow();
  void showFault();

  ExperimentEditor& editor_;
  SourceWatch& watch_;
  Form* form_;
  QWidget* line_;
  QLabel* fault_;
  QLabel* count_;
  ThinProgressBar* share_;
  std::optional<Error> wrong_;  ///< the fault of the filter, said once nobody types
  QTimer typing_;
};

}  // namespace parapet::ui
