// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QCheckBox>
#include <QHash>
#include <QLabel>
#include <QPalette>
#include <QPlainTextEdit>
#include <QSyntaxHighlighter>
#include <QTimer>
#include <QWidget>
#include <utility>
#include <vector>

#include "ui/models/experiment_editor.h"
#include "ui/models/problems_model.h"

namespace parapet::ui {

class JsonHighlighter;

/// The live JSON of the document, with line numbers and a mark at every line that has a finding.
///
/// What is typed reaches the editor after a short pause and stays as it was typed; the canonical
/// form comes when the focus leaves. A change from elsewhere replaces only the differing part, so
/// the cursor stays where it was.
class JsonView : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit JsonView(ExperimentEditor& editor, QWidget* parent = nullptr);

  /// Whether settings at their default stand in the text; what is typed means the same either way.
  void setShowsDefaults(bool shows);
  /// Marks the lines of these pointers beside the line numbers.
  void markParts(const QStringList& pointers);
  /// Lines with such a mark, from 1.
  [[nodiscard]] bool isMarkedPart(int line) const;
  /// Puts the cursor at the line of a pointer; the focus stays where it is.
  void showPointer(const QString& pointer);
  /// Hands over what was typed, if anything, without waiting for the pause.
  void commit();
  /// Lines with findings, from 1.
  [[nodiscard]] const QHash<int, Severity>& marks() const { return marks_; }

  [[nodiscard]] int gutterWidth() const;
  void paintGutter(QPaintEvent* event);

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void follow();
  void followFindings();
  void replaceText(const QString& text);
  [[nodiscard]] QString shownText() const;
  void findParts();

  ExperimentEditor& editor_;
  QWidget* gutter_;
  JsonHighlighter* highlighter_ = nullptr;
  QTimer pause_;
  QHash<QString, int> lines_;
  QHash<int, Severity> marks_;
  QString given_;  ///< the text as the editor has it
  QStringList partPointers_;
  std::vector<std::pair<int, int>> parts_;  ///< first and last line
  bool committing_ = false, replacing_ = false, showsDefaults_ = false, typed_ = false;
};

/// The document as text beside any step. It marks the part that the step edits, leaves out what
/// stands at its default unless it is asked for, and keeps text that is no JSON until it is
/// discarded.
class JsonDrawer : public QWidget {
  Q_OBJECT

 public:
  explicit JsonDrawer(ExperimentEditor& editor, QWidget* parent = nullptr);

  [[nodiscard]] JsonView& view() const { return *view_; }
  [[nodiscard]] QCheckBox& showsDefaults() const { return *defaults_; }
  /// Marks and shows the parts of a step.
  void followStep(const QStringList& prefixes);

 signals:
  void closeRequested();

 private:
  void followFindings();

  ExperimentEditor& editor_;
  JsonView* view_;
  QCheckBox* defaults_;
  QWidget* draftBar_;
  QLabel* draftText_;
};

}  // namespace parapet::ui
