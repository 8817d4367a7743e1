// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <QApplication>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "app/parapet/dashboard.h"
#include "app/parapet/options.h"
#include "app/parapet/parts.h"
#include "app/parapet/termination_signals.h"
#include "app/parapet/workspace_question.h"
#include "engine/experiment/experiment_name.h"
#include "ui/models/document_source.h"
#include "ui/style/fonts.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::window {
namespace {

int report(const Error& error) {
  fmt::print(stderr, "error: {}\n", error.text());
  return static_cast<int>(cli::exitCodeOf(error.code));
}

/// The document that the command line names; nothing if it names none.
///
/// Errors   kNotFound also for what may be an experiment of the workspace.
Result<std::optional<ui::SourcedDocument>> namedDocument(const Options& options) {
  if (options.document.empty()) return std::optional<ui::SourcedDocument>();
  PARAPET_ASSIGN(ui::SourcedDocument source,
                 ui::documentOf(QString::fromStdString(options.document),
                                QString::fromStdString(options.data)));
  return std::optional(std::move(source));
}

/// What the window begins with besides what it remembers: a document, or an experiment of the
/// workspace by its id.
struct Beginning {
  std::optional<ui::SourcedDocument> document;
  std::string experimentId;
};

Result<Beginning> beginningOf(Result<std::optional<ui::SourcedDocument>> document,
                              const Options& options, workspace::Workspace& workspace) {
  if (document) return Beginning{std::move(document).value(), {}};
  if (document.error().code != ErrorCode::kNotFound) return document.error();
  const auto found = workspace.store().experiments().find(options.document);
  if (!found) return document.error().wrap(found.error().message);
  return Beginning{{}, found->id};
}

int openWindow(Parts& parts, const Beginning& beginning, const QString& dataFolder) {
  ui::MainWindow& window = parts.window();
  const bool hasExperiment = window.restore();
  window.setDataFolder(dataFolder);
  if (beginning.document)
    window.openSource(*beginning.document);
  else if (!beginning.experimentId.empty())
    window.experiments().open(QString::fromStdString(beginning.experimentId));
  else if (!hasExperiment)
    window.beginWith(QStringLiteral("sample"));
  window.show();
  // Data alone begin an experiment of their own, as those that are opened.
  if (!beginning.document && beginning.experimentId.empty() && !dataFolder.isEmpty()) {
    window.showPage(QStringLiteral("home"));
    window.openDropped(QFileInfo(dataFolder).absoluteFilePath());
  }
  const TerminationSignals termination;
  QObject::connect(&termination, &TerminationSignals::received, &window,
                   &ui::MainWindow::quitWithCheckpoint);
  parts.trainSampleIfEmpty();
  return QApplication::exec();
}

int run(int argc, char** argv) {
  const auto read = readOptions(argc, argv);
  if (const auto* code = std::get_if<cli::ExitCode>(&read)) return static_cast<int>(*code);
  const Options& options = std::get<Options>(read);
  auto document = namedDocument(options);
  if (!document && (document.error().code != ErrorCode::kNotFound ||
                    !experiment::checkExperimentTitle(options.document).ok()))
    return report(document.error());
  const bool dashboard = !options.dashboard.empty();
  if (dashboard) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("parapet"));
  QApplication::setApplicationDisplayName(QStringLiteral("Parapet"));
  QApplication::setApplicationVersion(QStringLiteral(PARAPET_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("org.parapet.Parapet"));
  QApplication::setWindowIcon(ui::programIcon());
  ui::applyUiFont();
  // A picture must not depend on how somebody left the window.
  const QTemporaryDir throwaway;
  const QString settings =
      dashboard ? throwaway.path()
                : QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation);
  auto parts = Parts::make(options.workspace, settings.toStdString());
  while (!parts) {
    const int code = report(parts.error());
    if (dashboard || !canAsk()) return code;
    const auto other = askForWorkspace(QString::fromStdString(parts.error().text()));
    if (!other) return code;
    parts = Parts::make(other->toStdString(), settings.toStdString());
  }
  Parts& all = **parts;
  ui::applyTheme(dashboard ? ui::Theme::kLight : ui::themeFromName(all.settings().theme()));
  const auto beginning = beginningOf(std::move(document), options, all.bench().workspace);
  if (!beginning) return report(beginning.error());
  if (!dashboard) return openWindow(all, *beginning, QString::fromStdString(options.data));
  const Status written = writeDashboard(all, QString::fromStdString(options.dashboard));
  return written.ok() ? static_cast<int>(cli::ExitCode::kDone) : report(written.error());
}

}  // namespace
}  // namespace parapet::window

// Nothing below throws on purpose; what does is told like any other failure.
int main(int argc, char** argv) {
  try {
    return parapet::window::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return static_cast<int>(parapet::cli::ExitCode::kFailed);
  }
}
