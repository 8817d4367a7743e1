// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <QVBoxLayout>
#include <initializer_list>
#include <vector>

#include "ui/forms/document_table.h"
#include "ui/forms/form.h"
#include "ui/forms/settings_form.h"

namespace parapet::ui {

/// One part of the experiment page: forms and tables under each other, scrolling.
class Section : public QScrollArea {
  Q_OBJECT

 public:
  /// `prefixes`: pointers that are edited here.
  Section(ExperimentEditor& editor, QString title, QStringList prefixes, QWidget* parent = nullptr);

  [[nodiscard]] const QString& title() const { return title_; }
  [[nodiscard]] bool owns(const QString& pointer) const;
  /// Worst finding of its fields, and how many.
  [[nodiscard]] experiment::Findings findings() const;
  /// Puts the focus where `pointer` is edited, as near as there is a widget for it.
  void reveal(const QString& pointer);

 signals:
  /// "tables", "model": the page that shows more.
  void pageRequested(const QString& name);

 protected:
  [[nodiscard]] ExperimentEditor& editor() const { return editor_; }
  Form* addForm();
  /// All settings of an object under a title ("" for none).
  SettingsForm* addSettings(const QString& title, const QString& pointer);
  DocumentTable* addTable(DocumentRowsModel* model, const QString& title, const QString& emptyText);
  /// Widgets close together under a title.
  QWidget* addGroup(const QString& title, std::initializer_list<QWidget*> widgets);
  /// A button that opens the page with more of the same.
  void addPageLink(const QString& text, const QString& page);
  void addWidget(QWidget* widget) { column_->insertWidget(column_->count() - 1, widget); }

 private:
  ExperimentEditor& editor_;
  QString title_;
  QStringList prefixes_;
  QVBoxLayout* column_;
  std::vector<Form*> forms_;
  std::vector<DocumentTable*> tables_;
  std::vector<SettingsForm*> settings_;
};

}  // namespace parapet::ui
