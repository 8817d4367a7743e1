// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <limits>

#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;
using Json = nlohmann::ordered_json;

namespace {

/// A small reading of JSON Schema: the words that schemas of documents use.
bool conforms(const Json& value, const Json& schema) {
  if (schema.is_boolean()) return schema.get<bool>();
  if (schema.contains("anyOf")) {
    const auto& options = schema["anyOf"];
    if (std::none_of(options.begin(), options.end(),
                     [&](const Json& option) { return conforms(value, option); }))
      return false;
  }
  if (schema.contains("enum") &&
      std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return false;
  if (schema.contains("const") && schema["const"] != value) return false;
  const std::string type = schema.value("type", "");
  if ((type == "object" && !value.is_object()) || (type == "array" && !value.is_array()) ||
      (type == "string" && !value.is_string()) || (type == "boolean" && !value.is_boolean()) ||
      (type == "null" && !value.is_null()) || (type == "number" && !value.is_number()) ||
      (type == "integer" && !value.is_number_integer()))
    return false;
  if (schema.contains("minimum") && value < schema["minimum"]) return false;
  if (schema.contains("exclusiveMinimum") && value <= schema["exclusiveMinimum"]) return false;
  if (schema.contains("maximum") && value > schema["maximum"]) return false;
  if (value.is_array() &&
      (value.size() < schema.value("minItems", std::size_t{0}) ||
       value.size() > schema.value("maxItems", std::numeric_limits<std::size_t>::max())))
    return false;
  if (value.is_array() && schema.contains("items"))
    for (const Json& entry : value)
      if (!conforms(entry, schema["items"])) return false;
  if (!value.is_object()) return true;
  if (schema.contains("required"))
    for (const Json& key : schema["required"])
      if (!value.contains(key.get<std::string>())) return false;
  for (const auto& [key, member] : value.items()) {
    const bool known = schema.contains("properties") && schema["properties"].contains(key);
    if (known && !conforms(member, schema["properties"][key])) return false;
    if (!known && schema.contains("additionalProperties") &&
        !conforms(member, schema["additionalProperties"]))
      return false;
  }
  if (schema.contains("allOf"))
    for (const Json& rule : schema["allOf"])
      if (conforms(value, rule["if"]) && !conforms(value, rule["then"])) return false;
  return true;
}

}  // namespace

class SchemaTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void recipesConform() {
    for (const Recipe& recipe : recipes()) {
      const auto document = Json::parse(recipe.text);
      QVERIFY(conforms(document, schema()));
      QVERIFY(conforms(toJson(parse(document).experiment), schema()));
    }
  }

  void acceptsWhatTheReaderAccepts() {
    Json document = Json::parse(findRecipe("sample")->text);
    for (const char* capacity : {"null", "1000", "[1000]"}) {
      document["mesh"] = {{"capacity_bytes", Json::parse(capacity)}};
      QVERIFY2(conforms(document, schema()), capacity);
      QVERIFY2(parse(document).findings.problems.empty(), capacity);
    }
  }

  void refusesWhatTheReaderRefuses_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::newRow("unknown key") << "/training/epoch"
                                 << "3";
    QTest::newRow("type") << "/training/epochs"
                          << "\"3\"";
    QTest::newRow("range") << "/tables/0/embedding_dim"
                           << "0";
    QTest::newRow("word") << "/tables/0/combiner"
                          << "\"max\"";
    QTest::newRow("other kind") << "/optimizer/beta1"
                                << "0.9";
    QTest::newRow("capacities") << "/mesh/capacity_bytes"
                                << "[0]";
    QTest::newRow("layout") << "/layout"
                            << "{\"a\": [\"data\"]}";
    QTest::newRow("required") << "/tables/0"
                              << "{\"name\": \"x\"}";
  }
  void refusesWhatTheReaderRefuses() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    Json document = Json::parse(findRecipe("sample")->text);
    document[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    QVERIFY(!conforms(document, schema()));
    QVERIFY(!parse(document).findings.problems.empty());
  }

  void everyKeyIsDescribed() {
    const Json whole = schema();
    QCOMPARE(whole["$schema"].get<std::string>(),
             std::string("https://json-schema.org/draft/2020-12/schema"));
    int described = 0;
    visit(whole, described);
    QVERIFY2(described > 80, QByteArray::number(described));
    const auto& table = whole["properties"]["tables"]["items"]["properties"];
    for (const char* key : {"name", "vocabulary", "embedding_dim", "initializer", "optimizer",
                            "combiner", "placement", "trainable"})
      QVERIFY2(table.contains(key), key);
    QCOMPARE(table["embedding_dim"]["default"].get<int>(), 32);
  }

 private:
  void visit(const Json& node, int& described) {
    if (node.contains("properties") && node.contains("type"))
      for (const auto& [key, property] : node["properties"].items()) {
        QVERIFY2(
            property.contains("description") && !property["description"].get<std::string>().empty(),
            key.c_str());
        ++described;
        visit(property, described);
      }
    if (node.contains("items")) visit(node["items"], described);
    if (node.contains("anyOf"))
      for (const Json& option : node["anyOf"]) visit(option, described);
  }
};

QTEST_GUILESS_MAIN(SchemaTest)
#include "schema_test.moc"
