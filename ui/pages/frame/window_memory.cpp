// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/window_memory.h"

#include <QApplication>

#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

/// The version of layout.json and of the docks and toolbars in it.
constexpr int kVersion = 1;
constexpr int kLookMs = 500;

std::string encoded(const QByteArray& bytes) {
  return bytes.toBase64().toStdString();
}

QByteArray decoded(const nlohmann::json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_string()) return {};
  return QByteArray::fromBase64(QByteArray::fromStdString(at->get<std::string>()));
}

}  // namespace

FocusHistory::FocusHistory(QObject* parent) : QObject(parent) {
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
}

void FocusHistory::watch(QWidget* page) {
  pages_.push_back({page, nullptr});
}

void FocusHistory::follow(QWidget* now) {
  if (now == nullptr) return;
  for (Watched& watched : pages_)
    if (watched.page && watched.page->isAncestorOf(now)) watched.last = now;
}

QWidget* FocusHistory::lastOf(const QWidget* page) const {
  for (const Watched& watched : pages_)
    if (watched.page == page) return watched.last;
  return nullptr;
}

void FocusHistory::give(QWidget* page, QWidget* last) {
  if (last != nullptr && last->isVisibleTo(page) && last->isEnabled())
    last->setFocus(Qt::OtherFocusReason);
  else
    page->setFocus(Qt::OtherFocusReason);
}

WindowMemory::WindowMemory(QMainWindow& window, const std::filesystem::path& folder,
                           Collect collect)
    : QObject(&window),
      window_(window),
      file_(folder / "layout.json", kVersion),
      collect_(std::move(collect)) {
  timer_.setInterval(kLookMs);
  connect(&timer_, &QTimer::timeout, this, &WindowMemory::look);
}

nlohmann::json WindowMemory::restore() {
  nlohmann::json saved = file_.load();
  if (saved.empty()) return nlohmann::json::object();
  // Refused for a screen of another size, too; then the window stands as it does at first.
  window_.restoreGeometry(decoded(saved, "geometry"));
  const bool arranged = window_.restoreState(decoded(saved, "docks"), kVersion);
  const auto content = saved.find("content");
  if (!arranged || content == saved.end() || !content->is_object()) {
    file_.setAside("it describes no window");
    return nlohmann::json::object();
  }
  written_ = saved;
  return *content;
}

void WindowMemory::begin() {
  timer_.start();
}

QString WindowMemory::warning() const {
  return shownText(file_.warning());
}

nlohmann::json WindowMemory::current() const {
  nlohmann::json now;
  now["geometry"] = encoded(window_.saveGeometry());
  now["docks"] = encoded(window_.saveState(kVersion));
  now["content"] = collect_();
  return now;
}

void WindowMemory::look() {
  // A write that takes longer than a look is waited for: two at once could land in the wrong order.
  if (writer_.running() || !window_.isVisible()) return;
  nlohmann::json now = current();
  if (now == written_) return;
  written_ = now;
  writer_.start([file = file_, now = std::move(now)](const WorkContext&) { return file.save(now); },
                [this](const Status& saved) {
                  if (!saved && !std::exchange(complained_, true))
                    emit failed(shownText(saved.error().text()));
                });
}

}  // namespace parapet::ui
