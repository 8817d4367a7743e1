// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/epochs_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "ui/models/runs_format.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

using experiment::SegmentMetrics;

namespace {

double errorOf(const SegmentMetrics& row, std::size_t metric) {
  return metric < row.standardErrors.size() ? row.standardErrors[metric].second : std::nan("");
}

using EpochColumn = RowsColumn<EpochRow>;

/// A number that is NaN where it is not known.
EpochColumn epochColumn(const QString& title, const char* fileKey,
                        std::function<double(const EpochRow&)> number,
                        std::function<QString(double)> text) {
  return {.title = title,
          .fileKey = fileKey,
          .alignment = Qt::AlignRight,
          .text = [number, text = std::move(text)](const EpochRow& of,
                                                   int) { return text(number(of)); },
          .value =
              [number](const EpochRow& of, int) {
                const double value = number(of);
                return std::isnan(value) ? QVariant() : QVariant(value);
              }};
}

QString wholeText(double value) {
  return std::isfinite(value) ? countText(std::llround(value)) : numberText(value);
}
QString preciseText(double value) {
  return numberText(value, 5);
}
QString timedText(double value) {
  return fixedText(value, 3);
}

/// A metric has its key as title, in files too.
EpochColumn metricColumn(const QString& key) {
  return epochColumn(
      key, "", [key](const EpochRow& of) { return EpochsModel::metricOf(of, key).value_or(NAN); },
      [key](double value) { return metricText(key, value); });
}

std::vector<EpochColumn> fixedColumns() {
  return {epochColumn(
              EpochsModel::tr("epoch"), "epoch",
              [](const EpochRow& of) { return static_cast<double>(of.summary.epoch); }, wholeText),
          epochColumn(
              EpochsModel::tr("step"), "step",
              [](const EpochRow& of) { return static_cast<double>(of.summary.step); }, wholeText),
          epochColumn(
              EpochsModel::tr("loss"), "loss", [](const EpochRow& of) { return of.summary.loss; },
              preciseText),
          epochColumn(
              EpochsModel::tr("as displayed"), "loss_as_displayed",
              [](const EpochRow& of) { return of.summary.lossAsDisplayed; }, preciseText),
          epochColumn(
              EpochsModel::tr("rate"), "learning_rate",
              [](const EpochRow& of) { return of.summary.learningRate; }, preciseText),
          epochColumn(
              EpochsModel::tr("ms/step"), "ms_per_step",
              [](const EpochRow& of) { return of.summary.msPerStep; }, timedText),
          epochColumn(
              EpochsModel::tr("examples/s"), "examples_per_second",
              [](const EpochRow& of) { return of.summary.examplesPerSecond; }, wholeText),
          epochColumn(
              EpochsModel::tr("seconds"), "seconds",
              [](const EpochRow& of) { return of.summary.seconds; }, timedText)};
}

/// The row of an epoch, else the end.
auto findEpoch(const std::vector<EpochRow>& rows, std::int64_t epoch) {
  const auto at = std::ranges::lower_bound(rows, epoch, {},
                                           [](const EpochRow& row) { return row.summary.epoch; });
  return at != rows.end() && at->summary.epoch == epoch ? at : rows.end();
}

}  // namespace

SegmentsModel::SegmentsModel(QObject* parent) : RowsModel(parent) {
  setColumns(columnsFor({}));
}

void SegmentsModel::setSegments(std::vector<SegmentMetrics> segments) {
  if (segments == rows()) return;
  std::vector<Column> columns = columnsFor(segments);
  replaceAll(std::move(columns), std::move(segments));
}

std::vector<SegmentsModel::Column> SegmentsModel::columnsFor(
    const std::vector<SegmentMetrics>& segments) {
  std::vector<Column> columns{
      {.title = tr("Segment"),
       .text =
           [](const SegmentMetrics& row, int) {
             return row.segment == "activity" ? tr("user activity")
                                              : QString::fromStdString(row.segment);
           }},
      {.title = tr("Value"),
       .text =
           [](const SegmentMetrics& row, int) {
             return row.value.empty() ? tr("unknown") : QString::fromStdString(row.value);
           },
       .toolTip =
           [](const SegmentMetrics& row, int) {
             return row.segment == "activity" ? tr("Training rows of the user") : QString();
           }},
      {.title = tr("Queries"),
       .alignment = Qt::AlignRight,
       .text = [](const SegmentMetrics& row, int) { return countText(row.queries); },
       .value = [](const SegmentMetrics& row,
                   int) { return QVariant(static_cast<qlonglong>(row.queries)); }}};
  if (segments.empty()) return columns;
  for (std::size_t metric = 0; metric < segments.front().metrics.size(); ++metric)
    columns.push_back(columnOf(segments.front().metrics[metric].first, metric));
  return columns;
}

SegmentsModel::Column SegmentsModel::columnOf(const std::string& key, std::size_t metric) {
  return {.title = QString::fromStdString(key),
          .alignment = Qt::AlignRight,
          .text =
              [metric](const SegmentMetrics& row, int) {
                if (metric >= row.metrics.size()) return QString();
                const double value = row.metrics[metric].second, error = errorOf(row, metric);
                return std::isfinite(error)
                           ? QStringLiteral("%1 ± %2").arg(numberText(value), numberText(error, 2))
                           : numberText(value);
              },
          .value =
              [metric](const SegmentMetrics& row, int) {
                return metric < row.metrics.size() ? QVariant(row.metrics[metric].second)
                                                   : QVariant();
              },
          .toolTip =
              [metric](const SegmentMetrics& row, int) {
                const double error = errorOf(row, metric);
                return std::isfinite(error) ? tr("Standard error %1").arg(numberText(error))
                                            : tr("One user alone: the standard error is not known");
              }};
}

EpochsModel::EpochsModel(QObject* parent) : RowsModel(parent) {
  setColumns(fixedColumns());
}

std::optional<double> EpochsModel::metricOf(const EpochRow& row, const QString& key) {
  for (const auto& [name, value] : row.summary.metrics)
    if (key == QLatin1String(name.c_str()) && std::isfinite(value)) return value;
  return std::nullopt;
}

std::optional<double> EpochsModel::lastMetric(const QString& key) const {
  for (auto row = rows().rbegin(); row != rows().rend(); ++row)
    if (const auto value = metricOf(*row, key)) return value;
  return std::nullopt;
}

const experiment::EpochSummary* EpochsModel::lastValidated() const {
  for (auto row = rows().rbegin(); row != rows().rend(); ++row)
    if (!row->summary.verdicts.empty()) return &row->summary;
  return nullptr;
}

void EpochsModel::setEpochs(std::vector<EpochRow> epochs) {
  metrics_.clear();
  for (const EpochRow& row : epochs)
    for (const auto& [name, value] : row.summary.metrics)
      if (const QString key = QString::fromStdString(name); !metrics_.contains(key))
        metrics_.append(key);
  std::vector<EpochColumn> columns = fixedColumns();
  for (const QString& key : metrics_) columns.push_back(metricColumn(key));
  replaceAll(std::move(columns), std::move(epochs));
}

void EpochsModel::addMetricsOf(const EpochRow& row) {
  std::vector<EpochColumn> fresh;
  for (const auto& [name, value] : row.summary.metrics)
    if (const QString key = QString::fromStdString(name); !metrics_.contains(key)) {
      metrics_ << key;
      fresh.push_back(metricColumn(key));
    }
  appendColumns(std::move(fresh));
}

void EpochsModel::add(EpochRow row) {
  addMetricsOf(row);
  const auto next = std::ranges::lower_bound(
      rows(), row.summary.epoch, {}, [](const EpochRow& known) { return known.summary.epoch; });
  const int at = static_cast<int>(next - rows().begin());
  if (next != rows().end() && next->summary.epoch == row.summary.epoch)
    changeRow(at, std::move(row));
  else
    insertRowAt(at, std::move(row));
}

void EpochsModel::judge(std::int64_t epoch,
                        const std::vector<experiment::BaselineVerdict>& verdicts) {
  const auto found = findEpoch(rows(), epoch);
  if (found == rows().end() || found->summary.verdicts.size() >= verdicts.size()) return;
  EpochRow row = *found;
  row.summary.verdicts = verdicts;
  changeRow(static_cast<int>(found - rows().begin()), std::move(row));
}

bool EpochsModel::measureAgain(const experiment::EpochMeasuredAgain& now) {
  const auto found = findEpoch(rows(), now.epoch);
  if (found == rows().end()) return false;
  experiment::EpochSummary summary = found->summary;
  std::erase_if(summary.metrics,
                [](const experiment::Metric& metric) { return metric.first.starts_with("val_"); });
  std::ranges::copy(now.metrics, std::back_inserter(summary.metrics));
  summary.verdicts = now.verdicts;
  summary.segments = now.segments;
  return measureAgain(summary);
}

bool EpochsModel::measureAgain(const experiment::EpochSummary& now) {
  const auto found = findEpoch(rows(), now.epoch);
  if (found == rows().end()) return false;
  const auto isSame = [](const experiment::Metric& a, const experiment::Metric& b) {
    return a.first == b.first &&
           (a.second == b.second || (std::isnan(a.second) && std::isnan(b.second)));
  };
  if (std::ranges::equal(found->summary.metrics, now.metrics, isSame)) {
    judge(now.epoch, now.verdicts);
    return false;
  }
  EpochRow row = *found;
  row.summary.metrics = now.metrics;
  row.summary.verdicts = now.verdicts;
  row.summary.segments = now.segments;
  add(std::move(row));
  return true;
}

void EpochsModel::truncateAfter(std::int64_t step) {
  const auto end =
      std::ranges::find_if(rows(), [step](const EpochRow& row) { return row.summary.step > step; });
  const int at = static_cast<int>(end - rows().begin());
  removeRowsAt(at, rowCount() - at);
}

}  // namespace parapet::ui
