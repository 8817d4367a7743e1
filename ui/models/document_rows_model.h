// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <vector>

#include "ui/models/document_schema.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/problems_model.h"

namespace parapet::ui {

/// A list of a document as a table: a row per entry, a column per key. It holds a copy of the list
/// to tell views exactly what changed; every edit goes through the editor and comes back from it.
///
/// Roles    kPointerRole: JSON pointer of the cell. kSeverityRole: Severity as int. Findings of a
/// cell are its tooltip and decoration; those of a whole row stand in its first column.
class DocumentRowsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { kPointerRole = Qt::UserRole, kSeverityRole };

  /// Elements of an array of the document; the editor outlives the model.
  DocumentRowsModel(ExperimentEditor& editor, QString arrayPointer, QObject* parent = nullptr);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  [[nodiscard]] const QString& arrayPointer() const { return arrayPointer_; }
  [[nodiscard]] QString cellPointer(const QModelIndex& index) const;
  /// The cell that a pointer lies in; an invalid index if it lies elsewhere.
  [[nodiscard]] QModelIndex indexOf(const QString& pointer) const;
  [[nodiscard]] ExperimentEditor& editor() const { return editor_; }
  /// Words that a cell accepts besides what is typed: those of the schema, or names of other fields
  /// of the document with what null is called.
  [[nodiscard]] QStringList choices(int column) const;
  /// The choices of one cell, where entries differ in what they may name.
  [[nodiscard]] virtual QStringList choicesAt(const QModelIndex& index) const {
    return choices(index.column());
  }
  /// Whether a column has choices at all, be there none at the moment.
  [[nodiscard]] bool offersChoices(int column) const;
  [[nodiscard]] const FieldInfo& info(int column) const;
  /// The word for null in a column; "" if there is none.
  [[nodiscard]] const QString& absentOf(int index) const { return column(index).absent; }
  /// Whether a cell opens the settings at its pointer.
  [[nodiscard]] bool opensSettings(int column) const;

  /// Whether a cell is the path of a file.
  [[nodiscard]] bool namesFile(int column) const;

  /// The kinds of rows that can be added, in the user's words; empty: rows of one kind.
  [[nodiscard]] virtual QStringList additions() const { return {}; }
  /// The purpose of an addition, in a few words; "" if its name says it.
  [[nodiscard]] virtual QString purposeOf(int) const { return {}; }
  /// Whether the order of rows means something, so that rows can be moved.
  [[nodiscard]] virtual bool ordered() const { return false; }

  // Each is one undo step.
  /// The new row, which stands at the end. `addition`: one of additions(), or −1.
  virtual int addRow(int addition = -1);
  int duplicateRow(int row);
  void removeRowAt(int row);
  /// False if there is no row there.
  bool moveRow(int from, int to);

 protected:
  enum class ColumnKind {
    kValue,     ///< a key of the document
    kFile,      ///< one that is the path of a file
    kComputed,  ///< follows from the document, or from elsewhere
    kSettings,  ///< a summary of the entry, which opens all of its settings
  };
  void addColumn(const char* key, const QString& title, ColumnKind kind = ColumnKind::kValue);
  void addComputed(const QString& title, const QString& toolTip,
                   ColumnKind kind = ColumnKind::kComputed);
  /// Entry of addRow().
  [[nodiscard]] virtual nlohmann::json newEntry(int addition) const = 0;
  /// "table", for the names of undo steps.
  [[nodiscard]] virtual QString entryName() const = 0;
  /// Data of columns that the document does not have.
  [[nodiscard]] virtual QVariant computed(int, int, int) const { return {}; }
  /// A value of the document as a cell shows it.
  [[nodiscard]] virtual QString shownCell(int row, int column,
                                          const nlohmann::ordered_json& value) const;
  /// The document is another one; rows are compared after this.
  virtual void prepare() {}
  /// Before an entry is added, in the same undo step.
  virtual void prepareAddition(int) {}
  [[nodiscard]] const nlohmann::ordered_json& entries() const { return entries_; }
  /// `wanted`, or `wanted` with a number that no entry has.
  [[nodiscard]] QString freeName(const QString& wanted) const;

 private:
  struct Column {
    QString key;  ///< "" for a column that the document does not have
    QString title;
    QString toolTip;  ///< only if there is no key
    ColumnKind kind = ColumnKind::kValue;
    FieldInfo info{};
    QString absent{};  ///< what null is called; "" if nothing
  };
  [[nodiscard]] const Column& column(int index) const {
    return columns_[static_cast<std::size_t>(index)];
  }
  void follow();
  void replaceEntries(nlohmann::ordered_json next);
  void touchAll();
  [[nodiscard]] nlohmann::ordered_json valueOf(const QModelIndex& index) const;
  [[nodiscard]] experiment::Findings findingsOf(const QModelIndex& index) const;
  [[nodiscard]] QVariant documentData(const QModelIndex& index, int role) const;

  ExperimentEditor& editor_;
  QString arrayPointer_;
  std::vector<Column> columns_;
  nlohmann::ordered_json entries_ = nlohmann::ordered_json::array();
};

}  // namespace parapet::ui
