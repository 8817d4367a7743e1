// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>

class QObject;
class QWidget;

namespace parapet::ui {

/// What a dialog for files says.
struct FileQuestion {
  QString title;
  QString filter;  ///< "Tables (*.csv *.parquet);;All files (*)"
  QString folder;  ///< where it begins; "": where the last one was
};

/// Asks for a file that is there; `take` gets its path while `context` lives.
void chooseFile(QWidget* parent, const FileQuestion& question, QObject* context,
                std::function<void(const QString&)> take);

/// Tables that may lie beside the data, with arrays of vectors or without.
QString tableFilter();
QString vectorFilter();

}  // namespace parapet::ui
