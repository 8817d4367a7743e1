// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/runs_source.h"

#include "ui/bridge/shown_text.h"

namespace parapet::ui {

RunsSource::RunsSource(store::RunStore& store, RunBridge& bridge, RunsModel& model, QObject* parent)
    : QObject(parent), store_(store), model_(model) {
  connect(&timer_, &QTimer::timeout, this, &RunsSource::refresh);
  const auto changed = [this] {
    if (active_) refresh();
  };
  connect(&bridge, &RunBridge::runStarted, this, changed);
  connect(&bridge, &RunBridge::stateChanged, this, changed);
  connect(&bridge, &RunBridge::runEnded, this, changed);
}

void RunsSource::setActive(bool active) {
  active_ = active;
  if (!active) return timer_.stop();
  timer_.start(kPollMs);
  refresh();
}

void RunsSource::refresh() {
  if (reader_.running()) {
    again_ = true;
    return;
  }
  reader_.start(
      [&store = store_, known = model_.rows()](const WorkContext&) {
        // A store that cannot write now still tells what it has.
        (void)store.flush();
        return readRunRows(store, known);
      },
      [this](Result<std::vector<RunRow>> rows) { finish(std::move(rows)); });
}

void RunsSource::finish(Result<std::vector<RunRow>> rows) {
  // Older than what has happened meanwhile, e.g. a new name: reading again, it would flicker.
  if (std::exchange(again_, false)) return refresh();
  if (rows) {
    lastError_.clear();
    model_.setRows(std::move(*rows));
    emit refreshed();
    return;
  }
  const QString text = shownText(rows.error().text());
  if (std::exchange(lastError_, text) != text) emit failed(text);
}

}  // namespace parapet::ui
