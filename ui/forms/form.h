// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <QWidget>
#include <functional>
#include <vector>

#include "ui/forms/field.h"

namespace parapet::ui {

/// Labels and fields in two columns; where these have no room beside each other, labels stand above
/// their fields. Labels hide with their fields.
class Form : public QWidget {
  Q_OBJECT

 public:
  explicit Form(ExperimentEditor& editor, QWidget* parent = nullptr);

  /// A title over the fields that follow.
  /// `help`: what the sign beside it opens (card.h); "": no sign.
  QLabel* addHeading(const QString& text, const QString& help = {});
  Field* addField(const QString& pointer, const QString& label, const BindingMaker& make = {});
  /// Anything else, beside a label ("" for none).
  QLabel* addRow(const QString& label, QWidget* widget);
  /// A field that most need to know nothing of: it is there once "More" is pressed, or when it is
  /// not as it is by default or something is wrong with it.
  Field* addFolded(const QString& pointer, const QString& label, const BindingMaker& make = {});
  /// A row or a note that goes with such fields; `needed` says when it is there without a press.
  void addFolded(QWidget* name, QWidget* widget, std::function<bool()> needed = {});
  /// Whether "More" was pressed.
  [[nodiscard]] bool isUnfolded() const;
  void setUnfolded(bool unfolded);
  /// A sentence in quiet letters, under the fields.
  QLabel* addNote(const QString& text);
  /// Over the full width.
  void addWide(QWidget* widget);
  /// Findings of a pointer that has no field of its own (a list, a group).
  void addFindings(const QString& pointer);

  /// The fields of this form.
  [[nodiscard]] const std::vector<Field*>& fields() const { return fields_; }
  /// Puts the focus where `pointer` is edited; false if it is not here.
  bool reveal(const QString& pointer);
  /// The width of one column suffices.
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  struct Folded {
    Field* field = nullptr;  ///< else:
    std::vector<QWidget*> widgets{};
    std::function<bool()> needed{};
  };
  void followFolded();
  QToolButton& moreButton();
  /// A label, or none, and what stands beside or below it.
  struct Pair {
    QLabel* name;
    QWidget* widget;
    int row;  ///< of the grid; the next one is free for a widget below its label
  };
  void addPair(QLabel* name, QWidget* widget);
  void place(const Pair& pair);
  void fold(bool narrow);
  ExperimentEditor& editor_;
  QGridLayout* grid_;
  int row_ = 0;
  bool narrow_ = false;
  std::vector<Pair> pairs_;
  std::vector<Field*> fields_;
  std::vector<Folded> folded_;
  QToolButton* more_ = nullptr;
};

/// All settings of an object of the document, such as an optimizer, a layer or a loss. Fields come
/// from the schema; those that belong to another "kind" are hidden. Objects inside stand under a
/// heading of their own, lists of objects are left to tables.
class SettingsForm : public QWidget {
  Q_OBJECT

 public:
  /// `absentLabel`: what null is called, where null is accepted ("experiment's").
  SettingsForm(ExperimentEditor& editor, const QString& pointer, const QString& absentLabel = {},
               QWidget* parent = nullptr);
  bool reveal(const QString& pointer);
  /// Changes here are made in these objects, too: those of other tables with the same
  /// optimizer.
  void setAlongside(const QStringList& objects);
  [[nodiscard]] Form& form() { return *form_; }

 private:
  void addKindOrNull(const QString& absentLabel);
  /// A check for an object without kinds: not there, or there with its defaults.
  void addPresence();
  /// A check beside a number that may also be {"initial", "trainable"}.
  void addTrainable(const QString& key);
  void addPart(const QString& key);
  void chooseKind(const QString& absentLabel, const QString& kind);

  /// One step for the object and those alongside. `pointer` is that of the object or lies below it.
  void set(const QString& pointer, const nlohmann::json& value, const QString& what);
  /// Pointers to the same member of each object alongside.
  [[nodiscard]] QStringList alongside(const QString& pointer) const;

  ExperimentEditor& editor_;
  QString pointer_;
  QStringList alongside_;
  Form* form_;
  std::vector<SettingsForm*> parts_;
};

}  // namespace parapet::ui
