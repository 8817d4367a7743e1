// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/column_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/bridge/shown_text.h"
#include "ui/forms/flow_layout.h"
#include "ui/pages/browse/context_control.h"
#include "ui/style/usable.h"

namespace parapet::ui {
namespace {

constexpr int kModelWidth = 240;

}  // namespace

ColumnBar::ColumnBar(workspace::Workspace& workspace, QWidget* parent) : QWidget(parent) {
  title_ = new QLabel(this);
  title_->setTextFormat(Qt::PlainText);
  title_->setAccessibleName(tr("Current column"));
  duplicate_ = new QPushButton(tr("Duplicate"), this);
  duplicate_->setObjectName(QStringLiteral("duplicateColumn"));
  duplicate_->setAccessibleName(tr("Duplicate the column"));
  duplicate_->setToolTip(
      tr("The same list beside it, to give it another context or model (Ctrl+D)"));
  model_ = new ModelPicker(workspace, tr("Model of the column"), tr("As the first column"), this);
  model_->setFixedWidth(kModelWidth);
  auto* layout = new FlowLayout(this, 12, 4);
  layout->addWidget(title_);
  layout->addWidget(duplicate_);
  layout->addWidget(model_);
  connect(duplicate_, &QPushButton::clicked, this, &ColumnBar::duplicateRequested);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void ColumnBar::setTitle(const QString& text) {
  title_->setText(text);
}

void ColumnBar::setDomains(const std::vector<retrieval::ContextDomain>& domains) {
  std::vector<QString> names;
  for (const retrieval::ContextDomain& domain : domains)
    names.push_back(QStringLiteral("%1|%2|%3|%4")
                        .arg(QString::fromStdString(domain.name))
                        .arg(domain.distinct)
                        .arg(domain.min)
                        .arg(domain.max));
  if (names == names_) return;
  names_ = std::move(names);
  for (ContextControl* control : controls_) {
    control->hide();
    control->deleteLater();
  }
  controls_.clear();
  for (const retrieval::ContextDomain& domain : domains) {
    auto* control = new ContextControl(domain, this);
    const int index = static_cast<int>(controls_.size());
    connect(control, &ContextControl::chosen, this,
            [this, control, index](const std::optional<QString>& value) {
              setActive(index);
              emit contextChosen(control->name(), value);
            });
    connect(control, &ContextControl::entered, this, [this, index] { setActive(index); });
    layout()->addWidget(control);
    control->show();
    controls_.push_back(control);
  }
  setActive(0);
  updateGeometry();
}

void ColumnBar::setContext(const std::vector<retrieval::ContextValue>& context) {
  for (ContextControl* control : controls_) {
    const std::string name = control->domain().name;
    const auto value = std::ranges::find(context, name, &retrieval::ContextValue::name);
    if (value != context.end())
      control->setValue(QString::fromStdString(value->value), value->given);
  }
}

void ColumnBar::setIsFirst(bool first) {
  model_->setVisible(!first);
}

void ColumnBar::setCanDuplicate(bool can) {
  setUsable(*duplicate_, can, tr("No more columns fit; remove one first"));
}

void ColumnBar::setActive(int index) {
  active_ = index;
  for (std::size_t i = 0; i < controls_.size(); ++i)
    controls_[i]->setActive(static_cast<int>(i) == index && controls_.size() > 1);
}

bool ColumnBar::step(int by) {
  if (controls_.empty()) return false;
  controls_[static_cast<std::size_t>(
                std::min<int>(active_, static_cast<int>(controls_.size()) - 1))]
      ->step(by);
  return true;
}

}  // namespace parapet::ui
