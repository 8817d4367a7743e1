// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/section.h"

#include <QHBoxLayout>
#include <QPushButton>
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

SettingsForm* Section::addSettings(const QString& title, const QString& pointer) {
  auto* settings = new SettingsForm(editor_, pointer, {}, widget());
  addGroup(title, {settings});
  settings_.push_back(settings);
  return settings;
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

void Section::addPageLink(const QString& text, const QString& page) {
  auto* line = new QWidget(widget());
  auto* layout = new QHBoxLayout(line);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* button = new QPushButton(text, line);
  button->setAccessibleName(text);
  button->setObjectName(QStringLiteral("openPage.") + page);
  button->setToolTip(tr("Opens the page with the same settings and their effects"));
  connect(button, &QPushButton::clicked, this, [this, page] { emit pageRequested(page); });
  layout->addWidget(button);
  layout->addStretch(1);
  addWidget(line);
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
  if (std::ranges::any_of(tables_, reveals) || std::ranges::any_of(forms_, reveals) ||
      std::ranges::any_of(settings_, reveals)) {
    if (QWidget* focus = widget()->focusWidget()) ensureWidgetVisible(focus, 16, 64);
    return;
  }
  setFocus(Qt::OtherFocusReason);
}

}  // namespace parapet::ui
