// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "engine/base/progress.h"

namespace parapet::ui {

/// Carries the progress of work in another thread to the thread of an object: the newest alone, and
/// no more than one on its way, however often it is told.
///
/// Life     a report that arrives after `receiver` is gone is dropped; the work must have ended
///          before it goes.
/// Thread   the returned function: any.
ProgressFunction latestProgressTo(
    QObject* receiver, std::function<void(const QString& stage, qint64 done, qint64 total)> tell);

}  // namespace parapet::ui
