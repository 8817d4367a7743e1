// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_traits.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "ui/models/document_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;

/// More than a reader of a list takes in.
constexpr int kMaxShown = 3;

/// Settings by which runs of one name usually differ, the most telling first.
constexpr std::array<std::pair<const char*, const char*>, 12> kTelling{{
    {"/optimizer/kind", QT_TRANSLATE_NOOP("RunTraits", "optimizer %1")},
    {"/optimizer/learning_rate", QT_TRANSLATE_NOOP("RunTraits", "learning rate %1")},
    {"/dataset/batch/size", QT_TRANSLATE_NOOP("RunTraits", "batch %1")},
    {"/dataset/batch/per_device", QT_TRANSLATE_NOOP("RunTraits", "batch %1 per device")},
    {"/tables/0/embedding_dim", QT_TRANSLATE_NOOP("RunTraits", "dim %1")},
    {"/training/epochs", QT_TRANSLATE_NOOP("RunTraits", "%1 epochs")},
    {"/schedule/kind", QT_TRANSLATE_NOOP("RunTraits", "%1 schedule")},
    {"/dataset/split/kind", QT_TRANSLATE_NOOP("RunTraits", "%1 split")},
    {"/training/precision", QT_TRANSLATE_NOOP("RunTraits", "%1")},
    {"/mesh/devices", QT_TRANSLATE_NOOP("RunTraits", "on %1")},
    {"/tables/0/placement", QT_TRANSLATE_NOOP("RunTraits", "tables %1")},
    {"/training/seed", QT_TRANSLATE_NOOP("RunTraits", "seed %1")},
}};

QString translated(const char* text) {
  return QCoreApplication::translate("RunTraits", text);
}

QString textAt(const Json& document, const char* pointer) {
  const Json::json_pointer at(pointer);
  return document.contains(at) ? shownValue(document.at(at)) : QString();
}

/// A key as a person reads it: "in_batch_softmax" → "in-batch softmax".
QString wordsOf(QString key) {
  key.replace(QLatin1String("in_batch"), QLatin1String("in-batch"));
  return key.replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString dataOf(const Json& document) {
  if (const QString path = textAt(document, "/dataset/path"); !path.isEmpty())
    // "ml-100k/" has a name too.
    return path.section(QLatin1Char('/'), -1, -1, QString::SectionSkipEmpty);
  const QString events = textAt(document, "/dataset/generator/events");
  if (!events.isEmpty())
    return translated("generated, %1 rows").arg(countText(events.toLongLong()));
  return textAt(document, "/dataset/source");
}

}  // namespace

RunTraits traitsOf(const std::string& experimentJson) {
  RunTraits traits;
  const Json document = Json::parse(experimentJson, nullptr, false);
  if (!document.is_object()) return traits;
  traits.data = dataOf(document);
  QStringList model{wordsOf(textAt(document, "/model/kind")),
                    wordsOf(textAt(document, "/loss/kind"))};
  model.removeAll(QString());
  traits.model = model.join(QStringLiteral(" / "));
  for (const auto& [pointer, text] : kTelling)
    traits.settings << wordsOf(textAt(document, pointer));
  return traits;
}

QString differenceText(const RunTraits& run, std::span<const RunTraits* const> others) {
  const auto differs = [&](auto valueOf) {
    return std::ranges::any_of(
        others, [&](const RunTraits* other) { return valueOf(*other) != valueOf(run); });
  };
  QStringList parts;
  if (differs([](const RunTraits& of) { return of.data; })) parts << run.data;
  if (differs([](const RunTraits& of) { return of.model; })) parts << run.model;
  for (qsizetype i = 0; i < run.settings.size() && parts.size() < kMaxShown; ++i)
    if (!run.settings[i].isEmpty() &&
        differs([i](const RunTraits& of) { return of.settings.value(i); }))
      parts << translated(kTelling[static_cast<std::size_t>(i)].second).arg(run.settings[i]);
  return parts.join(QStringLiteral(" · "));
}

}  // namespace parapet::ui
