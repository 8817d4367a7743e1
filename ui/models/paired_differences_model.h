// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/workspace/workspace.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// Metrics of lists of the first of two compared runs minus those of the second, over the same
/// held-out queries: mean, standard error over the users, and which run it speaks for.
class PairedDifferencesModel : public RowsModel<workspace::Comparison::PairedMetric> {
  Q_OBJECT

 public:
  explicit PairedDifferencesModel(QObject* parent = nullptr);
  void setComparison(const workspace::Comparison& comparison) { replaceRows(comparison.paired); }
};

/// "First run minus second, over the same held-out queries of 943 users"; "" if nothing is paired.
QString pairedSentence(const workspace::Comparison& comparison);

}  // namespace parapet::ui
