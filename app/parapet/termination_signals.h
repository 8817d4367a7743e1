// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <array>

namespace parapet::window {

/// Turns SIGTERM, SIGINT and SIGHUP into a Qt signal of the event loop. A handler may do next to
/// nothing, so it writes one byte into a socket that the event loop reads.
///
/// The first signal asks; a second one of the same kind ends the program at once, as it would
/// without this object.
///
/// Thread   GUI; one object at a time.
class TerminationSignals : public QObject {
  Q_OBJECT

 public:
  explicit TerminationSignals(QObject* parent = nullptr);
  ~TerminationSignals() override;

 signals:
  void received();

 private:
  std::array<int, 2> sockets_{-1, -1};  ///< read by the event loop, written by the handler
};

}  // namespace parapet::window
