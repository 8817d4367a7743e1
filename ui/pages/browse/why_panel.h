// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/controllers/browse_session.h"
#include "ui/models/explanation_models.h"
#include "ui/plots/spoken_drawing.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace parapet::ui {

/// The terms of a dot product as bars from a zero line, the largest in size first. Terms that have
/// no room are shown as one sum.
class TermChart : public QWidget, public SpokenDrawing {
  Q_OBJECT

 public:
  explicit TermChart(QWidget* parent = nullptr);
  /// By descending size, as ExplanationModel sorts them.
  void setTerms(std::vector<ExplanationModel::Term> terms);
  [[nodiscard]] int barsShown() const;

  [[nodiscard]] QSize sizeHint() const override { return {320, 120}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {120, 72}; }
  [[nodiscard]] int spokenParts() const override;
  [[nodiscard]] SpokenPart spokenPart(int index) const override;
  [[nodiscard]] QString spokenValue() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] QRectF plotRect() const;
  [[nodiscard]] double barWidth() const;

  std::vector<ExplanationModel::Term> terms_;
};

class ElidedLabel;

/// Why an item has its score: the items of the history nearest to it, what each feature of the query
/// gives to it, and the dot product term by term where it is one.
class WhyPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WhyPanel(BrowseSession& session, QWidget* parent = nullptr);
  /// For the query of a column.
  void showItem(int column, const QString& user, const QString& item, const QString& title);
  void clear();
  [[nodiscard]] const ExplanationModel& terms() const { return *terms_; }
  [[nodiscard]] const SimilarItemsModel& nearest() const { return *nearest_; }
  [[nodiscard]] const FeatureSharesModel& features() const { return *features_; }
  /// The sum that the score is made of, in words.
  [[nodiscard]] QString sum() const;

 private:
  void show(const QString& user, const QString& title, Result<retrieval::Explanation> answer);
  enum View { kByFeature, kByDimension, kAsTable };
  void buildViews();
  void showView();
  void showScore(const retrieval::Explanation& why);

  BrowseSession& session_;
  ExplanationModel* terms_;
  SimilarItemsModel* nearest_;
  FeatureSharesModel* features_;
  ElidedLabel *nearestCaption_, *sum_;
  TermChart* chart_;
  QStackedWidget* views_;
  QToolButton *byFeature_, *asTable_;
  QLabel* noTerms_;
};

}  // namespace parapet::ui
