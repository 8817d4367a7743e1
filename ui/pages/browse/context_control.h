// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "engine/retrieval/recommender.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSlider;
class QToolButton;

namespace parapet::ui {

/// Chooses the value of one context: from its values by frequency, or on a scale; or leaves it as in
/// the user's last row. A value that is not offered can be typed.
class ContextControl : public QWidget {
  Q_OBJECT

 public:
  explicit ContextControl(retrieval::ContextDomain domain, QWidget* parent = nullptr);

  [[nodiscard]] const retrieval::ContextDomain& domain() const { return domain_; }
  [[nodiscard]] QString name() const { return QString::fromStdString(domain_.name); }
  /// `value` is what the list answers, given by a person or as in the last row. Emits nothing.
  void setValue(const QString& value, bool given);
  /// The next (+1) or previous (−1) value; round and round in a list, to the end of a scale.
  void step(int by);
  /// Marks the one that ← and → step.
  void setActive(bool active);

 signals:
  /// By a person; nullopt: as in the last row.
  void chosen(const std::optional<QString>& value);
  /// The control got the focus.
  void entered();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* buildList();
  QWidget* buildScale();
  void choose(const std::optional<QString>& value);
  void takeTyped(const QString& text);
  [[nodiscard]] int ticks() const;
  /// Words have an order, but no distance: they are chosen as other values are.
  [[nodiscard]] bool hasWords() const;
  [[nodiscard]] QString textAt(int tick) const;
  [[nodiscard]] int tickOf(const QString& value) const;

  const retrieval::ContextDomain domain_;
  QString value_;
  bool given_ = false;
  QLabel* label_;
  QComboBox* list_ = nullptr;  ///< row 0: as in the last row
  QSlider* slider_ = nullptr;
  QLineEdit* number_ = nullptr;
  QToolButton* last_ = nullptr;
};

}  // namespace parapet::ui
