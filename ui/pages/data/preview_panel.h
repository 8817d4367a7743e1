// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QWidget>
#include <functional>
#include <vector>

#include "engine/workspace/source_questions.h"
#include "ui/controllers/side_files.h"
#include "ui/controllers/source_watch.h"
#include "ui/forms/field.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// The first rows of a source, as it has them; replaced as a whole. A cell without a value is an
/// empty one that says so to readers who do not see it.
class PreviewModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  void setPreview(workspace::SourcePreview preview);
  /// Columns that are read as times: their cells are shown as dates.
  void setTimes(std::vector<bool> times);
  [[nodiscard]] const workspace::SourcePreview& preview() const { return preview_; }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role) const override;

 private:
  [[nodiscard]] bool isTime(int column) const;

  workspace::SourcePreview preview_;
  std::vector<bool> times_;
};

/// A header whose sections hold the name of a column, its type (Qt::UserRole) and a box with what
/// the column is used as.
class RoleHeader : public QHeaderView {
  Q_OBJECT

 public:
  using OfColumn = std::function<QString(const QString&)>;
  /// Functions of the name of a column: `useOf` gives its use, "" for none; `reasonOf` why that is
  /// proposed, "" if a person chose it.
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

/// The first rows of the source under boxes that give the columns their roles; beside them, in a
/// tab of their own, rejected lines.
class PreviewPanel : public QWidget {
  Q_OBJECT

 public:
  PreviewPanel(ExperimentEditor& editor, SourceWatch& watch, SideFiles& files,
               QWidget* parent = nullptr);

  [[nodiscard]] PreviewModel& model() const { return *model_; }
  [[nodiscard]] ReportTableModel& rejectedLines() const { return *rejectedLines_; }
  [[nodiscard]] RoleHeader& header() const { return *header_; }
  [[nodiscard]] QString summary() const { return summary_->text(); }

 private:
  void follow();
  void showPreview();
  void showMessage(const QString& text);
  void followTimes();
  void followCount();
  /// The columns of a catalogue that was added stand behind the others; they come into sight.
  void showTitles();

  SourceWatch& watch_;
  PreviewModel* model_;
  ReportTableModel* rejectedLines_;
  QLabel* summary_;
  FindingsLabel* findings_;
  QTabWidget* tabs_;
  QTableView* rows_;
  QTableView* rejectedLineView_;
  RoleHeader* header_;
  std::string file_;  ///< that is shown
  int titles_ = 0;    ///< columns of catalogues that are shown
};

}  // namespace parapet::ui
