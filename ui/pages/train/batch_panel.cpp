// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/batch_panel.h"

#include <QHeaderView>

#include "ui/forms/info_sign.h"
#include "ui/forms/report_view.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

BatchPanel::BatchPanel(QWidget* parent) : QScrollArea(parent) {
  auto* inside = new QWidget;
  auto* column = verticalBox(inside, 4, {0, 0, 8, 0});
  setWidget(inside);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("This batch"));
  sentence_ = new QLabel(inside);
  sentence_->setObjectName(QStringLiteral("batchSentence"));
  sentence_->setAccessibleName(tr("Step and loss of the batch"));
  sentence_->setTextFormat(Qt::PlainText);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  QFont bold = sentence_->font();
  bold.setBold(true);
  sentence_->setFont(bold);
  column->addWidget(sentence_);
  losses_ = addPart(tr("Loss terms"), tr("Value of each loss over this batch, and its share"),
                    tables_.losses(), 6);
  parameters_ = addPart(tr("Norms of parameters"),
                        tr("Rows of the batch before the step, their gradients before clipping and "
                           "decay, and what the optimizer added; all as L2 norms"),
                        tables_.parameters(), 12);
  features_ =
      addPart(tr("Ids of the features"),
              tr("Ids of the batch; equal ones are merged before rows are read and updated"),
              tables_.features(), 8);
  routes_ =
      addPart(tr("Ids by shard and peer"),
              tr("What each rank requests of each shard, before and after merging duplicates"),
              tables_.routes(), 8);
  examples_ = addPart(tr("Examples"), tr("The first examples of the batch, by the ids of the data"),
                      tables_.examples(), 50);
  column->addStretch();
}

BatchPanel::Part BatchPanel::addPart(const QString& title, const QString& tip,
                                     QAbstractItemModel& model, int maxRows) {
  auto* label = new QLabel(title, widget());
  label->setToolTip(tip);
  auto* view = makeReportView(model, title, widget());
  view->setToolTip(tip);
  view->verticalHeader()->setDefaultSectionSize(24);
  view->horizontalHeader()->setStretchLastSection(true);
  view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  label->setObjectName(QStringLiteral("sectionTitle"));
  QWidget* heading = titleWithSign(label, QStringLiteral("docs/window.md#train"));
  heading->hide();
  widget()->layout()->addWidget(heading);
  widget()->layout()->addWidget(view);
  return {heading, view, maxRows};
}

void BatchPanel::fit(const Part& part) {
  part.view->resizeColumnsToContents();
  fitRows(*part.view, part.maxRows);
  part.title->setVisible(part.view->model()->rowCount() > 0);
}

void BatchPanel::show(const experiment::BatchReport& report) {
  examples_.view->setModel(nullptr);
  tables_.setReport(report);
  examples_.view->setModel(&tables_.examples());
  sentence_->setText(tables_.sentence());
  for (const Part* part : {&losses_, &parameters_, &features_, &routes_, &examples_}) fit(*part);
}

}  // namespace parapet::ui
