// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_names.h"

#include <QObject>
#include <array>
#include <string_view>

#include "engine/experiment/model_shape.h"
#include "engine/workspace/proposal.h"

namespace parapet::ui {
namespace {

/// "clicks" and "clicks-2" come from "clicks".
bool comesFrom(std::string_view name, std::string_view base) {
  if (!name.starts_with(base)) return false;
  const std::string_view rest = name.substr(base.size());
  return rest.empty() || (rest.size() > 1 && rest.front() == '-' &&
                          rest.find_first_not_of("0123456789", 1) == rest.npos);
}

using experiment::Experiment;

template <class T>
QStringList namesOf(const std::vector<T>& entries) {
  QStringList names;
  for (const T& entry : entries)
    if (!entry.name.empty()) names << QString::fromStdString(entry.name);
  return names;
}

QStringList vocabularies(const Experiment& experiment) {
  return namesOf(experiment.dataset.vocabularies);
}

QStringList tables(const Experiment& experiment) {
  return namesOf(experiment.tables);
}

QStringList devices(const Experiment& experiment) {
  QStringList names;
  if (const auto devices = experiment::expandDevices(experiment.mesh.devices))
    for (const std::string& device : *devices) names << QString::fromStdString(device);
  return names;
}

QStringList values(const Experiment& experiment) {
  return namesOf(experiment::inferModel(experiment).values);
}

/// Columns of a file, which the model of the list knows.
QStringList ofFile(const Experiment&) {
  return {};
}

struct Rule {
  const char* ending;  ///< how the pointer ends, numbers as #
  QStringList (*names)(const Experiment&);
  const char* absent;
};

constexpr std::array kRules{
    Rule{"/tables/#/vocabulary", vocabularies, ""},
    Rule{"/tables/#/device", devices, QT_TRANSLATE_NOOP("QObject", "(planned)")},
    Rule{"/features/#/column", readableColumns, ""},
    Rule{"/features/#/table", tables, QT_TRANSLATE_NOOP("QObject", "(dense)")},
    Rule{"/columns/#/vocabulary", vocabularies, QT_TRANSLATE_NOOP("QObject", "(its own)")},
    Rule{"/heads/#/label", denseColumns, QT_TRANSLATE_NOOP("QObject", "(the data set's)")},
    Rule{"/catalogues/#/id", ofFile, QT_TRANSLATE_NOOP("QObject", "(as in the data)")},
    Rule{"/catalogues/#/title", ofFile, QT_TRANSLATE_NOOP("QObject", "(none)")},
    Rule{"/catalogues/#/columns", ofFile, QT_TRANSLATE_NOOP("QObject", "(all others)")},
    Rule{"/vectors/#/of", vocabularies, ""},
    Rule{"/vectors/#/id", ofFile, ""},
    Rule{"/vectors/#/column", ofFile, QT_TRANSLATE_NOOP("QObject", "(the only list)")},
    Rule{"/#/x0", values, QT_TRANSLATE_NOOP("QObject", "(where the crosses begin)")},
    Rule{"/#/gate_input", values, QT_TRANSLATE_NOOP("QObject", "(its inputs)")},
};

const Rule* ruleOf(const QString& pointer) {
  QStringList tokens = pointer.split('/');
  for (QString& token : tokens) {
    bool isNumber = false;
    token.toInt(&isNumber);
    if (isNumber) token = QStringLiteral("#");
  }
  const QString joined = tokens.join('/');
  for (const Rule& rule : kRules)
    if (joined.endsWith(QLatin1String(rule.ending))) return &rule;
  return nullptr;
}

}  // namespace

bool isNameOfData(const std::string& name, const QString& path) {
  return !path.isEmpty() && comesFrom(name, workspace::nameOfData(path.toStdString()));
}

bool isProposedName(const std::string& name, const QString& origin, const QString& path) {
  // An origin with a folder is a document, which has the name that a person gave it.
  const bool isFile = origin.isEmpty() || origin.contains(QLatin1Char('/'));
  return isNameOfData(name, path) ||
         (!isFile && (comesFrom(name, origin.toStdString()) || isNameOfData(name, origin)));
}

QStringList denseColumns(const Experiment& experiment) {
  QStringList names;
  for (const experiment::Column& column : experiment.dataset.columns)
    if (column.role == experiment::ColumnRole::kNumeric)
      names << QString::fromStdString(column.name);
  return names;
}

QStringList readableColumns(const Experiment& experiment) {
  QStringList names;
  for (const std::string& column : experiment.dataset.idColumns())
    names << QString::fromStdString(column);
  return names + denseColumns(experiment);
}

std::optional<QStringList> namesAt(const ExperimentEditor& editor, const QString& pointer) {
  const Rule* rule = ruleOf(pointer);
  return rule == nullptr ? std::nullopt : std::optional(rule->names(editor.experiment()));
}

QString absentWord(const QString& pointer) {
  const Rule* rule = ruleOf(pointer);
  return rule == nullptr || *rule->absent == '\0' ? QString() : QObject::tr(rule->absent);
}

}  // namespace parapet::ui
