// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/zoom_history.h"

namespace parapet::ui {

void ZoomHistory::push(const PlotView& view) {
  if (current() == view) return;
  views_.resize(now_ + 1);
  views_.emplace_back(view);
  if (views_.size() > kDepth) views_.erase(views_.begin() + 1);
  now_ = views_.size() - 1;
}

void ZoomHistory::replace(const PlotView& view) {
  if (!current()) return push(view);
  views_.resize(now_ + 1);
  views_[now_] = view;
}

void ZoomHistory::back() {
  if (canGoBack()) --now_;
}

void ZoomHistory::forward() {
  if (canGoForward()) ++now_;
}

void ZoomHistory::reset() {
  views_.assign(1, std::nullopt);
  now_ = 0;
}

}  // namespace parapet::ui
