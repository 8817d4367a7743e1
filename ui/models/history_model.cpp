// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/history_model.h"

#include <fmt/format.h>

#include <QDateTime>

#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

QString partText(experiment::SplitPart part) {
  switch (part) {
    case experiment::SplitPart::kTrain:
      return HistoryModel::tr("train");
    case experiment::SplitPart::kValidation:
      return HistoryModel::tr("validation");
    case experiment::SplitPart::kTest:
      return HistoryModel::tr("test");
    case experiment::SplitPart::kUnused:
      break;
  }
  return HistoryModel::tr("unused");
}

}  // namespace

HistoryModel::HistoryModel(QObject* parent) : RowsModel(parent) {
  using Item = retrieval::HistoryItem;
  setColumns({
      {.title = tr("History"),
       .fileKey = "title",
       .tip = tr("Items that the user rated"),
       .text = [](const Item& of, int) { return titleText(of.title, of.id); }},
      {.title = tr("Label"),
       .fileKey = "label",
       .tip = tr("Label as the source has it, e.g. stars"),
       .alignment = Qt::AlignRight,
       .text = [](const Item& of,
                  int) { return QString::fromStdString(fmt::format("{:.3g}", of.label)); },
       .value = [](const Item& of, int) { return QVariant(of.label); }},
      {.title = tr("Part"),
       .fileKey = "part",
       .tip = tr("Part of the split that holds the row"),
       .text = [](const Item& of, int) { return partText(of.part); },
       .value =
           [](const Item& of, int) {
             return QVariant(QString::fromLatin1(experiment::splitPartName(of.part)));
           }},
      {.title = tr("Date"),
       .fileKey = "time",
       .tip = tr("Day (UTC)"),
       .text =
           [](const Item& of, int) {
             return of.time == 0 ? QString()
                                 : QDateTime::fromSecsSinceEpoch(of.time, Qt::UTC)
                                       .toString(QStringLiteral("yyyy-MM-dd"));
           },
       .value =
           [](const Item& of, int) {
             return of.time == 0 ? QVariant(QString()) : QVariant(qlonglong(of.time));
           }},
  });
}

QVariant HistoryModel::more(const retrieval::HistoryItem& item, int column, int role) const {
  if (role == kItemIdRole) return QString::fromStdString(item.id);
  if (role != Qt::ToolTipRole) return {};
  if (column == kTime && item.time != 0)
    return QDateTime::fromSecsSinceEpoch(item.time, Qt::UTC).toString(Qt::ISODate);
  return tr("%1 (id %2)").arg(shownText(titleText(item.title, item.id)), shownText(item.id));
}

}  // namespace parapet::ui
