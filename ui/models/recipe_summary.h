// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVector>

namespace parapet::ui {

/// A recipe as a person chooses it.
struct RecipeSummary {
  QString name, title;
  QString model;      ///< what is trained: "two towers · 16 dimensions · adagrad · 20 epochs"
  QString needs;      ///< what has to be there first
  QString reference;  ///< published numbers it is compared with; "" if none
  bool needsData = false;
};

/// All recipes, in the order they are offered.
QVector<RecipeSummary> recipeSummaries();

}  // namespace parapet::ui
