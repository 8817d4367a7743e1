// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/store_warnings.h"

#include <utility>

#include "ui/bridge/shown_text.h"

namespace parapet::window {

void StoreWarnings::add(const std::string& message) {
  const QString shown = ui::shownText(message);
  {
    const std::lock_guard lock(mutex_);
    if (!delivering_) {
      early_.append(shown);
      return;
    }
  }
  emit arrived(shown);
}

void StoreWarnings::deliver() {
  QStringList early;
  {
    const std::lock_guard lock(mutex_);
    delivering_ = true;
    std::swap(early, early_);
  }
  for (const QString& message : early) emit arrived(message);
}

}  // namespace parapet::window
