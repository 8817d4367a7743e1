// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <memory>
#include <nlohmann/json.hpp>

namespace parapet::test {

/// The result of one call of the program.
struct CliResult {
  int code = -1;  ///< −1: it did not start, ran into the time limit, or a signal ended it
  QByteArray out, err;

  /// stdout as the one JSON value and one newline that --json promises; discarded if it is not.
  [[nodiscard]] nlohmann::json json() const;
};

/// The built program with a workspace of its own.
class Cli {
 public:
  Cli();
  [[nodiscard]] QString folder(const QString& name) const { return temporary_.filePath(name); }
  [[nodiscard]] QString workspace() const { return folder("workspace"); }
  /// Writes a file into the temporary folder and returns its path.
  QString write(const QString& name, const QByteArray& content) const;

  [[nodiscard]] CliResult run(const QStringList& arguments, const QByteArray& input = {}) const;
  /// With --json and --quiet.
  [[nodiscard]] CliResult ask(const QStringList& arguments, const QByteArray& input = {}) const;
  /// Started, not waited for; its stderr can be read while it runs.
  [[nodiscard]] std::unique_ptr<QProcess> start(const QStringList& arguments) const;
  [[nodiscard]] static CliResult finish(QProcess& process);
  /// Waits until stderr of a living process holds `text`; what came so far is appended to `seen`.
  [[nodiscard]] static bool waitForStderr(QProcess& process, const QByteArray& text,
                                          QByteArray& seen);

 private:
  QTemporaryDir temporary_;
};

}  // namespace parapet::test
