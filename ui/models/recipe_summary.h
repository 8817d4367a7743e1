// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QVector>

namespace parapet::ui {

/// A recipe as a person chooses it.
struct RecipeSummary {
  /// What a person points at when its data are chosen.
  enum class Chosen {
    kNothing,  ///< it needs none
    kFolder,
    kFile,
    kFileOrFolder,
  };
  QString name, title;
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
