// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/comparison_model.h"

#include <QCoreApplication>
#include <QFont>
#include <algorithm>
#include <cmath>

#include "engine/experiment/differing_settings.h"
#include "engine/workspace/comparison.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/document_schema.h"
#include "ui/models/runs_format.h"
#include "ui/models/setting_names.h"
#include "ui/models/table_text.h"

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
  if (!row.significant) return PairedDifferencesModel::tr("within chance");
  const bool first = row.difference.mean > 0.0;
  if (!ranksRuns(row.name))
    return first ? PairedDifferencesModel::tr("the first is higher")
                 : PairedDifferencesModel::tr("the second is higher");
  return first != lowerIsBetter(QString::fromStdString(row.name))
             ? PairedDifferencesModel::tr("the first is better")
             : PairedDifferencesModel::tr("the second is better");
}

QString differenceText(double value) {
  return (value > 0.0 ? QStringLiteral("+") : QString()) + fixedText(value, 4);
}

/// A value as it stands in the document.
QString exactValue(const nlohmann::json& value) {
  if (value.is_null()) return QStringLiteral("–");
  return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

/// A value in words: of a list "a, b"; of a group of settings those that are set, "Units = 8 · Activation = relu".
QString valueText(const nlohmann::json& value, const QString& between) {
  if (!value.is_structured()) return shownText(exactValue(value));
  const QString comma = QStringLiteral(", ");
  QStringList parts;
  for (const auto& [key, each] : value.items()) {
    if (each.empty()) continue;
    const QString text = valueText(each, comma);
    const QString name = value.is_array() ? QString() : labelOf(QString::fromStdString(key));
    parts << (name.isEmpty()     ? text
              : each.is_object() ? QStringLiteral("%1 (%2)").arg(name, text)
                                 : QStringLiteral("%1 = %2").arg(name, text));
  }
  return parts.isEmpty() ? exactValue(value) : parts.join(value.is_array() ? comma : between);
}

/// "movielens-ret…" of a long name: ids and values of several runs stay in view.
QString shortName(const std::string& name) {
  constexpr int kLongest = 14;
  const QString text = shownText(name);
  return text.size() <= kLongest ? text : text.left(kLongest - 1).trimmed() + QChar(0x2026);
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

void ComparisonModel::setComparison(workspace::Comparison comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  nameSettings();
  endResetModel();
}

void ComparisonModel::nameSettings() {
  std::vector<nlohmann::ordered_json> documents;
  for (const store::RunRecord& run : comparison_.runs)
    documents.push_back(nlohmann::ordered_json::parse(run.experimentJson, nullptr, false));
  const auto nameOf = [&](const workspace::Comparison::Setting& setting) {
    // An entry of a list is shown by the document that has the entry.
    for (const nlohmann::ordered_json& document : documents)
      if (const std::string at = experiment::indexPointer(setting.pointer, document); !at.empty())
        return settingName(at, document);
    return settingName(setting.pointer, {});
  };
  std::vector<std::pair<SettingName, workspace::Comparison::Setting>> settings;
  for (workspace::Comparison::Setting& setting : comparison_.settings) {
    SettingName name = nameOf(setting);
    settings.emplace_back(std::move(name), std::move(setting));
  }
  std::ranges::stable_sort(settings, {},
                           [](const auto& named) { return sectionRank(named.first.section); });
  names_.clear();
  comparison_.settings.clear();
  for (auto& [name, setting] : settings) {
    names_.push_back(std::move(name));
    comparison_.settings.push_back(std::move(setting));
  }
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  return static_cast<int>(part_ == Part::kSettings ? comparison_.settings.size()
                                                   : comparison_.metrics.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : labelColumns() + static_cast<int>(comparison_.runs.size());
}

QVariant ComparisonModel::setting(int row, int column, int role) const {
  const auto at = static_cast<std::size_t>(row);
  const auto& setting = comparison_.settings[at];
  if (role != Qt::DisplayRole && role != Qt::EditRole && role != Qt::ToolTipRole) return {};
  if (column == 0) {
    // Said once, at its first setting.
    const bool same = row > 0 && names_[at - 1].section == names_[at].section;
    return role == Qt::DisplayRole && same ? QString() : names_[at].section;
  }
  if (column == 1)
    return role == Qt::DisplayRole ? names_[at].name : QString::fromStdString(setting.pointer);
  const auto& value = setting.values[static_cast<std::size_t>(column - labelColumns())];
  if (role == Qt::EditRole) return exactValue(value);
  if (fieldInfo(QString::fromStdString(setting.pointer)).type == FieldInfo::Type::kWord)
    return valueName(exactValue(value));
  return valueText(value, role == Qt::ToolTipRole ? QStringLiteral("\n") : QStringLiteral(" · "));
}

QVariant ComparisonModel::metric(int row, int column, int role) const {
  const auto& metric = comparison_.metrics[static_cast<std::size_t>(row)];
  if (role == kNotComparableRole) return QString::fromStdString(metric.notComparable);
  const QString why = metric.notComparable.empty()
                          ? QString()
                          : tr("No best run: %1").arg(QString::fromStdString(metric.notComparable));
  if (column == 0) {
    if (role == Qt::ToolTipRole && !why.isEmpty()) return why;
    return role == Qt::DisplayRole || role == Qt::EditRole
               ? QVariant(QString::fromStdString(metric.name))
               : QVariant();
  }
  const double value = metric.values[static_cast<std::size_t>(column - labelColumns())];
  const bool best = workspace::bestRun(metric) == static_cast<std::size_t>(column - labelColumns());
  switch (role) {
    case Qt::DisplayRole:
      return metricText(QString::fromStdString(metric.name), value);
    case Qt::EditRole:
      return std::isfinite(value) ? QVariant(value) : QVariant();
    case Qt::ToolTipRole:
      if (!why.isEmpty()) return why;
      return best ? QVariant(tr("Better than each of the other runs, beyond three paired standard "
                                "errors over the same held-out queries or rows"))
                  : QVariant();
    case Qt::FontRole: {
      if (!best) return {};
      QFont font;
      font.setBold(true);
      return font;
    }
    default:
      return {};
  }
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == Qt::TextAlignmentRole)
    return int((index.column() < labelColumns() ? Qt::AlignLeft : Qt::AlignRight) |
               Qt::AlignVCenter);
  return part_ == Part::kSettings ? setting(index.row(), index.column(), role)
                                  : metric(index.row(), index.column(), role);
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const bool isLabel = section < labelColumns();
  if (role == Qt::TextAlignmentRole)
    return int((isLabel ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != kFileKeyRole) return {};
  const bool forFile = role == kFileKeyRole;
  if (isLabel && part_ == Part::kMetrics) return forFile ? QStringLiteral("metric") : tr("Metric");
  if (isLabel && section == 0) return forFile ? QStringLiteral("section") : tr("Step");
  if (isLabel) return forFile ? QStringLiteral("setting") : tr("Setting");
  const store::RunRecord& run =
      comparison_.runs[static_cast<std::size_t>(section - labelColumns())];
  if (forFile) return QString::fromStdString(run.id);
  if (role == Qt::ToolTipRole)
    return tr("%1 · run %2").arg(shownText(run.name), QString::fromStdString(run.id));
  return tr("%1 · %2").arg(shortName(run.name), QString::fromStdString(run.id.substr(0, 4)));
}

QString overlapSentence(const workspace::Comparison& comparison) {
  if (!std::isfinite(comparison.meanOverlapAt10))
    return QObject::tr(
        "Lists are not compared: one of the first two runs has no checkpoint, or "
        "they share no users.");
  QString sentence =
      QObject::tr("The first two runs share %1 of their top 10 (%2 %), over %3 users.")
          .arg(fixedText(10.0 * comparison.meanOverlapAt10, 1),
               fixedText(100.0 * comparison.meanOverlapAt10, 0),
               countText(comparison.overlapUsers));
  QStringList contexts;
  for (const std::string& name : workspace::overlapContexts(comparison))
    contexts << shownText(name);
  if (!contexts.isEmpty())
    sentence += QLatin1Char(' ') + QObject::tr(
                                       "These lists answer %1 of each user's last training "
                                       "row.")
                                       .arg(contexts.join(QObject::tr(" and ")));
  return sentence;
}

QString rankingSentence(const workspace::Comparison& comparison) {
  if (std::ranges::any_of(comparison.metrics,
                          [](const auto& row) { return workspace::bestRun(row).has_value(); }))
    return QObject::tr(
        "Metrics; bold is better than each other run beyond three paired standard errors");
  // The metric of a validation says most; the last row is a time, which is never a reason.
  const auto isHeldOut = [](const auto& row) { return row.name.starts_with("val_"); };
  auto row = std::ranges::find_if(comparison.metrics, isHeldOut);
  if (row == comparison.metrics.end()) row = comparison.metrics.begin();
  if (row != comparison.metrics.end() && row->name != "ms_per_step")
    return QObject::tr("Metrics; none is the best run: %1")
        .arg(QString::fromStdString(row->notComparable));
  return QObject::tr("Metrics");
}

}  // namespace parapet::ui
