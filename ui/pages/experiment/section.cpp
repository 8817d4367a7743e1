// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/section.h"

#include <algorithm>

namespace parapet::ui {

Section::Section(ExperimentEditor& editor, QString title, QStringList prefixes, QWidget* parent)
    : QScrollArea(parent),
      editor_(editor),
      title_(std::move(title)),
      prefixes_(std::move(prefixes)) {
  auto* content = new QWidget(this);
  column_ = new QVBoxLayout(content);
  column_->setContentsMargins(16, 16, 16, 16);
  column_->setSpacing(24);
  column_->addStretch(1);
  setWidget(content);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(QString(title_).replace("&&", "&"));
}

Form* Section::addForm() {
  auto* form = new Form(editor_, widget());
  addWidget(form);
  forms_.push_back(form);
  return form;
}

DocumentTable* Section::addTable(DocumentRowsModel* model, const QString& title,
                                 const QString& emptyText) {
  auto* table = new DocumentTable(model, title, emptyText, widget());
  addWidget(table);
  tables_.push_back(table);
  return table;
}

QWidget* Section::addGroup(const QString& title, std::initializer_list<QWidget*> widgets) {
  auto* group = new QWidget(widget());
  auto* column = new QVBoxLayout(group);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* heading = new QLabel(title, group);
  QFont bold = heading->font();
  bold.setBold(true);
  heading->setFont(bold);
  column->addWidget(heading);
  for (QWidget* each : widgets) column->addWidget(each);
  addWidget(group);
  return group;
}

bool Section::owns(const QString& pointer) const {
  return std::ranges::any_of(prefixes_, [&pointer](const QString& prefix) {
    return pointer == prefix || pointer.startsWith(prefix + '/');
  });
}

experiment::Findings Section::findings() const {
  experiment::Findings found;
  for (const QString& prefix : prefixes_) found.append(editor_.findingsAt(prefix));
  return found;
}

void Section::reveal(const QString& pointer) {
  const auto reveals = [&pointer](auto* part) { return part->reveal(pointer); };
  if (std::ranges::any_of(tables_, reveals) || std::ranges::any_of(forms_, reveals)) {
    if (QWidget* focus = widget()->focusWidget()) ensureWidgetVisible(focus, 16, 64);
    return;
  }
  setFocus(Qt::OtherFocusReason);
}

}  // namespace parapet::ui
