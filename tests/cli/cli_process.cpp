// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/cli_process.h"

#include <QFile>

namespace parapet::test {
namespace {

constexpr int kLimitMs = 240000;  // for a machine with ten times as much to do as it has cores

}  // namespace

nlohmann::json CliResult::json() const {
  const nlohmann::json none(nlohmann::json::value_t::discarded);
  if (!out.endsWith('\n') || out.count('\n') != 1) return none;
  return nlohmann::json::parse(out.begin(), out.end(), nullptr, false);
}

Cli::Cli() = default;

QString Cli::write(const QString& name, const QByteArray& content) const {
  QFile file(folder(name));
  if (file.open(QIODevice::WriteOnly)) file.write(content);
  return file.fileName();
}

CliResult Cli::run(const QStringList& arguments, const QByteArray& input) const {
  auto process = start(arguments);
  process->write(input);
  process->closeWriteChannel();
  return finish(*process);
}

CliResult Cli::ask(const QStringList& arguments, const QByteArray& input) const {
  return run(arguments + QStringList{"--json", "--quiet"}, input);
}

std::unique_ptr<QProcess> Cli::start(const QStringList& arguments) const {
  auto process = std::make_unique<QProcess>();
  process->start(PARAPET_CLI, QStringList{"--workspace", workspace()} + arguments);
  process->waitForStarted();
  return process;
}

CliResult Cli::finish(QProcess& process) {
  CliResult result;
  if (process.state() != QProcess::NotRunning && !process.waitForFinished(kLimitMs)) {
    process.kill();
    process.waitForFinished();
    return result;
  }
  result.out = process.readAllStandardOutput();
  result.err = process.readAllStandardError();
  if (process.exitStatus() == QProcess::NormalExit) result.code = process.exitCode();
  return result;
}

bool Cli::waitForStderr(QProcess& process, const QByteArray& text, QByteArray& seen) {
  process.setReadChannel(QProcess::StandardError);
  for (;;) {
    seen += process.readAllStandardError();
    if (seen.contains(text)) return true;
    if (!process.waitForReadyRead(kLimitMs)) return false;
  }
}

}  // namespace parapet::test
