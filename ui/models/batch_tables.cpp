// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/batch_tables.h"

#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {

using experiment::BatchReport;

BatchTables::BatchTables(QObject* parent)
    : QObject(parent),
      examples_(new ReportTableModel({}, {}, this)),
      features_({tr("Feature"), tr("Table"), tr("Ids"), tr("Distinct"), tr("Truncated"),
                 tr("Unknown"), tr("Without")},
                {2, 3, 4, 5, 6}),
      routes_({tr("Tables"), tr("Rank"), tr("Shard"), tr("On rank"), tr("Ids"), tr("Rows sent")},
              {1, 2, 3, 4, 5}),
      losses_({tr("Loss"), tr("Weight"), tr("Value"), tr("Share")}, {1, 2, 3}),
      parameters_({tr("Parameter"), tr("Kind"), tr("Rows"), tr("|weight|"), tr("|gradient|"),
                   tr("Max. row |gradient|"), tr("|update|")},
                  {2, 3, 4, 5, 6}) {}

void BatchTables::setReport(const BatchReport& report) {
  sentence_ = tr("Step %1 of epoch %2: %3 examples, loss %4")
                  .arg(countText(report.step), countText(report.epoch), countText(report.examples),
                       numberText(report.loss));
  QStringList columns;
  for (const std::string& column : report.columns) columns << shownText(column);
  delete examples_;
  examples_ = new ReportTableModel(columns, {static_cast<int>(columns.size()) - 1}, this);
  std::vector<ReportTableModel::Row> rows;
  for (const auto& texts : report.contents) {
    ReportTableModel::Row row;
    for (const std::string& text : texts) row.emplace_back(shownText(text));
    rows.push_back(std::move(row));
  }
  examples_->setRows(std::move(rows));

  rows.clear();
  for (const BatchReport::Feature& of : report.features)
    rows.push_back({shownText(of.name), shownText(of.table), countText(of.ids),
                    countText(of.distinct), countText(of.truncated), countText(of.oov),
                    countText(of.empty)});
  features_.setRows(std::move(rows));

  rows.clear();
  for (const BatchReport::Route& of : report.routes)
    rows.push_back(
        {shownText(of.tables), of.rank, of.shard, of.owner, countText(of.ids), countText(of.rows)});
  routes_.setRows(std::move(rows));

  rows.clear();
  for (const BatchReport::Loss& of : report.losses)
    rows.push_back({of.head.empty() ? tr("score") : shownText(of.head), numberText(of.weight),
                    numberText(of.value, 5),
                    report.loss == 0.0 ? numberText(NAN)
                                       : tr("%1 %").arg(fixedText(
                                             100.0 * of.weight * of.value / report.loss, 1))});
  losses_.setRows(std::move(rows));

  rows.clear();
  for (const BatchReport::Parameter& of : report.parameters)
    rows.push_back({shownText(of.name), of.isTable ? tr("table") : tr("layer"), countText(of.rows),
                    numberText(of.weight), numberText(of.gradient), numberText(of.maxRowGradient),
                    numberText(of.update)});
  parameters_.setRows(std::move(rows));
  emit changed();
}

}  // namespace parapet::ui
