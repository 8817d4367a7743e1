// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QModelIndexList>
#include <string>

namespace parapet::ui {

/// Header role: the name of a column in files, e.g. "popularity_percentile". Models without it
/// give their display text.
inline constexpr int kFileKeyRole = Qt::UserRole + 100;

/// An exact value as text, independent of locale; "" for NaN and infinities.
std::string exactText(const QVariant& value);

/// Rows of a flat model for the clipboard, with a header line: display texts parted by tabs.
/// `rows` ascending; empty: all.
QString tableAsTsv(const QAbstractItemModel& model, const QList<int>& rows = {});
/// Every row with exact values (Qt::EditRole): header line of file keys, then one line a row.
std::string tableAsCsv(const QAbstractItemModel& model);
/// The table as a JSON array of objects; values that are no number are null.
std::string tableAsJson(const QAbstractItemModel& model);

}  // namespace parapet::ui
