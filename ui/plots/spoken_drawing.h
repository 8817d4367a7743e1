// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>
#include <QRect>
#include <QString>
#include <QTimer>
#include <QWidget>

namespace parapet::ui {

/// A part of a drawing as a screen reader reads it: a curve, a box, a row of cells.
struct SpokenPart {
  QString name, value;
  QRect rect{};  ///< in the widget; empty where the part has no place of its own
};

/// A widget that draws its data, for whoever does not see it: QAccessible has a child for each part,
/// with a name and a value, and a sentence about the whole.
///
/// Use    derive from QWidget and from this; call spokenChanged() whenever an answer may have changed.
/// Thread GUI.
class SpokenDrawing {
 public:
  /// Changes of live data are announced this often at most: a screen reader would never come to an end.
  static constexpr int kAnnounceMs = 1000;

  [[nodiscard]] virtual int spokenParts() const = 0;
  /// `index` in [0, spokenParts()).
  [[nodiscard]] virtual SpokenPart spokenPart(int index) const = 0;
  /// The part that is chosen; −1: none is.
  [[nodiscard]] virtual int chosenPart() const { return -1; }
  /// How many parts of what kind there are, and what is chosen: "3 series; step 120: train 5.83".
  [[nodiscard]] virtual QString spokenValue() const = 0;
  /// QAccessible::Chart where numbers are drawn.
  [[nodiscard]] virtual QAccessible::Role spokenRole() const { return QAccessible::Chart; }

 protected:
  explicit SpokenDrawing(QWidget* widget);
  ~SpokenDrawing() = default;
  /// Announces new values and parts soon.
  void spokenChanged();
  /// Tells those who listen to QAccessible; called once in kAnnounceMs at most.
  virtual void announce();

 private:
  QWidget* widget_;
  QTimer pause_;
  int announcedParts_ = 0;
};

/// Lets QAccessible answer for every SpokenDrawing; to be called once, before the first question.
void installSpokenDrawings();

}  // namespace parapet::ui
