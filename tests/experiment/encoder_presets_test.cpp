// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/encoder_presets.h"

#include <QTest>

#include "engine/experiment/experiment.h"

using namespace parapet;
using namespace parapet::experiment;

class EncoderPresetsTest : public QObject {
  Q_OBJECT

  static nlohmann::ordered_json recipe() {
    return nlohmann::ordered_json::parse(findRecipe("bert-tiny-mlm").value().text);
  }

 private Q_SLOTS:
  void everyPresetMakesADocumentOfItsSizes() {
    for (const EncoderPreset& preset : encoderPresets()) {
      const Parsed parsed = parse(nlohmann::json(withEncoder(recipe(), preset.sizes)));
      QVERIFY2(parsed.findings.problems.empty(), preset.name);
      QVERIFY(encoderSizes(parsed.experiment) == preset.sizes);
      QCOMPARE(findEncoderPreset(preset.name)->title, preset.title);
    }
  }

  void theRecipeIsBertTinyAsItStands() {
    const EncoderPreset tiny = findEncoderPreset("bert-tiny").value();
    QVERIFY(withEncoder(recipe(), tiny.sizes) == recipe());
  }

  void anUnknownNameIsRefusedWithTheOthers() {
    const auto found = findEncoderPreset("bert-minni");
    QVERIFY(!found);
    QVERIFY(found.error().message.find("bert-mini") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(EncoderPresetsTest)
#include "encoder_presets_test.moc"
