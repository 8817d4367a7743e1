// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/why_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>

#include "ui/bridge/shown_text.h"
#include "ui/forms/elided_label.h"
#include "ui/models/recommendation_model.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/term_chart.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

WhyPanel::WhyPanel(BrowseSession& session, QWidget* parent) : QWidget(parent), session_(session) {
  terms_ = new ExplanationModel(this);
  nearest_ = new SimilarItemsModel(this);
  features_ = new FeatureSharesModel(this);
  nearestCaption_ = new ElidedLabel(this);
  sum_ = new ElidedLabel(this);
  auto* nearestTable = new ItemTable(nearest_, tr("Nearest items of the history"), this);
  nearestTable->setColumns(SimilarItemsModel::kTitle,
                           {{SimilarItemsModel::kRank, 2}, {SimilarItemsModel::kCosine, 6}});
  buildViews();
  auto* left = verticalBox(nullptr, 4);
  left->addWidget(nearestCaption_);
  left->addWidget(nearestTable, 1);
  auto* head = new QHBoxLayout;
  head->addWidget(sum_, 1);
  head->addWidget(byFeature_);
  head->addWidget(asTable_);
  auto* right = verticalBox(nullptr, 4);
  right->addLayout(head);
  right->addWidget(views_, 1);
  noTerms_ = new QLabel(this);
  noTerms_->setObjectName(QStringLiteral("noTerms"));
  noTerms_->setText(
      tr("This model reads user and item together, so its score is no dot product and has no "
         "terms. The tab Rank of an item compares this score with the others of the list; the "
         "items on the left are near by their embeddings."));
  noTerms_->setWordWrap(true);
  noTerms_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  noTerms_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  right->addWidget(noTerms_);
  auto* layout = horizontalBox(this, 16, {8, 8, 8, 8});
  layout->addLayout(left, 1);
  layout->addLayout(right, 1);
  clear();
}

void WhyPanel::buildViews() {
  chart_ = new TermChart(this);
  auto* featureTable = new ItemTable(features_, tr("Shares of the features"), this);
  featureTable->setColumns(FeatureSharesModel::kFeature, {{FeatureSharesModel::kValue, 14},
                                                          {FeatureSharesModel::kWithout, 9},
                                                          {FeatureSharesModel::kShare, 9}});
  auto* termTable = new ItemTable(terms_, tr("Terms of the score"), this);
  termTable->setColumns(ExplanationModel::kRunningSum,
                        {{ExplanationModel::kDimension, 9}, {ExplanationModel::kValue, 8}});
  views_ = new QStackedWidget(this);
  views_->addWidget(featureTable);
  views_->addWidget(chart_);
  views_->addWidget(termTable);
  const auto button = [this](const QString& text, const QString& name, const QString& tip) {
    auto* made = new QToolButton(this);
    made->setText(text);
    made->setCheckable(true);
    made->setAccessibleName(name);
    made->setToolTip(tip);
    connect(made, &QToolButton::toggled, this, &WhyPanel::showView);
    return made;
  };
  byFeature_ = button(tr("By feature"), tr("Split the score by feature"),
                      tr("What each feature of the query gives to the score; otherwise the terms "
                         "of the dot product by dimension"));
  asTable_ = button(tr("As table"), tr("Show the terms as a table"),
                    tr("The same terms as a table, to read, copy or export"));
  byFeature_->setChecked(true);
}

void WhyPanel::clear() {
  nearest_->setItems({});
  features_->setShares({});
  terms_->setTerms({});
  chart_->setTerms({});
  nearestCaption_->setText(tr("Select an item of a list to see why it is there"));
  sum_->setText(QString());
  noTerms_->hide();
  byFeature_->hide();
  showView();
}

QString WhyPanel::sum() const {
  return sum_->text();
}

/// Features where the model has several, terms where the score is a dot product.
void WhyPanel::showView() {
  const bool terms = terms_->rowCount() > 0, features = features_->rowCount() > 0;
  const bool byFeature = features && (byFeature_->isChecked() || !terms);
  byFeature_->setVisible(features && terms);
  asTable_->setVisible(!byFeature && (terms || !features));
  views_->setCurrentIndex(byFeature ? kByFeature : asTable_->isChecked() ? kAsTable : kByDimension);
}

void WhyPanel::showItem(int column, const QString& user, const QString& item,
                        const QString& title) {
  session_.explain(column, item, [this, user, title](Result<retrieval::Explanation> answer) {
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
  showScore(*answer);
  nearest_->setItems(std::move(answer->nearestHistory));
  terms_->setTerms(answer->terms);
  chart_->setTerms(terms_->terms());
  features_->setShares(std::move(answer->features));
  nearestCaption_->setText(
      tr("“%1” for user %2: nearest of the history").arg(shownText(title), shownText(user)));
  noTerms_->setVisible(terms_->rowCount() == 0);
  showView();
}

void WhyPanel::showScore(const retrieval::Explanation& why) {
  const QString score = scoreText(static_cast<double>(why.score));
  const QString rest = scoreText(static_cast<double>(why.withoutAll));
  const auto terms = static_cast<int>(why.terms.size());
  if (why.features.empty())
    sum_->setText(terms > 0 ? tr("Score %1 = sum of %2 terms").arg(score).arg(terms)
                            : tr("Score %1, the output of the model's layers").arg(score));
  else if (why.featuresAddUp)
    sum_->setText(tr("Score %1 = the shares of its features + %2 without any").arg(score, rest));
  else
    sum_->setText(
        tr("Score %1; layers mix the features, so their shares do not sum to it (%2 without any)")
            .arg(score, rest));
}

}  // namespace parapet::ui
