// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/spoken_drawing.h"

#include <QAccessibleWidget>
#include <QPointer>
#include <QStringList>
#include <algorithm>
#include <utility>
#include <vector>

namespace parapet::ui {
namespace {

/// The drawing that a widget is; null once its destructor has taken the drawing away.
const SpokenDrawing* drawingOf(const QObject* widget) {
  return dynamic_cast<const SpokenDrawing*>(widget);
}

/// One part. The cache of QAccessible owns it; it asks its widget for everything.
class AccessiblePart final : public QAccessibleInterface {
 public:
  AccessiblePart(QWidget* widget, int index) : widget_(widget), index_(index) {}

  bool isValid() const override {
    const SpokenDrawing* drawing = drawingOf(widget_);
    return drawing != nullptr && index_ < drawing->spokenParts();
  }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return widget_ ? widget_->window()->windowHandle() : nullptr; }
  QAccessibleInterface* parent() const override {
    return QAccessible::queryAccessibleInterface(widget_);
  }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QAccessible::Role role() const override { return QAccessible::ListItem; }

  QString text(QAccessible::Text kind) const override {
    if (!isValid()) return {};
    const SpokenPart part = drawingOf(widget_)->spokenPart(index_);
    if (kind == QAccessible::Name) return part.name;
    return kind == QAccessible::Value || kind == QAccessible::Description ? part.value : QString();
  }
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect at = drawingOf(widget_)->spokenPart(index_).rect;
    return {widget_->mapToGlobal(at.topLeft()), at.size()};
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.invalid = !isValid();
    if (state.invalid) return state;
    state.readOnly = true;
    state.selectable = true;
    state.invisible = !widget_->isVisible();
    state.selected = drawingOf(widget_)->chosenPart() == index_;
    state.focused = state.selected && widget_->hasFocus();
    return state;
  }

 private:
  QPointer<QWidget> widget_;
  int index_;
};

class AccessibleDrawing final : public QAccessibleWidget {
 public:
  explicit AccessibleDrawing(QWidget* widget) : QAccessibleWidget(widget) {}
  ~AccessibleDrawing() override { keepParts(0); }

  QAccessible::Role role() const override {
    const SpokenDrawing* drawing = drawingOf(object());
    return drawing ? drawing->spokenRole() : QAccessible::Chart;
  }
  int childCount() const override {
    const SpokenDrawing* drawing = drawingOf(object());
    return drawing ? drawing->spokenParts() : 0;
  }
  QAccessibleInterface* child(int index) const override {
    const int count = childCount();
    keepParts(count);
    if (index < 0 || index >= count) return nullptr;
    while (std::ssize(parts_) <= index)
      parts_.push_back(QAccessible::registerAccessibleInterface(
          new AccessiblePart(widget(), static_cast<int>(parts_.size()))));
    return QAccessible::accessibleInterface(parts_[static_cast<std::size_t>(index)]);
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (std::size_t index = 0; index < parts_.size(); ++index)
      if (QAccessible::accessibleInterface(parts_[index]) == child) return static_cast<int>(index);
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    for (int index = 0; index < childCount(); ++index)
      if (child(index)->rect().contains(x, y)) return child(index);
    return nullptr;
  }
  QAccessibleInterface* focusChild() const override {
    const SpokenDrawing* drawing = drawingOf(object());
    return drawing && widget()->hasFocus() ? child(drawing->chosenPart()) : nullptr;
  }
  QString text(QAccessible::Text kind) const override {
    const SpokenDrawing* drawing = drawingOf(object());
    if (drawing && kind == QAccessible::Value) return drawing->spokenValue();
    if (drawing && kind == QAccessible::Description && widget()->accessibleDescription().isEmpty())
      return described(*drawing);
    return QAccessibleWidget::text(kind);
  }

 private:
  /// Names the first parts alone where there are many: all of them are children.
  static QString described(const SpokenDrawing& drawing) {
    constexpr int kMaxParts = 12;
    QStringList sentences;
    for (int index = 0; index < std::min(kMaxParts, drawing.spokenParts()); ++index) {
      const SpokenPart part = drawing.spokenPart(index);
      sentences << QStringLiteral("%1: %2").arg(part.name, part.value);
    }
    return sentences.join(QStringLiteral("; "));
  }
  void keepParts(int count) const {
    while (std::ssize(parts_) > count) {
      QAccessible::deleteAccessibleInterface(parts_.back());
      parts_.pop_back();
    }
  }

  mutable std::vector<QAccessible::Id> parts_;
};

QAccessibleInterface* makeDrawing(const QString&, QObject* object) {
  return drawingOf(object) ? new AccessibleDrawing(static_cast<QWidget*>(object)) : nullptr;
}

}  // namespace

SpokenDrawing::SpokenDrawing(QWidget* widget) : widget_(widget) {
  pause_.setSingleShot(true);
  pause_.setInterval(kAnnounceMs);
  QObject::connect(&pause_, &QTimer::timeout, &pause_, [this] { announce(); });
}

void SpokenDrawing::spokenChanged() {
  if (!pause_.isActive()) pause_.start();
}

void SpokenDrawing::announce() {
  if (!QAccessible::isActive() || !widget_->isVisible()) return;
  if (const int parts = spokenParts(); std::exchange(announcedParts_, parts) != parts) {
    QAccessibleEvent reordered(widget_, QAccessible::ObjectReorder);
    QAccessible::updateAccessibility(&reordered);
  }
  QAccessibleValueChangeEvent changed(widget_, spokenValue());
  QAccessible::updateAccessibility(&changed);
  QAccessibleEvent described(widget_, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&described);
}

void installSpokenDrawings() {
  QAccessible::installFactory(makeDrawing);
}

}  // namespace parapet::ui
