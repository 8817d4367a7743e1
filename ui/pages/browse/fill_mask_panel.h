// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include "ui/bridge/background.h"
#include "ui/controllers/model_cache.h"
#include "ui/models/filled_pieces_model.h"

class QLineEdit;
class QSpinBox;
class QToolButton;

namespace parapet::ui {

class ElidedLabel;
class FlowLayout;

/// Asks a masked language model: a text is typed, words of it are masked by clicking them, and the
/// most probable pieces for each mask are listed.
class FillMaskPanel : public QWidget {
  Q_OBJECT

 public:
  explicit FillMaskPanel(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /// Opens a checkpoint; what is typed is asked of it.
  void open(const ModelChoice& choice, const QString& runName);
  /// The text with [MASK] in place of the words that are masked.
  [[nodiscard]] QString prompt() const;
  [[nodiscard]] const FilledPiecesModel& pieces() const { return *model_; }
  /// What is told besides the list: which model answers, or why it does not.
  [[nodiscard]] QString caption() const;

 private:
  void showWords();
  void ask();

  workspace::Workspace& workspace_;
  std::shared_ptr<workspace::MaskedModel> opened_;
  QLineEdit* text_;
  QSpinBox* count_;
  QWidget* words_;
  FlowLayout* line_;
  QList<QToolButton*> buttons_;  ///< a word each
  FilledPiecesModel* model_;
  ElidedLabel* caption_;
  QString runName_;
  Background opening_, asking_;
};

}  // namespace parapet::ui
