// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/data_sources.h"

#include <QFileInfo>

#include "ui/models/recipe_summary.h"

namespace parapet::ui {

DataSources::DataSources(workspace::Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {}

void DataSources::refresh() {
  background_.start(
      [&store = workspace_.store()](const WorkContext&) -> Result<QVector<Entry>> {
        PARAPET_ASSIGN(const auto sources, store.dataSources(2 * kMaxSources));
        QVector<Entry> found;
        for (const store::DataSource& source : sources) {
          const QFileInfo info(QString::fromStdString(source.path));
          if (info.exists() && found.size() < kMaxSources)
            found.append({info.filePath(), info.fileName(), recipesFor(info.filePath())});
        }
        return found;
      },
      [this](Result<QVector<Entry>> found) {
        if (!found || *found == entries_) return;
        entries_ = std::move(found).value();
        emit changed();
      });
}

}  // namespace parapet::ui
