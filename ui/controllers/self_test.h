// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <vector>

#include "engine/selftest/device_report.h"
#include "ui/bridge/background.h"

namespace parapet::ui {

/// Tests the usable devices one after another in the background. A report comes as soon as its
/// device is done, so what was found before a stop stays.
class SelfTest : public QObject {
  Q_OBJECT

 public:
  explicit SelfTest(QObject* parent = nullptr);

  void start();
  void stop() { background_.stop(); }
  [[nodiscard]] bool running() const { return running_; }

 signals:
  void runningChanged(bool running);
  /// Cases of all devices together.
  void progressed(const QString& stage, qint64 done, qint64 total);
  void reported(const parapet::selftest::DeviceReport& report);
  /// Why it ended early; empty if it did not.
  void ended(const QString& error);

 private:
  void testNext();
  void end(const QString& error);

  Background background_;
  std::vector<tensor::Device> waiting_;  ///< the next one last
  std::size_t devices_ = 0;
  bool running_ = false;
};

}  // namespace parapet::ui
