// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/user_models.h"

#include <fmt/format.h>

#include <QDateTime>
#include <cmath>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/runs_format.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

using retrieval::UserSummary;

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

std::vector<RowsColumn<UserSummary>> userColumns(const QString& rule) {
  return {
      {.title = UserListModel::tr("User"),
       .fileKey = "user",
       .tip = UserListModel::tr("Raw id in the data"),
       .text = [](const UserSummary& of, int) { return QString::fromStdString(of.id); }},
      {.title = UserListModel::tr("About"),
       .fileKey = "attributes",
       .tip = UserListModel::tr("What the catalogue of users says"),
       .text = [](const UserSummary& of, int) { return QString::fromStdString(of.attributes); }},
      {.title = UserListModel::tr("Rows"),
       .fileKey = "training_rows",
       .tip = UserListModel::tr("Activity: training rows of the user"),
       .alignment = Qt::AlignRight,
       .text = [](const UserSummary& of,
                  int) { return QString::fromStdString(formatCount(of.trainRows)); },
       .value = [](const UserSummary& of, int) { return QVariant(qlonglong(of.trainRows)); }},
      {.title = UserListModel::tr("Recall"),
       .fileKey = "recall@10",
       .tip = UserListModel::tr("recall@10 on held-out rows as the run's evaluation measures it: "
                                "%1; – if nothing is "
                                "held out")
                  .arg(rule),
       .alignment = Qt::AlignRight,
       .text = [](const UserSummary& of, int) { return percentText(of.recall); },
       .value = [](const UserSummary& of, int) { return QVariant(of.recall); }},
      {.title = UserListModel::tr("Changes"),
       .fileKey = "context_sensitivity",
       .tip = UserListModel::tr(
           "Context sensitivity: mean share of the top 10 that changes with another value of a "
           "context, 1 − overlap@10 with the list in the context of the last row"),
       .alignment = Qt::AlignRight,
       .text = [](const UserSummary& of,
                  int) { return of.sensitivity ? percentText(*of.sensitivity) : QString(); },
       .value = [](const UserSummary& of,
                   int) { return of.sensitivity ? QVariant(*of.sensitivity) : QVariant(); }},
  };
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
       .text = [](const Item& of, int) { return of.time == 0 ? QString() : dayText(of.time); },
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

QString recallRuleText(const retrieval::RecallRule& rule) {
  QStringList parts{rule.seen == retrieval::SeenItems::kKeep
                        ? UserListModel::tr("training items are candidates")
                        : UserListModel::tr("training items left out")};
  if (rule.pairs == experiment::SeenPairs::kDrop)
    parts << UserListModel::tr("pairs known from training do not count");
  if (rule.relevantFrom)
    parts << UserListModel::tr("rows with a label of at least %1 count").arg(*rule.relevantFrom);
  return parts.join(QStringLiteral(", "));
}

QString recallText(double recall, const QString& rule) {
  return std::isnan(recall)
             ? UserListModel::tr("recall@10 –: no held-out row counts (%1)").arg(rule)
             : UserListModel::tr("recall@10 %1 (%2)").arg(percentText(recall), rule);
}

UserListModel::UserListModel(QObject* parent)
    : RowsModel(parent), rule_(recallRuleText(retrieval::RecallRule())) {
  setColumns(userColumns(rule_));
}

void UserListModel::setRecallRule(const retrieval::RecallRule& rule) {
  const QString text = recallRuleText(rule);
  if (text == rule_) return;
  rule_ = text;
  replaceAll(userColumns(rule_), std::vector<UserSummary>(rows()));
}

QString UserListModel::userAt(int row) const {
  if (row < 0 || row >= rowCount()) return {};
  return QString::fromStdString(users()[static_cast<std::size_t>(row)].id);
}

QVariant UserListModel::more(const UserSummary& user, int, int role) const {
  if (role != Qt::ToolTipRole) return {};
  return tr("User %1 · %2 · %3 training rows · %4")
      .arg(shownText(user.id), shownText(user.attributes),
           QString::fromStdString(formatCount(user.trainRows)), recallText(user.recall, rule_));
}

}  // namespace parapet::ui
