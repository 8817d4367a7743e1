// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/recommend_command.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/models/terminal_command.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;

bool hasComma(const QString& text) {
  return text.contains(QLatin1Char(','));
}

/// Whether words of a command line say it: what is separated by commas has none, and is not empty.
bool fitsOptions(const RecommendQuestion& question) {
  const auto plain = [](const QString& text) {
    return !text.isEmpty() && !hasComma(text) && text == text.trimmed();
  };
  return std::ranges::all_of(question.users, plain) &&
         std::ranges::all_of(question.context,
                             [](const auto& value) { return !hasComma(value.second); }) &&
         (!question.history ||
          (!question.history->isEmpty() && std::ranges::all_of(*question.history, plain)));
}

QString asOptions(const RecommendQuestion& question) {
  QStringList words{QStringLiteral("parapet-cli"), QStringLiteral("recommend"),
                    shellWord(question.run), QStringLiteral("--user"),
                    shellWord(question.users.join(QLatin1Char(',')))};
  words << QStringLiteral("-k") << QString::number(question.k);
  for (const auto& [name, value] : question.context)
    words << QStringLiteral("--context") << shellWord(name + QLatin1Char('=') + value);
  if (question.history)
    words << QStringLiteral("--history") << shellWord(question.history->join(QLatin1Char(',')));
  return (words + question.options).join(QLatin1Char(' '));
}

QString lineFor(const RecommendQuestion& question, const QString& user) {
  Json line{{"user", user.toStdString()}, {"k", question.k}};
  if (!question.context.empty()) {
    line["context"] = Json::object();
    for (const auto& [name, value] : question.context)
      line["context"][name.toStdString()] = value.toStdString();
  }
  if (question.history) {
    line["history"] = Json::array();
    for (const QString& item : *question.history) line["history"].push_back(item.toStdString());
  }
  return QString::fromStdString(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

QString recommendCommand(const RecommendQuestion& question) {
  if (fitsOptions(question)) return asOptions(question);
  QStringList lines;
  for (const QString& user : question.users) lines << shellWord(lineFor(question, user));
  QStringList words{QStringLiteral("parapet-cli"), QStringLiteral("recommend"),
                    shellWord(question.run), QStringLiteral("--stdin")};
  return QStringLiteral("printf '%s\\n' %1 | %2")
      .arg(lines.join(QLatin1Char(' ')), (words + question.options).join(QLatin1Char(' ')));
}

}  // namespace parapet::ui
