// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/controllers/browse_session.h"
#include "ui/models/explanation_model.h"
#include "ui/models/feature_shares_model.h"
#include "ui/models/similar_items_model.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace parapet::ui {

class ElidedLabel;
class TermChart;

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
  /// What the score is made of, in words.
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
