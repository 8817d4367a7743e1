// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <nlohmann/json.hpp>
#include <string>

namespace parapet::ui {

/// A word of the document as a person reads it: "in_batch_softmax" to "In-batch softmax", "mse" to
/// "Mean squared error". What is no word of the schema stays as it is.
QString valueName(const QString& word);

/// A feature without the way to it, which its document may give: "query/ids/daytime" to "daytime".
QString leafName(const std::string& feature);

/// A setting of an experiment as the steps of the Experiment page call it.
struct SettingName {
  QString section;  ///< "Data", "Training", …
  QString name;     ///< "Optimizer: learning rate", "Table user: embedding dim"
};

/// `document` is one that has the setting; from it entries of lists get their names.
SettingName settingName(const std::string& pointer, const nlohmann::ordered_json& document);

/// Position of a section in the order of the steps.
int sectionRank(const QString& section);

}  // namespace parapet::ui
