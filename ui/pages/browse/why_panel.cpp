// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/why_panel.h"

#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QStackedWidget>
#include <QToolButton>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/models/recommendation_model.h"
#include "ui/pages/browse/item_table.h"
#include "ui/plots/plot_theme.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr double kMinBar = 10.0, kMaxBar = 36.0;

}  // namespace

TermChart::TermChart(QWidget* parent) : QWidget(parent), SpokenDrawing(this) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("Terms of the score, largest first"));
}

void TermChart::setTerms(std::vector<ExplanationModel::Term> terms) {
  terms_ = std::move(terms);
  spokenChanged();
  update();
}

int TermChart::spokenParts() const {
  return static_cast<int>(terms_.size());
}

SpokenPart TermChart::spokenPart(int index) const {
  const ExplanationModel::Term& term = terms_.at(static_cast<std::size_t>(index));
  const QRectF plot = plotRect();
  const bool isDrawn = index < barsShown();
  return {
      tr("dimension %1").arg(term.dimension),
      tr("%1, with those before it %2")
          .arg(scoreText(static_cast<double>(term.value)), scoreText(term.runningSum)),
      isDrawn
          ? QRectF(plot.left() + index * barWidth(), plot.top(), barWidth(), plot.height()).toRect()
          : QRect()};
}

QString TermChart::spokenValue() const {
  if (terms_.empty()) return {};
  return tr("%1 terms; the largest is dimension %2 with %3; the sum is %4")
      .arg(terms_.size())
      .arg(terms_.front().dimension)
      .arg(scoreText(static_cast<double>(terms_.front().value)),
           scoreText(terms_.back().runningSum));
}

QRectF TermChart::plotRect() const {
  const double line = fontMetrics().height();
  return QRectF(rect()).adjusted(fontMetrics().horizontalAdvance(QStringLiteral("−0.0000")) + 8.0,
                                 line / 2.0 + 2.0, -4.0, -line - 4.0);
}

double TermChart::barWidth() const {
  if (terms_.empty()) return kMaxBar;
  return std::clamp(plotRect().width() / static_cast<double>(terms_.size()), kMinBar, kMaxBar);
}

int TermChart::barsShown() const {
  return std::min(static_cast<int>(terms_.size()),
                  std::max(0, static_cast<int>(plotRect().width() / barWidth())));
}

void TermChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const PlotColors colors = plotColors(palette());
  const QRectF plot = plotRect();
  const int shown = barsShown();
  if (shown == 0) return;
  double low = 0.0, high = 0.0;
  for (const ExplanationModel::Term& term : terms_) {
    low = std::min(low, static_cast<double>(term.value));
    high = std::max(high, static_cast<double>(term.value));
  }
  if (high - low <= 0.0) high = 1.0;
  const auto y = [&](double value) {
    return plot.bottom() - (value - low) / (high - low) * plot.height();
  };
  const double width = barWidth();
  const QColor positive = seriesStyle(0, SeriesRole::kTraining, colors.dark).color;
  const QColor negative = seriesStyle(1, SeriesRole::kTraining, colors.dark).color;
  painter.setRenderHint(QPainter::Antialiasing);
  for (int i = 0; i < shown; ++i) {
    const auto value = static_cast<double>(terms_[static_cast<std::size_t>(i)].value);
    const QRectF bar(plot.left() + i * width + 1.0, std::min(y(value), y(0.0)), width - 2.0,
                     std::max(1.0, std::abs(y(value) - y(0.0))));
    painter.fillRect(bar, value < 0.0 ? negative : positive);
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(colors.axis);
  painter.drawLine(QPointF(plot.left(), y(0.0)), QPointF(plot.right(), y(0.0)));
  painter.setPen(colors.quiet);
  const double line = fontMetrics().height();
  const QString zero = scoreText(0.0);
  const auto label = [&](double value) {
    if (value != 0.0 && scoreText(value) == zero) return;  // says nothing that zero does not
    painter.drawText(QRectF(0, y(value) - line / 2, plot.left() - 6.0, line),
                     Qt::AlignRight | Qt::AlignVCenter, scoreText(value));
  };
  label(0.0);
  // Only labels that do not run into the zero.
  if (std::abs(y(high) - y(0.0)) > line) label(high);
  if (std::abs(y(low) - y(0.0)) > line) label(low);
  QString foot = tr("term of each dimension, largest first");
  if (shown < static_cast<int>(terms_.size())) {
    const double rest =
        terms_.back().runningSum - terms_[static_cast<std::size_t>(shown) - 1].runningSum;
    foot = tr("%1; %2 smaller ones add up to %3")
               .arg(foot)
               .arg(static_cast<int>(terms_.size()) - shown)
               .arg(scoreText(rest));
  }
  painter.drawText(QRectF(plot.left(), height() - line, plot.width(), line),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(foot, Qt::ElideRight, static_cast<int>(plot.width())));
}

bool TermChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int bar = static_cast<int>(std::floor((help->pos().x() - plotRect().left()) / barWidth()));
  if (bar < 0 || bar >= barsShown()) {
    QToolTip::hideText();
    event->ignore();
    return true;
  }
  const ExplanationModel::Term& term = terms_[static_cast<std::size_t>(bar)];
  QToolTip::showText(
      help->globalPos(),
      tr("Dimension %1: %2 (sum so far %3)")
          .arg(term.dimension)
          .arg(scoreText(static_cast<double>(term.value)), scoreText(term.runningSum)),
      this);
  return true;
}

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
  featureTable->setColumns(FeatureSharesModel::kFeature, {{FeatureSharesModel::kValue, 10},
                                                          {FeatureSharesModel::kWithout, 8},
                                                          {FeatureSharesModel::kShare, 8}});
  featureTable->setGivingWay({FeatureSharesModel::kWithout});
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
