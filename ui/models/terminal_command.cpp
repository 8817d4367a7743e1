// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/terminal_command.h"

#include <QRegularExpression>
#include <QStringList>

#include "engine/base/quoting.h"
#include "engine/workspace/workspace.h"
#include "ui/models/document_edits.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;

bool changesShape(const Json* left, const Json* right) {
  if (left == nullptr || right == nullptr || left->type() != right->type()) return true;
  if (left->is_array()) return left->size() != right->size();
  if (!left->is_object()) return false;
  for (const char* selector : {"kind", "source"})
    if (left->contains(selector) && (*left)[selector] != right->value(selector, Json()))
      return true;
  return false;
}

/// The outermost field around a difference that has to be set as a whole.
QString settable(const QString& pointer, const Json& base, const Json& now) {
  for (qsizetype end = pointer.indexOf('/', 1); end > 0; end = pointer.indexOf('/', end + 1))
    if (changesShape(find(base, pointer.left(end)), find(now, pointer.left(end))))
      return pointer.left(end);
  return pointer;
}

}  // namespace

// Options of the program are read after a command as well, so one behind a pipe has it too.
QString inWorkspace(const QString& command, const std::filesystem::path& folder) {
  const auto canonical = [](const std::filesystem::path& path) {
    std::error_code unknown;
    const auto whole = std::filesystem::weakly_canonical(path, unknown);
    return unknown ? path : whole.has_filename() ? whole : whole.parent_path();
  };
  const std::filesystem::path here = canonical(folder);
  if (here == canonical(workspace::Workspace::defaultFolder())) return command;
  return command + QStringLiteral(" --workspace ") +
         shellWord(QString::fromStdString(here.string()));
}

QString shellWord(const QString& word) {
  return QString::fromStdString(parapet::shellWord(word.toStdString()));
}

QString documentCommand(const QString& verb, const QString& doc, const experiment::Experiment& base,
                        const experiment::Experiment& now) {
  const Json left = experiment::toJson(base);
  const Json right = experiment::toJson(now);
  QStringList command{"parapet-cli", verb, shellWord(doc)};
  QStringList seen;
  for (const experiment::Difference& difference : experiment::differences(base, now)) {
    const QString pointer = settable(QString::fromStdString(difference.pointer), left, right);
    if (seen.contains(pointer)) continue;
    seen << pointer;
    const Json* value = find(right, pointer);
    const QString text = QString::fromStdString(
        (value == nullptr ? Json() : *value).dump(-1, ' ', false, Json::error_handler_t::replace));
    command << "--set" << shellWord(pointer + '=' + text);
  }
  return command.join(' ');
}

}  // namespace parapet::ui
