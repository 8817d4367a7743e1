// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/paired_differences_model.h"

#include <QCoreApplication>

#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

using Paired = workspace::Comparison::PairedMetric;

/// Popular, novel or unequal lists are neither good nor bad by that.
bool ranksRuns(const std::string& metric) {
  for (const char* neutral : {"popularity@", "novelty@", "gini@"})
    if (metric.starts_with(neutral)) return false;
  return true;
}

QString verdictOf(const Paired& row) {
  using Model = PairedDifferencesModel;
  if (!row.significant) return Model::tr("within chance");
  const bool first = row.difference.mean > 0.0;
  if (!ranksRuns(row.name))
    return first ? Model::tr("the first is higher") : Model::tr("the second is higher");
  return first != lowerIsBetter(QString::fromStdString(row.name))
             ? Model::tr("the first is better")
             : Model::tr("the second is better");
}

QString differenceText(double value) {
  return (value > 0.0 ? QStringLiteral("+") : QString()) + fixedText(value, 4);
}

}  // namespace

PairedDifferencesModel::PairedDifferencesModel(QObject* parent) : RowsModel(parent) {
  setColumns({
      {.title = tr("Metric"),
       .fileKey = "metric",
       .text = [](const Paired& row, int) { return QString::fromStdString(row.name); }},
      {.title = tr("Difference"),
       .fileKey = "difference",
       .tip = tr("Mean over the users of the first run's metric minus the second's"),
       .alignment = Qt::AlignRight,
       .text = [](const Paired& row, int) { return differenceText(row.difference.mean); },
       .value = [](const Paired& row, int) { return QVariant(row.difference.mean); }},
      {.title = tr("Standard error"),
       .fileKey = "standard_error",
       .tip = tr("Of the mean difference; both runs answer the same queries, so what makes a user "
                 "easy or hard cancels out"),
       .alignment = Qt::AlignRight,
       .text = [](const Paired& row, int) { return fixedText(row.difference.standardError, 4); },
       .value = [](const Paired& row, int) { return QVariant(row.difference.standardError); }},
      {.title = tr("Verdict"),
       .fileKey = "verdict",
       .tip = tr("A difference counts beyond three standard errors"),
       .text = [](const Paired& row, int) { return verdictOf(row); }},
  });
}

QString pairedSentence(const workspace::Comparison& comparison) {
  if (comparison.paired.empty()) return {};
  return QCoreApplication::translate(
             "parapet::ui::PairedDifferencesModel",
             "First run minus second, over the same held-out queries of %1 users")
      .arg(countText(comparison.paired.front().difference.pairs));
}

}  // namespace parapet::ui
