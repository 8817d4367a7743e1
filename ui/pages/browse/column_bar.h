// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/pages/browse/model_picker.h"

class QLabel;
class QPushButton;

namespace parapet::ui {

class ContextControl;

/// What the current column asks: the value of each context that its model reads, and a model of its
/// own.
class ColumnBar : public QWidget {
  Q_OBJECT

 public:
  explicit ColumnBar(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /// "Column 2 of 3".
  void setTitle(const QString& text);
  /// The controls for contexts that take these values.
  void setDomains(const std::vector<retrieval::ContextDomain>& domains);
  /// What the list of the column answers, in the order of the contexts.
  void setContext(const std::vector<retrieval::ContextValue>& context);
  [[nodiscard]] const std::vector<ContextControl*>& controls() const { return controls_; }
  [[nodiscard]] ModelPicker& model() { return *model_; }
  /// The first column has the model of the page.
  void setIsFirst(bool first);
  void setCanDuplicate(bool can);
  /// Steps the active context; false if there is none.
  bool step(int by);

 signals:
  /// nullopt: as in the last row.
  void contextChosen(const QString& name, const std::optional<QString>& value);
  void duplicateRequested();

 private:
  void setActive(int index);

  QLabel* title_;
  ModelPicker* model_;
  QPushButton* duplicate_;
  std::vector<ContextControl*> controls_;
  std::vector<QString> names_;  ///< of the controls, with what tells their values apart
  int active_ = 0;
};

}  // namespace parapet::ui
