// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

namespace parapet::ui {

/// Makes a timer call a slot once, `pauseMs` after its last start(): what changes often is followed
/// when it rests.
template <class Receiver, class Slot>
void callAfterPause(QTimer& timer, int pauseMs, Receiver* receiver, Slot slot) {
  timer.setSingleShot(true);
  timer.setInterval(pauseMs);
  QObject::connect(&timer, &QTimer::timeout, receiver, slot);
}

}  // namespace parapet::ui
