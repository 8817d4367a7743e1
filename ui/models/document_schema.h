// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

namespace parapet::ui {

/// The properties of one field by the schema of documents, so that forms need not say it again.
struct FieldInfo {
  /// Decides which widget edits it.
  enum class Type {
    kText,
    kWord,          ///< one of `words`
    kInteger,       ///< whole numbers
    kNumber,        ///< any finite number
    kFlag,          ///< true or false
    kList,          ///< values in a row
    kWordOrNumber,  ///< a number, or one of `words`
    kObject,        ///< settings of its own
  };
  Type type = Type::kText;
  Type elements = Type::kText;  ///< of a list
  bool nullable = false;        ///< null stands for "not given"
  QString meaning;              ///< a sentence
  QString unit;                 ///< what a number counts, "examples"; may be empty
  bool isCount = false;         ///< whose digits are read in groups; a seed is none
  QString range;                ///< "1 … 65536", "above 0", the words; may be empty
  QStringList words;
  std::optional<double> min, max;

  /// Meaning and range, as a tooltip.
  [[nodiscard]] QString toolTip() const;
};

/// Indexes of lists may be any number. A pointer that no document has gives an empty FieldInfo.
FieldInfo fieldInfo(const QString& pointer);
/// The keys of an object, in canonical order.
QStringList fieldKeys(const QString& pointer);
/// "initial_accumulator" to "Initial accumulator", "log_q" to "Log-Q correction".
QString labelOf(const QString& key);

}  // namespace parapet::ui
