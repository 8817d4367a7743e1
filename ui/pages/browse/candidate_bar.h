// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "engine/retrieval/recommender.h"

class QComboBox;
class QLabel;

namespace parapet::ui {

/// Chooses which items all lists may name: those that have a value of an attribute of the catalogue. It
/// is hidden where the catalogue has none.
class CandidateBar : public QWidget {
  Q_OBJECT

 public:
  explicit CandidateBar(QWidget* parent = nullptr);

  /// Attributes of a catalogue of so many candidates. Chosen ones that are not among them are given
  /// up; of others the values are asked for again.
  void setAttributes(const std::vector<std::string>& names, std::int64_t candidates);
  /// The values of the attribute that is chosen, the most frequent first.
  void setValues(const std::vector<retrieval::AttributeValue>& values);
  /// Shows what is chosen already; emits nothing but a wish for values.
  void setCondition(const std::optional<retrieval::AttributeCondition>& condition);
  [[nodiscard]] std::optional<retrieval::AttributeCondition> condition() const;
  void focusAttribute();

 signals:
  /// The values of an attribute are to be offered.
  void valuesWanted(const QString& attribute);
  /// A condition was chosen, or given up.
  void changed();

 private:
  void chooseAttribute(int row);
  void choose(const QString& value);
  void takeTyped();
  void showCount();

  QLabel* label_;
  QComboBox *attribute_, *value_;
  QLabel *equals_, *count_;
  std::vector<retrieval::AttributeValue> values_;
  QString chosen_;  ///< value; "" while there is none
  std::int64_t candidates_ = 0;
};

}  // namespace parapet::ui
