// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace parapet::ui {

/// A zoomed part of a plot in its own coordinates.
struct PlotView {
  double left = 0.0, right = 1.0, bottom = 0.0, top = 1.0;
  bool operator==(const PlotView&) const = default;
};

/// Where a person has zoomed, like the pages of a browser. The first entry is always "everything"
/// (nullopt: the axes follow the data).
class ZoomHistory {
 public:
  /// Views kept; the oldest zooms are forgotten first.
  static constexpr std::size_t kDepth = 64;

  ZoomHistory() { reset(); }
  /// A new view; what was ahead of the present one is forgotten.
  void push(const PlotView& view);
  /// Changes the present view without a new entry: the turns of one wheel gesture are one zoom.
  /// While everything is shown, this is push().
  void replace(const PlotView& view);
  void back();
  void forward();
  void reset();
  [[nodiscard]] bool canGoBack() const { return now_ > 0; }
  [[nodiscard]] bool canGoForward() const { return now_ + 1 < views_.size(); }
  [[nodiscard]] const std::optional<PlotView>& current() const { return views_[now_]; }

 private:
  std::vector<std::optional<PlotView>> views_;
  std::size_t now_ = 0;
};

}  // namespace parapet::ui
