// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/verdict.h"
#include <QtTest>
#include <cmath>

#include "engine/experiment/baseline_kind.h"
#include "engine/experiment/run_event.h"

using namespace parapet::experiment;

namespace {

BaselineVerdict lossAgainst(BaselineKind kind, double model, double reference, double error,
                            std::int64_t pairs = 100) {
  return judge("constant", kind, "val_loss", model, reference, {model - reference, error, pairs});
}

}  // namespace

class VerdictTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void threeStandardErrorsDecide_data() {
    QTest::addColumn<QString>("metric");
    QTest::addColumn<double>("model");
    QTest::addColumn<QString>("verdict");
    // Against 1 with an error of 0.01.
    QTest::newRow("a smaller loss") << "val_loss" << 0.96 << "better";
    QTest::newRow("a slightly smaller loss") << "val_loss" << 0.98 << "no difference";
    QTest::newRow("a slightly larger loss") << "val_loss" << 1.02 << "no difference";
    QTest::newRow("a larger loss") << "val_loss" << 1.04 << "worse";
    QTest::newRow("a larger recall") << "val_recall@10" << 1.04 << "better";
    QTest::newRow("a smaller recall") << "val_recall@10" << 0.96 << "worse";
    QTest::newRow("the same") << "val_recall@10" << 1.0 << "no difference";
  }
  void threeStandardErrorsDecide() {
    QFETCH(QString, metric);
    QFETCH(double, model);
    QFETCH(QString, verdict);
    const BaselineVerdict found = judge("most_popular", BaselineKind::kTrained,
                                        metric.toStdString(), model, 1.0, {model - 1.0, 0.01, 50});
    QCOMPARE(QString(verdictName(found.verdict)), verdict);
    QCOMPARE(found.difference, model - 1.0);
    QCOMPARE(found.tolerance, 0.03);
  }

  // 7.6246 against ln 2048 = 7.6246 was called better.
  void aSoftmaxMustGainAThousandthOfEqualScores() {
    const double lnB = std::log(2048.0);
    const auto verdictOf = [&](double share) {
      return lossAgainst(BaselineKind::kEqualScores, lnB * (1.0 - share), lnB, 1e-9).verdict;
    };
    QCOMPARE(verdictOf(1e-7), Verdict::kNoDifference);
    QCOMPARE(verdictOf(0.9e-3), Verdict::kNoDifference);
    QCOMPARE(verdictOf(1.1e-3), Verdict::kBetter);
    QCOMPARE(verdictOf(-1.1e-3), Verdict::kWorse);
    QCOMPARE(lossAgainst(BaselineKind::kEqualScores, lnB * 0.998, lnB, lnB).verdict,
             Verdict::kNoDifference);
  }

  void fewPairsDecideNothing() {
    QCOMPARE(lossAgainst(BaselineKind::kTrained, 0.5, 1.0, 0.01, 4).verdict, Verdict::kUndecided);
    QCOMPARE(lossAgainst(BaselineKind::kTrained, 0.5, 1.0, 0.01, 5).verdict, Verdict::kBetter);
    QCOMPARE(lossAgainst(BaselineKind::kTrained, 0.5, 1.0, NAN).verdict, Verdict::kUndecided);
    QCOMPARE(lossAgainst(BaselineKind::kTrained, NAN, 1.0, 0.01).verdict, Verdict::kUndecided);
    // Within a thousandth of ln B the noise does not matter.
    QCOMPARE(lossAgainst(BaselineKind::kEqualScores, 7.6, 7.6, NAN, 1).verdict,
             Verdict::kNoDifference);
  }

  void theSentenceSaysWhatFollows() {
    using Verdicts = std::vector<BaselineVerdict>;
    const BaselineVerdict popular = judge("most_popular", BaselineKind::kTrained, "val_recall@10",
                                          0.081, 0.122, {-0.041, 0.001, 100});
    QCOMPARE(
        sentenceOf(Verdicts{lossAgainst(BaselineKind::kTrained, 0.0712, 0.079, 1e-4), popular}),
        std::string("The model is better than always predicting the mean (val_loss 0.0712 against "
                    "0.0790) and worse than recommending the most popular items (val_recall@10 "
                    "0.0810 against 0.1220)."));
    BaselineVerdict equal = lossAgainst(BaselineKind::kEqualScores, 7.6246, 7.6246, 1e-9);
    const auto sentence = [&](std::int64_t candidates) {
      equal.candidates = candidates;
      return sentenceOf({&equal, 1});
    };
    QCOMPARE(sentence(2048),
             std::string("The model has learned nothing: it is no better than equal scores, ln B "
                         "(val_loss 7.6246 against 7.6246)."));
    QVERIFY(sentence(2).find("equal scores, ln 2 (") != std::string::npos);
    QVERIFY(sentence(0).find("equal scores (") != std::string::npos);
    QCOMPARE(sentenceOf({}), std::string());
  }

  void theWorstVerdictIsThatOfAll() {
    const BaselineVerdict better = lossAgainst(BaselineKind::kTrained, 0.5, 1.0, 0.01);
    const BaselineVerdict worse = lossAgainst(BaselineKind::kTrained, 1.5, 1.0, 0.01);
    QCOMPARE(overall(std::vector{better, better}), Verdict::kBetter);
    QCOMPARE(overall(std::vector{better, worse}), Verdict::kWorse);
    QCOMPARE(overall({}), Verdict::kUndecided);
  }

  void theLossSaysWhatAConstantIs() {
    for (const LossKind loss :
         {LossKind::kInBatchSoftmax, LossKind::kSampledSoftmax, LossKind::kBpr})
      QCOMPARE(baselineKind("constant", loss), BaselineKind::kEqualScores);
    for (const LossKind loss : {LossKind::kMse, LossKind::kBce, LossKind::kVocabularySoftmax})
      QCOMPARE(baselineKind("constant", loss), BaselineKind::kTrained);
    QCOMPARE(baselineKind("random", LossKind::kBpr), BaselineKind::kTrained);
  }

  void jsonKeepsEverythingThatIsKnown() {
    std::vector<BaselineVerdict> verdicts{lossAgainst(BaselineKind::kEqualScores, 7.0, 7.6, 0.01),
                                          lossAgainst(BaselineKind::kTrained, 0.5, 1.0, NAN)};
    verdicts[0].candidates = 2000;
    const auto json = toJson(verdicts);
    QVERIFY(json[1]["standard_error"].is_null() && json[1]["candidates"].is_null());
    QCOMPARE(json[0]["candidates"].get<int>(), 2000);
    const auto read = verdictsFromJson(nlohmann::ordered_json::parse(json.dump()));
    QCOMPARE(read.size(), std::size_t{2});
    QCOMPARE(toJson(read), json);
    QVERIFY(std::isnan(read[1].tolerance));
    QVERIFY(
        verdictsFromJson(nlohmann::ordered_json::parse(R"([{"verdict": "great"}, 7])")).empty());
    QVERIFY(verdictsFromJson(nullptr).empty());
  }

  void theLastValidatedEpochJudgesARun() {
    std::vector<EpochSummary> epochs(3);
    QVERIFY(lastVerdicts(epochs).empty());
    epochs[1].verdicts = {lossAgainst(BaselineKind::kTrained, 0.5, 1.0, 0.01)};
    QCOMPARE(lastVerdicts(epochs).data(), epochs[1].verdicts.data());
  }
};

QTEST_GUILESS_MAIN(VerdictTest)
#include "verdict_test.moc"
