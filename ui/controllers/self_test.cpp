// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/self_test.h"

#include <algorithm>

#include "ui/bridge/shown_text.h"

namespace parapet::ui {

SelfTest::SelfTest(QObject* parent) : QObject(parent), background_("self-test", this) {
  connect(&background_, &Background::progressed, this,
          [this](const QString& stage, qint64 done, qint64 total) {
            // All devices have about as many cases.
            const auto before = static_cast<qint64>(devices_ - waiting_.size()) - 1;
            emit progressed(stage, before * total + done, static_cast<qint64>(devices_) * total);
          });
}

void SelfTest::start() {
  if (running_) return;
  waiting_ = selftest::devicesNamed("").value();
  std::ranges::reverse(waiting_);
  devices_ = waiting_.size();
  running_ = true;
  emit runningChanged(true);
  testNext();
}

void SelfTest::testNext() {
  if (waiting_.empty()) return end({});
  const tensor::Device device = waiting_.back();
  waiting_.pop_back();
  background_.start(
      [device](const WorkContext& context) { return selftest::testDevice(device, {}, context); },
      [this](const Result<selftest::DeviceReport>& report) {
        if (!report)
          return end(report.error().code == ErrorCode::kCancelled
                         ? tr("The self-test was stopped")
                         : shownText(report.error().text()));
        emit reported(*report);
        testNext();
      });
}

void SelfTest::end(const QString& error) {
  running_ = false;
  emit runningChanged(false);
  emit ended(error);
}

}  // namespace parapet::ui
