// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/app_settings.h"

#include <fmt/format.h>

#include <system_error>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/renamed_keys.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

constexpr int kAutosaveVersion = 1;
/// Typing makes a change per key; a write per pause is enough.
constexpr int kDelayMs = 400;

constexpr int kSettingsVersion = 1;
constexpr const char* kSettingsName = "settings.json";

}  // namespace

SettingsFile::SettingsFile(std::filesystem::path path, int version)
    : path_(std::move(path)), version_(version) {}

nlohmann::json SettingsFile::load() {
  warning_.clear();
  std::error_code refused;
  if (!std::filesystem::exists(path_, refused)) return nlohmann::json::object();
  const auto text = readFile(path_);
  if (!text) {
    setAside(text.error().text());
    return nlohmann::json::object();
  }
  auto object = experiment::parseJson(*text);
  if (!object) {
    setAside(object.error().message);
    return nlohmann::json::object();
  }
  const auto version = object->is_object() ? object->find("version") : object->end();
  if (!object->is_object() || version == object->end() || !version->is_number_integer()) {
    setAside("it is no object with a \"version\"");
    return nlohmann::json::object();
  }
  if (version->get<int>() > version_) {
    setAside(fmt::format("it has version {}; this program knows up to {}", version->get<int>(),
                         version_));
    return nlohmann::json::object();
  }
  object->erase("version");
  return std::move(object).value();
}

Status SettingsFile::save(nlohmann::json object) const {
  object["version"] = version_;
  PARAPET_TRY(createFolders(path_.parent_path()));
  return writeFileAtomically(
      path_, object.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void SettingsFile::setAside(const std::string& reason) {
  const std::filesystem::path aside = path_.string() + fmt::format(".corrupt-{}", wallClockMs());
  std::error_code refused;
  std::filesystem::rename(path_, aside, refused);
  warning_ = fmt::format(
      "{} cannot be used: {}; {}", path_.string(), reason,
      refused ? "it could not be renamed: " + refused.message()
              : fmt::format("it is kept as {} and a new one begins", aside.filename().string()));
}

Autosave::Autosave(ExperimentEditor& editor, const std::filesystem::path& folder, QObject* parent)
    : QObject(parent), editor_(editor), file_(folder / "experiment.json", kAutosaveVersion) {
  callAfterPause(timer_, kDelayMs, this, &Autosave::save);
}

Autosave::~Autosave() {
  const bool pending = timer_.isActive() || writer_->running();
  if (!started_ || !pending) return;
  // Joins the write under way: this one must come after it.
  writer_.reset();
  (void)file_.save(snapshot());
}

bool Autosave::restore() {
  nlohmann::json saved = file_.load();
  const auto document = saved.find("document");
  if (document == saved.end() || !document->is_object()) return false;
  experiment::useCurrentNames(*document);
  editor_.load(*document, QString::fromStdString(saved.value("origin", std::string())));
  const std::string draft = saved.value("draft", std::string());
  if (!draft.empty()) editor_.setText(QString::fromStdString(draft));
  return true;
}

void Autosave::begin() {
  if (std::exchange(started_, true)) return;
  const auto changed = [this] {
    // A document that was only opened is stored elsewhere.
    if (editor_.modified() && !timer_.isActive()) timer_.start();
  };
  connect(&editor_, &ExperimentEditor::documentChanged, this, changed);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, changed);
  connect(&editor_, &ExperimentEditor::loaded, this, changed);
}

void Autosave::discard() {
  std::error_code ignored;
  std::filesystem::remove(file_.path(), ignored);
}

QString Autosave::warning() const {
  return shownText(file_.warning());
}

nlohmann::json Autosave::snapshot() const {
  nlohmann::json saved;
  saved["origin"] = editor_.origin().toStdString();
  saved["document"] = editor_.document();
  const QString text = editor_.text();
  // A draft that does not parse is kept beside the last document that did.
  if (!nlohmann::json::accept(text.toStdString())) saved["draft"] = text.toStdString();
  return saved;
}

void Autosave::save() {
  if (writer_->running()) {
    changedMeanwhile_ = true;
    return;
  }
  changedMeanwhile_ = false;
  writer_->start(
      [file = file_, saved = snapshot()](const WorkContext&) { return file.save(saved); },
      [this](const Status& written) {
        if (!written) emit failed(shownText(written.error().text()));
        if (changedMeanwhile_) timer_.start();
      });
}

AppSettings::AppSettings(const std::filesystem::path& folder, QObject* parent)
    : QObject(parent), file_(folder / kSettingsName, kSettingsVersion) {
  const nlohmann::json saved = file_.load();
  if (const auto theme = saved.find("theme"); theme != saved.end() && theme->is_string())
    theme_ = QString::fromStdString(theme->get<std::string>());
  if (const auto language = saved.find("language");
      language != saved.end() && language->is_string())
    language_ = QString::fromStdString(language->get<std::string>());
  if (const auto races = saved.find("races_proposals"); races != saved.end() && races->is_boolean())
    racesProposals_ = races->get<bool>();
  if (const auto seen = saved.find("tour_seen"); seen != saved.end() && seen->is_boolean())
    tourSeen_ = seen->get<bool>();
}

QString AppSettings::languageIn(const std::filesystem::path& folder) {
  const auto text = readFile(folder / kSettingsName);
  if (!text) return QLatin1String(kSystemLanguage);
  const auto saved = experiment::parseJson(*text);
  if (!saved || !saved->is_object() || !saved->contains("language") ||
      !saved->at("language").is_string())
    return QLatin1String(kSystemLanguage);
  return QString::fromStdString(saved->at("language").get<std::string>());
}

QString AppSettings::warning() const {
  return shownText(file_.warning());
}

void AppSettings::setTheme(const QString& name) {
  if (theme_ == name) return;
  theme_ = name;
  save();
}

void AppSettings::setLanguage(const QString& choice) {
  if (language_ == choice) return;
  language_ = choice;
  save();
}

void AppSettings::setRacesProposals(bool on) {
  if (racesProposals_ == on) return;
  racesProposals_ = on;
  save();
}

void AppSettings::setTourSeen() {
  if (std::exchange(tourSeen_, true)) return;
  save();
}

void AppSettings::save() {
  nlohmann::json object;
  object["theme"] = theme_.toStdString();
  object["language"] = language_.toStdString();
  object["races_proposals"] = racesProposals_;
  object["tour_seen"] = tourSeen_;
  if (const Status saved = file_.save(std::move(object)); !saved.ok())
    emit failed(shownText(saved.error().text()));
}

}  // namespace parapet::ui
