// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/table_text.h"

#include <fmt/format.h>

#include <QStringList>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/quoting.h"

namespace parapet::ui {
namespace {

QString fileKey(const QAbstractItemModel& model, int column) {
  const QVariant key = model.headerData(column, Qt::Horizontal, kFileKeyRole);
  return key.isValid() ? key.toString() : model.headerData(column, Qt::Horizontal).toString();
}

// Tabs and line breaks inside a cell would tear the table apart.
QString cellText(const QString& text) {
  QString plain = text;
  return plain.replace('\t', ' ').replace('\n', ' ').replace('\r', ' ');
}

nlohmann::ordered_json jsonValue(const QVariant& value) {
  switch (value.userType()) {
    case QMetaType::Bool:
      return value.toBool();
    case QMetaType::Int:
    case QMetaType::LongLong:
      return value.toLongLong();
    case QMetaType::Float:
    case QMetaType::Double:
      if (!std::isfinite(value.toDouble())) return nullptr;
      // The shortest text of a float, not of the double next to it.
      return nlohmann::ordered_json::parse(exactText(value));
    case QMetaType::QString:
      return value.toString().toStdString();
    default:
      return nullptr;
  }
}

}  // namespace

std::string exactText(const QVariant& value) {
  switch (value.userType()) {
    case QMetaType::Bool:
      return value.toBool() ? "true" : "false";
    case QMetaType::Float:
      return std::isfinite(value.toFloat()) ? fmt::format("{}", value.toFloat()) : "";
    case QMetaType::Double:
      return std::isfinite(value.toDouble()) ? fmt::format("{}", value.toDouble()) : "";
    case QMetaType::Int:
    case QMetaType::LongLong:
      return fmt::format("{}", value.toLongLong());
    default:
      return value.toString().toStdString();
  }
}

QString tableAsTsv(const QAbstractItemModel& model, const QList<int>& rows) {
  QStringList lines, header;
  for (int column = 0; column < model.columnCount(); ++column)
    header << cellText(model.headerData(column, Qt::Horizontal).toString());
  lines << header.join('\t');
  const auto addRow = [&](int row) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column)
      cells << cellText(model.index(row, column).data().toString());
    lines << cells.join('\t');
  };
  if (rows.isEmpty())
    for (int row = 0; row < model.rowCount(); ++row) addRow(row);
  else
    for (const int row : rows) addRow(row);
  return lines.join('\n') + '\n';
}

std::string tableAsCsv(const QAbstractItemModel& model) {
  std::string text;
  const int columns = model.columnCount();
  for (int column = 0; column < columns; ++column)
    text += (column ? "," : "") + csvField(fileKey(model, column).toStdString());
  text += '\n';
  for (int row = 0; row < model.rowCount(); ++row) {
    for (int column = 0; column < columns; ++column)
      text +=
          (column ? "," : "") + csvField(exactText(model.index(row, column).data(Qt::EditRole)));
    text += '\n';
  }
  return text;
}

std::string tableAsJson(const QAbstractItemModel& model) {
  auto rows = nlohmann::ordered_json::array();
  for (int row = 0; row < model.rowCount(); ++row) {
    nlohmann::ordered_json object;
    for (int column = 0; column < model.columnCount(); ++column)
      object[fileKey(model, column).toStdString()] =
          jsonValue(model.index(row, column).data(Qt::EditRole));
    rows.push_back(std::move(object));
  }
  return rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace parapet::ui
