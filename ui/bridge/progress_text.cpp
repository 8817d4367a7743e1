// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/progress_text.h"

#include <QObject>
#include <algorithm>

namespace parapet::ui {
namespace {

struct Stage {
  const char* reported;
  const char* text;
};

/// Where it is more than the word with a capital.
constexpr Stage kStages[] = {
    {"reading", QT_TRANSLATE_NOOP("QObject", "Importing")},
    {"catalogue", QT_TRANSLATE_NOOP("QObject", "Importing a catalogue")},
    {"vectors", QT_TRANSLATE_NOOP("QObject", "Importing vectors")},
    {"k-core", QT_TRANSLATE_NOOP("QObject", "Finding the k-core")},
};

}  // namespace

QString stageText(const QString& stage) {
  for (const Stage& known : kStages)
    if (stage == QLatin1String(known.reported)) return QObject::tr(known.text);
  return stage.isEmpty() ? stage : stage.left(1).toUpper() + stage.mid(1);
}

QString progressText(const QString& stage, qint64 done, qint64 total) {
  if (total <= 0) return QObject::tr("%1 …").arg(stageText(stage));
  return QObject::tr("%1 … %2 %")
      .arg(stageText(stage))
      .arg(100 * std::clamp<qint64>(done, 0, total) / total);
}

}  // namespace parapet::ui
