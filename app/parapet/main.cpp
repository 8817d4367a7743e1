// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <QApplication>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>

#include "app/parapet/dashboard.h"
#include "app/parapet/options.h"
#include "app/parapet/parts.h"
#include "app/parapet/start_mark.h"
#include "app/parapet/start_questions.h"
#include "app/parapet/termination_signals.h"
#include "engine/base/process.h"
#include "engine/experiment/experiment_name.h"
#include "ui/models/document_source.h"
#include "ui/models/languages.h"
#include "ui/style/fonts.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::window {
namespace {

/// By then devices have been tried and pages filled: what crashes a program at its start has done so.
constexpr int kStartMs = 5000;

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

/// The document of the command line that the window opens: a document, or an experiment of the
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

/// Keeps this process from opening plugins: a list of folders without one. What is left is the built-in
/// CPU backend, and ranks that exchange within the process.
void leavePluginsOut() {
  qputenv("PARAPET_PLUGIN_PATH", ":");
  qunsetenv("PARAPET_CPU_BACKEND");
  qunsetenv("PARAPET_COMMUNICATOR");
}

/// The mark of this process; none where the window is not opened.
///
/// Qt ends a program by exit() when the desktop goes away, which is no crash: the mark must go then, too,
/// so it lives until the process ends rather than in a function.
StartMark& startMark() {
  static StartMark mark(stateFolder().empty() ? stateFolder() : stateFolder() / "windows");
  return mark;
}

/// Marks the start; after a crash of the last one, whoever sees the question decides.
bool startsInSafeMode(const Options& options) {
  const LastEnd lastEnd = startMark().lastEnd();
  if (options.safeMode || lastEnd == LastEnd::kOrderly) return options.safeMode;
  fmt::print(stderr,
             "warning: the last window did not end orderly; `parapet --safe-mode` starts without "
             "plugins and with the default layout and settings\n");
  return lastEnd == LastEnd::kCrashedAtStart && canAsk() && askForSafeMode();
}

/// How the window was closed.
struct Closed {
  int code;
  bool restarts;  ///< in the other mode: safe or normal
};

Closed openWindow(Parts& parts, const Beginning& beginning, const Options& options) {
  const QString dataFolder = QString::fromStdString(options.data);
  ui::MainWindow& window = parts.window();
  const bool isModel = workspace::Workspace::isModel(parts.bench().workspace.folder());
  const bool hasExperiment = window.restore();
  window.setDataFolder(dataFolder);
  if (beginning.document)
    window.openSource(*beginning.document);
  else if (!beginning.experimentId.empty())
    window.experiments().open(QString::fromStdString(beginning.experimentId));
  else if (!hasExperiment && dataFolder.isEmpty()) {
    window.beginWith(QStringLiteral("sample"));
    if (!isModel && !options.safeMode) window.offerTour();
  }
  window.show();
  if (isModel) window.showPage(QStringLiteral("browse"));
  // Data alone begin an experiment of their own, as those that are opened.
  if (!beginning.document && beginning.experimentId.empty() && !dataFolder.isEmpty()) {
    window.showPage(QStringLiteral("home"));
    window.openDropped(QFileInfo(dataFolder).absoluteFilePath());
  }
  const TerminationSignals termination;
  QObject::connect(&termination, &TerminationSignals::received, &window,
                   &ui::MainWindow::quitWithCheckpoint);
  bool restarts = false;
  QObject::connect(&window, &ui::MainWindow::restartRequested, &window, [&restarts, &window] {
    restarts = true;
    window.quitWithCheckpoint();
  });
  if (options.safeMode)
    window.showSafeMode();
  else if (startMark().lastEnd() != LastEnd::kOrderly)
    window.offerSafeMode();
  parts.trainSampleIfEmpty();
  QTimer::singleShot(kStartMs, &window, [] { startMark().setStarted(); });
  const int code = QApplication::exec();
  return {code, restarts};
}

/// Opens the workspace in a new process, in the other mode.
void restart(const std::filesystem::path& folder, bool safeMode,
             const QProcessEnvironment& environment) {
  QProcess next;
  next.setProgram(QCoreApplication::applicationFilePath());
  const bool isModel = workspace::Workspace::isModel(folder);
  QStringList arguments{isModel ? QStringLiteral("--model") : QStringLiteral("--workspace"),
                        QString::fromStdString(folder.string())};
  if (safeMode) arguments << QStringLiteral("--safe-mode");
  next.setArguments(arguments);
  next.setProcessEnvironment(environment);
  if (!next.startDetached())
    fmt::print(stderr, "error: Parapet could not be started again: {}\n",
               next.errorString().toStdString());
}

int run(int argc, char** argv) {
  const auto read = readOptions(argc, argv);
  if (const auto* code = std::get_if<cli::ExitCode>(&read)) return static_cast<int>(*code);
  Options options = std::get<Options>(read);
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
  const QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  const QString ofUser = QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation);
  // Numbers read alike in every language; a file dialog asks the desktop. The language is the one
  // setting that safe mode reads, since it asks first.
  QLocale::setDefault(QLocale::c());
  const ui::Translation translation(
      !options.language.empty() ? QString::fromStdString(options.language)
      : dashboard               ? QStringLiteral("en")
                                : ui::AppSettings::languageIn(ofUser.toStdString()));
  if (!dashboard) options.safeMode = startsInSafeMode(options);
  if (options.safeMode) leavePluginsOut();
  // A picture must not depend on how somebody left the window, nor safe mode.
  const QTemporaryDir throwaway;
  const QString settings = dashboard || options.safeMode ? throwaway.path() : ofUser;
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
  if (!dashboard) {
    const Closed closed = openWindow(all, *beginning, options);
    const std::filesystem::path folder = all.bench().workspace.folder();
    parts->reset();
    if (closed.restarts) restart(folder, !options.safeMode, environment);
    return closed.code;
  }
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
