// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QDialog>
#include <QFrame>
#include <QIcon>
#include <QProgressBar>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QWidget>
#include <cstdint>

namespace parapet::ui {

/// A line icon as a widget; unlike a QLabel with a pixmap it follows a change of theme.
class IconLabel : public QWidget {
  Q_OBJECT

 public:
  explicit IconLabel(const QString& iconName, int size = 16, QWidget* parent = nullptr);
  void setIconName(const QString& iconName);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QIcon icon_;
};

/// A flat line that fills up, without text. What is not known yet (maximum 0) is a faint full line.
///
/// The style's own bar repaints 60 times a second for as long as the program lives once it has been
/// animated; while training that time belongs to the training.
class ThinProgressBar : public QProgressBar {
  Q_OBJECT

 public:
  explicit ThinProgressBar(QWidget* parent = nullptr);

  /// Shows `done` of `total`; total 0: not known. Counts of any size.
  void showShare(std::int64_t done, std::int64_t total);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

/// Rows with room above and below their text, for lists that one chooses from.
class TallRows : public QStyledItemDelegate {
  Q_OBJECT

 public:
  static constexpr int kRoom = 8;  ///< pixels, both sides together

  using QStyledItemDelegate::QStyledItemDelegate;
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                               const QModelIndex& index) const override;
};

/// Shows a view as a list that one chooses from: tall rows of one height, without a header, a frame
/// or arrows. F2 edits what can be edited.
void showAsList(QTreeView& view);

/// A list that opens over the window and closes when something else is clicked, with a border,
/// since without a compositor nothing else parts it from what it covers.
class PopupDialog : public QDialog {
  Q_OBJECT

 public:
  explicit PopupDialog(QWidget* parent);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

/// A frame with a border around the settings of a cell.
class PopupFrame : public QFrame {
  Q_OBJECT

 public:
  explicit PopupFrame(QWidget* parent);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

/// Enables a control, or disables it and says in its tooltip what it waits for, below what the
/// tooltip says otherwise. `reason`: "Select a row first".
void setUsable(QWidget& control, bool usable, const QString& reason);
void setUsable(QAction& action, bool usable, const QString& reason);

/// Why a control is disabled, as setUsable() was told; "" of one that is not.
QString whyDisabled(const QObject& control);

/// A word or sign that is pressed, without a frame until the mouse is over it. Its accessible name
/// is the tooltip.
QToolButton* textButton(const QString& text, const QString& toolTip, QWidget* parent);

/// The cross that closes what it stands on.
QToolButton* closeButton(const QString& accessibleName, const QString& toolTip, QWidget* parent);

/// Marks a widget at the lower edge of a page: what is under the mouse there must stay there.
void setHoldsStill(QWidget& widget);
/// Whether the mouse is over such a widget.
bool holdsStill();

}  // namespace parapet::ui
