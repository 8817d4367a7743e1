// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"

namespace parapet::ui {

/// Data that runs and experiments of the workspace have used and that are still there, used last first.
class DataSources : public QObject {
  Q_OBJECT

 public:
  static constexpr int kMaxSources = 8;
  struct Entry {
    QString path, name;   ///< name: the last part of the path
    QStringList recipes;  ///< that could be used with them
    bool operator==(const Entry&) const = default;
  };
  explicit DataSources(workspace::Workspace& workspace, QObject* parent = nullptr);
  /// Reads again, off the GUI thread.
  void refresh();
  [[nodiscard]] const QVector<Entry>& entries() const { return entries_; }

 signals:
  void changed();

 private:
  workspace::Workspace& workspace_;
  QVector<Entry> entries_;
  Background background_;
};

/// A recipe as a person chooses it.
struct RecipeSummary {
  /// The thing that a person points at when the data of a recipe are chosen.
  enum class Chosen {
    kNothing,  ///< it needs none
    kFolder,
    kFile,
    kFileOrFolder,
  };
  QString name, title;
  QString picture;    ///< icon of its kind of model
  QString model;      ///< what is trained: "two towers · 16 dimensions · adagrad · 20 epochs"
  QString needs;      ///< what has to be there first
  QString reference;  ///< published numbers it is compared with; "" if none
  bool needsData = false;
  Chosen chosen = Chosen::kNothing;
  QString folderTip, fileTip, fileFilter;  ///< of a dialog that asks for its data
  QString download;  ///< known data that it reads, "MovieLens 100K"; "" if none
};

/// All recipes, in the order they are offered.
QVector<RecipeSummary> recipeSummaries();

/// The recipes that could be used with the data at `path` as they are: those that read such texts,
/// MovieLens, or tables with such columns. Reads the first rows.
QStringList recipesFor(const QString& path);

}  // namespace parapet::ui
