// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/retrieval/recommender.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// What each feature of a query gives to a score: the score with it and without it.
class FeatureSharesModel : public RowsModel<retrieval::FeatureShare> {
  Q_OBJECT

 public:
  enum Column { kFeature, kValue, kWithout, kShare, kColumnCount };
  explicit FeatureSharesModel(QObject* parent = nullptr);

  void setShares(std::vector<retrieval::FeatureShare> shares) { replaceRows(std::move(shares)); }
};

}  // namespace parapet::ui
