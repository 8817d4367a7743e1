// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <QLabel>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "ui/models/document_schema.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// A widget and how it is kept equal to a value of the document.
struct FieldBinding {
  QWidget* widget = nullptr;
  /// Shows a value. What the user types at the moment is left alone if it means the same.
  std::function<void(const nlohmann::ordered_json&)> show;
  /// Words to choose from, which may change; empty for other widgets.
  std::function<void(const QStringList&)> offer{};
};

using ValueChanged = std::function<void(const nlohmann::json&)>;

/// The widget for a type of value: check box, combo box, or line for text, numbers and lists. Any
/// number can be typed, also one that is out of range: the document reports the finding.
/// ↑ and ↓ step integers.
FieldBinding bindField(const FieldInfo& info, const ValueChanged& changed, QWidget* parent);

/// A combo box for the name of another part of the document; `absent` is what null is called, ""
/// where null is not accepted.
FieldBinding bindName(const QString& absent, const ValueChanged& changed, QWidget* parent);

/// Leaves Ctrl+Z and Ctrl+Y to the undo history of the experiment instead of the widget's own.
void leaveUndoToPage(QWidget* widget);

/// A value of the document, and what it is called.
struct Choice {
  nlohmann::json value;
  QString name;
};

/// Makes the widget of a field; the field names it and gives it its tooltip.
using BindingMaker = std::function<FieldBinding(const ValueChanged&, QWidget* parent)>;

/// A combo box of values with names of their own, null among them where it is accepted. A value
/// that is not accepted is shown as it stands.
BindingMaker choiceOf(std::vector<Choice> choices);

/// A check box for each value that a list may have; the list keeps the order of the choices.
BindingMaker choicesOf(std::vector<Choice> choices);

/// A line for a number of bytes, or one for each of several devices: "2 GiB", "2 GiB, 512 MiB".
BindingMaker bytesField(const QString& placeholder);

class FieldOutline;

/// Icon and text of findings, for under a field. Hidden while there are none.
class FindingsLabel : public QWidget {
  Q_OBJECT

 public:
  explicit FindingsLabel(QWidget* parent = nullptr);
  void setFindings(const experiment::Findings& findings);
  [[nodiscard]] QString text() const { return text_->text(); }

 private:
  QLabel* icon_;
  QLabel* text_;
};

/// One field of the document: the widget that edits it and, below, its findings. It
/// follows the editor by itself and is there only while the document has the field.
class Field : public QWidget {
  Q_OBJECT

 public:
  /// Findings of what is being typed wait for a pause of this length.
  static constexpr int kTypingMs = 600;

  /// `make`: the widget, where the type of the field does not say which.
  Field(ExperimentEditor& editor, QString pointer, const QString& label, QWidget* parent = nullptr,
        const BindingMaker& make = {});

  [[nodiscard]] const QString& pointer() const { return pointer_; }
  [[nodiscard]] QWidget* editWidget() const { return binding_.widget; }
  [[nodiscard]] QString findingsText() const { return findings_->text(); }
  /// Beside the widget, such as "Browse…".
  void addBeside(QWidget* widget);
  [[nodiscard]] bool isInDocument() const;
  /// Whether the field differs from its default, or has a finding.
  [[nodiscard]] bool isNeeded(const nlohmann::ordered_json& differing) const;
  /// Outlines the widget alone: its findings are said elsewhere.
  void leaveFindings() { saysFindings_ = false; }
  /// Hides a field that the document has and that tells nothing of it.
  void setApplies(bool applies);
  /// Values that are entered here are set at these pointers, too.
  void setAlongside(QStringList pointers) { alongside_ = std::move(pointers); }
  /// Where nothing is entered here, null is set at these pointers, too.
  void setClearedAlongside(QStringList pointers) { clearedAlongside_ = std::move(pointers); }

 signals:
  /// The field is there now, or no longer: the document has it, and it applies.
  void presenceChanged(bool present);

 private:
  void follow();
  void followFindings();
  void showFindings();
  void followPresence();

  ExperimentEditor& editor_;
  QString pointer_;
  QStringList alongside_, clearedAlongside_;
  FieldBinding binding_;
  FindingsLabel* findings_;
  QHBoxLayout* line_;
  FieldOutline* outline_;
  bool present_ = true, applies_ = true, saysFindings_ = true;
  QTimer typing_;
};

}  // namespace parapet::ui
