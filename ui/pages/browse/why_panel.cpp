// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/why_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/pages/browse/elided_label.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/term_chart.h"

namespace parapet::ui {

WhyPanel::WhyPanel(BrowseSession& session, QWidget* parent) : QWidget(parent), session_(session) {
  terms_ = new ExplanationModel(this);
  nearest_ = new SimilarItemsModel(this);
  nearestCaption_ = new ElidedLabel(this);
  sum_ = new ElidedLabel(this);
  chart_ = new TermChart(this);
  auto* nearestTable = new ItemTable(nearest_, tr("Nearest items of the history"), this);
  nearestTable->setColumns(SimilarItemsModel::kTitle,
                           {{SimilarItemsModel::kRank, 2}, {SimilarItemsModel::kCosine, 6}});
  auto* termTable = new ItemTable(terms_, tr("Terms of the score"), this);
  termTable->setColumns(ExplanationModel::kRunningSum,
                        {{ExplanationModel::kDimension, 9}, {ExplanationModel::kValue, 8}});
  chartOrTable_ = new QStackedWidget(this);
  chartOrTable_->addWidget(chart_);
  chartOrTable_->addWidget(termTable);
  auto* asTable = asTable_ = new QToolButton(this);
  asTable->setText(tr("As table"));
  asTable->setCheckable(true);
  asTable->setAccessibleName(tr("Show the terms as a table"));
  asTable->setToolTip(tr("The same terms as a table, to read, copy or export"));
  connect(asTable, &QToolButton::toggled, chartOrTable_,
          [this](bool table) { chartOrTable_->setCurrentIndex(table ? 1 : 0); });
  auto* left = new QVBoxLayout;
  left->setSpacing(4);
  left->addWidget(nearestCaption_);
  left->addWidget(nearestTable, 1);
  auto* head = new QHBoxLayout;
  head->addWidget(sum_, 1);
  head->addWidget(asTable);
  auto* right = new QVBoxLayout;
  right->setSpacing(4);
  right->addLayout(head);
  right->addWidget(chartOrTable_, 1);
  noTerms_ = new QLabel(this);
  noTerms_->setObjectName(QStringLiteral("noTerms"));
  noTerms_->setText(tr(
      "This model reads user and item together, so its score is no dot product and has no terms. "
      "The tab Rank of an item compares this score with the others of the list; the items on the "
      "left are near by their embeddings."));
  noTerms_->setWordWrap(true);
  noTerms_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  noTerms_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  right->addWidget(noTerms_, 1);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(16);
  layout->addLayout(left, 1);
  layout->addLayout(right, 1);
  clear();
}

void WhyPanel::clear() {
  nearest_->setItems({});
  terms_->setTerms({});
  chart_->setTerms({});
  nearestCaption_->setText(tr("Select an item of a list to see why it is there"));
  sum_->setText(QString());
  showTerms(true);
}

/// The right half is for scores that are a dot product; others have no terms to show.
void WhyPanel::showTerms(bool shown) {
  chartOrTable_->setVisible(shown);
  asTable_->setVisible(shown);
  noTerms_->setVisible(!shown);
}

void WhyPanel::showItem(const QString& user, const QString& item, const QString& title) {
  session_.explain(user, item, [this, user, title](Result<retrieval::Explanation> answer) {
    show(user, title, std::move(answer));
  });
}

void WhyPanel::show(const QString& user, const QString& title,
                    Result<retrieval::Explanation> answer) {
  if (!answer.ok()) {
    clear();
    nearestCaption_->setText(shownText(answer.error().text()));
    return;
  }
  nearest_->setItems(std::move(answer->nearestHistory));
  terms_->setTerms(answer->terms);
  chart_->setTerms(terms_->terms());
  nearestCaption_->setText(tr("“%1” for user %2: nearest of the training history")
                               .arg(shownText(title), shownText(user)));
  const bool product = terms_->rowCount() > 0;
  const QString score = scoreText(static_cast<double>(answer->score));
  sum_->setText(product ? tr("Score %1 = sum of %2 terms").arg(score).arg(terms_->rowCount())
                        : tr("Score %1, the output of the model's layers").arg(score));
  showTerms(product);
}

}  // namespace parapet::ui
