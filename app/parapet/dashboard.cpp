// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/dashboard.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>

#include "engine/base/files.h"
#include "ui/models/document_source.h"
#include "ui/pages/train/train_page.h"

namespace parapet::window {
namespace {

constexpr QSize kSize(1600, 1000);
constexpr int kMaxTrainingMs = 10 * 60 * 1000, kMaxLoadingMs = 15 * 1000;
/// The page fills itself from the background; a picture that has not changed for this long is done.
constexpr int kQuietMs = 600, kLookMs = 100;

void wait(int milliseconds) {
  QEventLoop loop;
  QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
  loop.exec();
}

Result<QString> newestFinished(workspace::Workspace& workspace) {
  PARAPET_ASSIGN(const auto runs, workspace.store().runs());
  for (const store::RunRecord& run : runs)
    if (run.state == experiment::RunState::kFinished) return QString::fromStdString(run.id);
  return QString();
}

Result<QString> trainSample(ui::RunController& runs) {
  PARAPET_ASSIGN(const auto sample, ui::documentOfRecipe(QStringLiteral("sample"), QString()));
  QEventLoop loop;
  std::optional<Error> failure;
  QObject::connect(&runs, &ui::RunController::failed, &loop, [&](const Error& error) {
    failure = error;
    loop.quit();
  });
  QObject::connect(&runs, &ui::RunController::ended, &loop,
                   [&](const QString&, experiment::RunState state, const QString& error) {
                     if (state != experiment::RunState::kFinished)
                       failure = Error{ErrorCode::kInternal, error.toStdString()};
                     loop.quit();
                   });
  QTimer::singleShot(kMaxTrainingMs, &loop, &QEventLoop::quit);
  runs.start(experiment::parse(sample.document).experiment, sample.origin);
  if (runs.active()) loop.exec();
  if (failure) return failure->wrap("the recipe sample did not finish");
  if (runs.active()) return Error{ErrorCode::kInternal, "the recipe sample did not finish in time"};
  return runs.runId();
}

QImage settledPicture(QWidget& page) {
  // Plots have no size before the first layout.
  wait(kLookMs);
  QElapsedTimer all, quiet;
  all.start();
  quiet.start();
  QImage last = page.grab().toImage();
  while (quiet.elapsed() < kQuietMs && all.elapsed() < kMaxLoadingMs) {
    wait(kLookMs);
    QImage now = page.grab().toImage();
    if (now != last) quiet.restart();
    last = std::move(now);
  }
  return last;
}

}  // namespace

Status writeDashboard(Parts& parts, const QString& file) {
  PARAPET_ASSIGN(QString run, newestFinished(parts.bench().workspace));
  if (run.isEmpty()) {
    PARAPET_ASSIGN(run, trainSample(parts.bench().runs));
  }
  // Out of the window, so that it has the whole picture; the window still owns it.
  auto* page = qobject_cast<ui::TrainPage*>(parts.window().page(QStringLiteral("train")));
  if (!page) return Error{ErrorCode::kInternal, "the window has no page Train"};
  page->setParent(nullptr);
  page->resize(kSize);
  page->show();
  page->showRun(run);
  const QImage picture = settledPicture(*page);
  if (!picture.save(file, "PNG"))
    return Error{.code = ErrorCode::kIo,
                 .message = "cannot write the picture " + file.toStdString(),
                 .path = file.toStdString()};
  return {};
}

}  // namespace parapet::window
