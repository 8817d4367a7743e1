// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/latest_progress.h"

#include <QMetaObject>
#include <memory>
#include <mutex>
#include <utility>

namespace parapet::ui {
namespace {

struct LatestReport {
  std::mutex mutex;
  QString stage;
  std::int64_t done = 0, total = 0;
  bool posted = false;
};

}  // namespace

ProgressFunction latestProgressTo(
    QObject* receiver, std::function<void(const QString& stage, qint64 done, qint64 total)> tell) {
  auto latest = std::make_shared<LatestReport>();
  return [receiver, latest, tell = std::move(tell)](std::string_view stage, std::int64_t done,
                                                    std::int64_t total) {
    {
      std::lock_guard lock(latest->mutex);
      latest->stage = QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
      latest->done = done;
      latest->total = total;
      if (std::exchange(latest->posted, true)) return;
    }
    QMetaObject::invokeMethod(
        receiver,
        [latest, tell] {
          std::unique_lock lock(latest->mutex);
          const QString text = latest->stage;
          const std::int64_t reached = latest->done, all = latest->total;
          latest->posted = false;
          lock.unlock();
          tell(text, reached, all);
        },
        Qt::QueuedConnection);
  };
}

}  // namespace parapet::ui
