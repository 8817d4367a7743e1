// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QHeaderView>
#include <functional>
#include <vector>

namespace parapet::ui {

/// A header whose sections hold the name of a column, its type (Qt::UserRole) and a box with what
/// the column is used as.
class RoleHeader : public QHeaderView {
  Q_OBJECT

 public:
  using OfColumn = std::function<QString(const QString&)>;
  /// Of the column of a name: `useOf` its use, "" for none; `reasonOf` why that is proposed, "" if
  /// a person chose it.
  RoleHeader(OfColumn useOf, OfColumn reasonOf, QWidget* parent);
  [[nodiscard]] QComboBox* box(int column) const;
  /// Shows uses anew.
  void follow();

  [[nodiscard]] QSize sizeHint() const override;

 signals:
  void useChosen(const QString& column, const QString& use);

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;
  [[nodiscard]] QSize sectionSizeFromContents(int section) const override;
  void updateGeometries() override;

 private:
  void makeBoxes();
  void placeBoxes();
  [[nodiscard]] QString nameOf(int section) const;

  OfColumn useOf_, reasonOf_;
  std::vector<QComboBox*> boxes_;
};

}  // namespace parapet::ui
