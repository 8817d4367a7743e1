// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/step_bar.h"

#include <QPainter>

#include "ui/style/theme.h"

namespace parapet::ui {

StepBar::StepBar(QWidget* parent) : QTabBar(parent) {
  setDrawBase(false);
  setExpanding(false);
  setUsesScrollButtons(false);
  setElideMode(Qt::ElideNone);
  setAccessibleName(tr("Steps of the experiment"));
}

void StepBar::addStep(const QString& title) {
  titles_ << QString(title).replace('&', QStringLiteral("&&"));
  addTab(titles_.back());
}

void StepBar::setFindings(int step, const experiment::Findings& findings) {
  const QString& title = titles_[step];
  const std::size_t count = findings.problems.size() + findings.warnings.size();
  setTabText(step, count == 0 ? title : tr("%1 (%2)").arg(title).arg(count));
  setTabIcon(step, severityIcon(palette(), severityOf(findings)));
  setTabToolTip(step, findingsText(findings));
}

void StepBar::paintEvent(QPaintEvent* event) {
  QTabBar::paintEvent(event);
  QPainter painter(this);
  painter.setPen(quietColor(palette()));
  for (int step = 0; step + 1 < count(); ++step) {
    const QRect tab = tabRect(step);
    painter.drawText(QRect(tab.right() - 8, tab.top(), 16, tab.height()), Qt::AlignCenter,
                     QStringLiteral("›"));
  }
}

}  // namespace parapet::ui
