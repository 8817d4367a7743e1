// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/controllers/browse_session.h"
#include "ui/models/explanation_model.h"
#include "ui/models/similar_items_model.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace parapet::ui {

class ElidedLabel;
class TermChart;

/// Why an item has its score: the items of the history nearest to it, and the dot product term by
/// term where it is one.
class WhyPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WhyPanel(BrowseSession& session, QWidget* parent = nullptr);
  void showItem(const QString& user, const QString& item, const QString& title);
  void clear();
  [[nodiscard]] const ExplanationModel& terms() const { return *terms_; }
  [[nodiscard]] const SimilarItemsModel& nearest() const { return *nearest_; }

 private:
  void show(const QString& user, const QString& title, Result<retrieval::Explanation> answer);
  void showTerms(bool shown);

  BrowseSession& session_;
  ExplanationModel* terms_;
  SimilarItemsModel* nearest_;
  ElidedLabel *nearestCaption_, *sum_;
  TermChart* chart_;
  QStackedWidget* chartOrTable_;
  QToolButton* asTable_;
  QLabel* noTerms_;
};

}  // namespace parapet::ui
