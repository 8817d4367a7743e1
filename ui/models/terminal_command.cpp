// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/terminal_command.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/quoting.h"
#include "engine/workspace/workspace.h"
#include "ui/models/document_edits.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;

bool hasComma(const QString& text) {
  return text.contains(QLatin1Char(','));
}

/// Lists that options can ask for: each of the users in each combination of the values, from one history.
struct Product {
  QStringList users;
  std::map<QString, QStringList> values{};
  std::optional<QStringList> history{};
};

void addOnce(QStringList& words, const QString& word) {
  if (!words.contains(word)) words << word;
}

/// The lists as a product; nullopt where they are others.
std::optional<Product> productOf(const std::vector<ListQuestion>& lists) {
  Product product{.users = {}, .history = lists.front().history};
  std::vector<ListQuestion> distinct;
  for (const ListQuestion& list : lists) {
    if (std::ranges::find(distinct, list) != distinct.end()) continue;
    distinct.push_back(list);
    addOnce(product.users, list.user);
    for (const auto& [name, value] : list.context) addOnce(product.values[name], value);
  }
  qsizetype combinations = product.users.size();
  for (const auto& [name, values] : product.values) combinations *= values.size();
  const bool isWhole = std::ranges::all_of(distinct, [&](const ListQuestion& list) {
    return list.history == product.history && list.context.size() == product.values.size();
  });
  if (!isWhole || combinations != std::ssize(distinct)) return std::nullopt;
  return product;
}

/// Whether words of a command line say it: what is separated by commas has none, and is not empty.
bool fitsOptions(const Product& product, const RecommendQuestion& question) {
  const auto plain = [](const QString& text) {
    return !text.isEmpty() && !hasComma(text) && text == text.trimmed();
  };
  return std::ranges::all_of(product.users, plain) &&
         std::ranges::all_of(
             product.values,
             [](const auto& values) { return std::ranges::none_of(values.second, hasComma); }) &&
         std::ranges::all_of(question.where,
                             [&](const auto& value) { return plain(value.second); }) &&
         (!product.history ||
          (!product.history->isEmpty() && std::ranges::all_of(*product.history, plain)));
}

QString asOptions(const Product& product, const RecommendQuestion& question) {
  QStringList words{QStringLiteral("parapet-cli"), QStringLiteral("recommend"),
                    shellWord(question.run), QStringLiteral("--user"),
                    shellWord(product.users.join(QLatin1Char(',')))};
  words << QStringLiteral("-k") << QString::number(question.k);
  for (const auto& [name, values] : product.values)
    words << QStringLiteral("--context")
          << shellWord(name + QLatin1Char('=') + values.join(QLatin1Char(',')));
  if (product.history)
    words << QStringLiteral("--history") << shellWord(product.history->join(QLatin1Char(',')));
  for (const auto& [name, value] : question.where)
    words << QStringLiteral("--where") << shellWord(name + QLatin1Char('=') + value);
  return (words + question.options).join(QLatin1Char(' '));
}

QString lineFor(const RecommendQuestion& question, const ListQuestion& list) {
  Json line{{"user", list.user.toStdString()}, {"k", question.k}};
  if (!list.context.empty()) {
    line["context"] = Json::object();
    for (const auto& [name, value] : list.context)
      line["context"][name.toStdString()] = value.toStdString();
  }
  if (list.history) {
    line["history"] = Json::array();
    for (const QString& item : *list.history) line["history"].push_back(item.toStdString());
  }
  for (const auto& [name, value] : question.where)
    line["where"][name.toStdString()] = value.toStdString();
  return QString::fromStdString(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

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

QString recommendCommand(const RecommendQuestion& question) {
  const auto product = productOf(question.lists);
  if (product && fitsOptions(*product, question)) return asOptions(*product, question);
  QStringList lines;
  for (const ListQuestion& list : question.lists) lines << shellWord(lineFor(question, list));
  QStringList words{QStringLiteral("parapet-cli"), QStringLiteral("recommend"),
                    shellWord(question.run), QStringLiteral("--stdin")};
  return QStringLiteral("printf '%s\\n' %1 | %2")
      .arg(lines.join(QLatin1Char(' ')), (words + question.options).join(QLatin1Char(' ')));
}

// Options of the program are read after a command as well, so one behind a pipe has it too.
QString inWorkspace(const QString& command, const std::filesystem::path& folder) {
  const auto canonical = [](const std::filesystem::path& path) {
    std::error_code unknown;
    const auto whole = std::filesystem::weakly_canonical(path, unknown);
    return unknown ? path : whole.has_filename() ? whole : whole.parent_path();
  };
  const std::filesystem::path here = canonical(folder);
  if (here == canonical(workspace::Workspace::defaultFolder())) return command;
  static const QRegularExpression kOfRun(QStringLiteral(
      "(parapet-cli (?:recommend|predict|evaluate|show|export|verify-checkpoint)) [^ -]\\S*"));
  const auto match = kOfRun.match(command);
  if (match.hasMatch() && workspace::Workspace::isModel(here))
    return command.left(match.capturedStart()) + match.captured(1) + QStringLiteral(" --model ") +
           shellWord(QString::fromStdString(here.string())) + command.mid(match.capturedEnd());
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
