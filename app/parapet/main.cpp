// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <QApplication>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "app/parapet/dashboard.h"
#include "app/parapet/options.h"
#include "app/parapet/parts.h"
#include "app/parapet/termination_signals.h"
#include "ui/models/document_source.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::window {
namespace {

int report(const Error& error) {
  fmt::print(stderr, "error: {}\n", error.text());
  return static_cast<int>(cli::exitCodeOf(error.code));
}

/// The document that the command line names; nothing if it names none.
Result<std::optional<ui::SourcedDocument>> namedDocument(const Options& options) {
  const QString data = QString::fromStdString(options.data);
  QString document = QString::fromStdString(options.document);
  if (document.isEmpty() && data.isEmpty()) return std::optional<ui::SourcedDocument>();
  if (document.isEmpty()) document = QStringLiteral("movielens-retrieval");
  PARAPET_ASSIGN(ui::SourcedDocument source, ui::documentOf(document, data));
  return std::optional(std::move(source));
}

int openWindow(Parts& parts, const std::optional<ui::SourcedDocument>& document,
               const QString& dataFolder) {
  ui::MainWindow& window = parts.window();
  const bool hasExperiment = window.restore();
  window.setDataFolder(dataFolder);
  if (document)
    window.openSource(*document);
  else if (!hasExperiment)
    window.beginWith(QStringLiteral("sample"));
  window.show();
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
  const auto document = namedDocument(options);
  if (!document) return report(document.error());
  const bool dashboard = !options.dashboard.empty();
  if (dashboard) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("parapet"));
  QApplication::setApplicationDisplayName(QStringLiteral("Parapet"));
  QApplication::setApplicationVersion(QStringLiteral(PARAPET_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("org.parapet.Parapet"));
  QApplication::setWindowIcon(ui::programIcon());
  // A picture must not depend on how somebody left the window.
  const QTemporaryDir throwaway;
  const QString settings =
      dashboard ? throwaway.path()
                : QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation);
  auto parts = Parts::make(options.workspace, settings.toStdString());
  if (!parts) return report(parts.error());
  Parts& all = **parts;
  ui::applyTheme(dashboard ? ui::Theme::kLight : ui::themeFromName(all.settings().theme()));
  if (!dashboard) return openWindow(all, *document, QString::fromStdString(options.data));
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
