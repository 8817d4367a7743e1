// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/verdict.h"
#include <QtTest>
#include <cmath>

#include "engine/experiment/run_event.h"
#include "engine/experiment/verdict_text.h"

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

  // 181 users: .1059 against .0235 is no proof, and no reason to say that nothing was learned.
  void aBetterValueWithinTheNoiseIsNotNothing() {
    const auto outcome = [](const char* baseline, double model, double error) {
      return outcomeOf(judge(baseline, BaselineKind::kTrained, "val_recall@10", model, 0.0235,
                             {model - 0.0235, error, 181}));
    };
    QCOMPARE(outcome("random", 0.1059, 0.03), Outcome::kNotDistinguishable);
    QCOMPARE(outcome("random", 0.1059, 0.02), Outcome::kBetter);
    QCOMPARE(outcome("random", 0.0235, 0.03), Outcome::kNothingLearned);
    QCOMPARE(outcome("random", 0.0012, 0.03), Outcome::kNothingLearned);
    QCOMPARE(outcome("random", 0.0012, 0.003), Outcome::kWorse);
    // Whoever is not better than popularity may well have learned something.
    QCOMPARE(outcome("most_popular", 0.0235, 0.03), Outcome::kNotDistinguishable);
    QCOMPARE(outcome("ease", 0.0012, 0.003), Outcome::kWorse);
  }

  void nothingIsLearnedUnlessSomethingSpeaksForIt() {
    const BaselineVerdict equal = lossAgainst(BaselineKind::kEqualScores, 7.6246, 7.6246, 1e-9);
    const auto recall = [](const char* baseline, double model, double error) {
      return judge(baseline, BaselineKind::kTrained, "val_recall@10", model, 0.02,
                   {model - 0.02, error, 100});
    };
    const auto all = [](std::vector<BaselineVerdict> verdicts) { return outcomeOf(verdicts); };
    QCOMPARE(all({equal}), Outcome::kNothingLearned);
    QCOMPARE(all({equal, recall("random", 0.01, 0.02)}), Outcome::kNothingLearned);
    QCOMPARE(all({equal, recall("random", 0.03, 0.02)}), Outcome::kNothingLearned);
    QCOMPARE(all({equal, recall("random", 0.05, 0.02)}), Outcome::kNotDistinguishable);
    QCOMPARE(all({equal, recall("most_popular", 0.1, 0.02)}), Outcome::kNotDistinguishable);
    QCOMPARE(all({equal, recall("random", 0.02, 0.02), recall("ease", 0.001, 0.001)}),
             Outcome::kNothingLearned);
    QCOMPARE(all({recall("most_popular", 0.02, 0.02)}), Outcome::kNotDistinguishable);
    QCOMPARE(all({recall("random", 0.1, 0.02), recall("ease", 0.01, 0.001)}), Outcome::kWorse);
    QCOMPARE(all({recall("random", 0.1, 0.02), recall("ease", 0.01, 0.02)}),
             Outcome::kNotDistinguishable);
    QCOMPARE(all({recall("random", 0.1, 0.02), recall("ease", 0.1, 0.02)}), Outcome::kBetter);
    QCOMPARE(all({}), Outcome::kNotDistinguishable);
    // At chance it does not matter how much better others are.
    const BaselineVerdict ease = recall("ease", 0.001, 0.001);
    QCOMPARE(all({ease, recall("random", 0.03, 0.02)}), Outcome::kNothingLearned);
    QCOMPARE(all({ease, recall("random", 0.05, 0.02)}), Outcome::kNotDistinguishable);
    QCOMPARE(all({ease, equal, recall("random", 0.001, 0.001)}), Outcome::kNothingLearned);
    QCOMPARE(all({ease, recall("random", 0.001, 0.001)}), Outcome::kWorse);
  }

  void atChanceWhatKnowsNothingComesFirst() {
    const auto recall = [](const char* baseline, double reference) {
      return judge(baseline, BaselineKind::kTrained, "val_recall@10", 0.03, reference,
                   {0.03 - reference, 0.02, 100});
    };
    std::vector verdicts{recall("most_popular", 0.2), recall("random", 0.02)};
    QCOMPARE(lineOf(verdicts, "epoch 3 (last validated)"),
             std::string("val_recall@10 of epoch 3 (last validated): ours 0.0300 · most popular "
                         "0.2000, the best rival · ✗ nothing learned: val_recall@10 not "
                         "distinguishable from random order: ours minus rival +0.0100, within 3 "
                         "paired standard errors, 0.0600"));
    QCOMPARE(sentenceOf(verdicts),
             std::string("The model has learned nothing: it is not distinguishable from a random "
                         "order; worse than recommending the most popular items (val_recall@10 "
                         "-0.1700). Differences are ours minus rival."));
    // A gain of more than one standard error is not nothing, yet chance is still the first to beat.
    verdicts.back() = recall("random", 0.0);
    QVERIFY(sentenceOf(verdicts).starts_with("The model is not distinguishable from a random"));
    verdicts.back() = recall("random", 0.1);
    QVERIFY(lineOf(verdicts, "")
                .ends_with("✗ val_recall@10 worse than random order: ours minus rival -0.0700, "
                           "beyond 3 paired standard errors, 0.0600"));
    QVERIFY(sentenceOf(verdicts).starts_with(
        "The model is worse than a random order and recommending the most popular items ("));
  }

  /// Rivals that the model does not beat come first, whatever the order of the verdicts.
  static std::vector<BaselineVerdict> rivals() {
    const auto recall = [](const char* baseline, double reference) {
      return judge(baseline, BaselineKind::kTrained, "val_recall@10", 0.27, reference,
                   {0.27 - reference, 0.01, 100});
    };
    return {lossAgainst(BaselineKind::kTrained, 0.0712, 0.079, 1e-4), recall("random", 0.01),
            recall("most_popular", 0.12), recall("ease", 0.29), recall("item_knn", 0.31)};
  }

  void theSentenceSaysWhatFollows() {
    QCOMPARE(
        sentenceOf(rivals()),
        std::string(
            "The model is worse than item-kNN; not distinguishable from EASE (val_recall@10 "
            "-0.0200, within 3 paired standard errors, 0.0300); better than always predicting the "
            "mean label (val_loss -0.0078), a random order (val_recall@10 +0.2600) and "
            "recommending the most popular items (val_recall@10 +0.1500). Differences are ours "
            "minus rival."));
    BaselineVerdict equal = lossAgainst(BaselineKind::kEqualScores, 7.6246, 7.6246, 1e-9);
    const auto sentence = [&](std::int64_t candidates) {
      equal.candidates = candidates;
      return sentenceOf({&equal, 1});
    };
    QCOMPARE(sentence(2048),
             std::string("The model has learned nothing: it is no better than equal scores, ln "
                         "B."));
    QVERIFY(sentence(2).ends_with("equal scores, ln 2."));
    QVERIFY(sentence(0).ends_with("equal scores."));
    const BaselineVerdict same =
        judge("ease", BaselineKind::kTrained, "val_recall@10", 1.0, 1.0, {0.0, 0.0, 100});
    QCOMPARE(sentenceOf({&same, 1}), std::string("The model is not distinguishable from EASE."));
    QCOMPARE(sentenceOf({}), std::string());
    // A head that is worse than its mean is said so.
    std::vector<BaselineVerdict> heads = rivals();
    heads.push_back(
        judge("constant", BaselineKind::kTrained, "val_like_loss", 0.7, 0.6, {0.1, 0.01, 100}));
    heads.back().head = "like";
    QVERIFY(sentenceOf(heads).starts_with(
        "The model is worse than item-kNN and always predicting the mean label of like "
        "(val_like_loss +0.1000); not "));
    QCOMPARE(outcomeOf(heads), Outcome::kWorse);
  }

  void theLineHasThreeNumbersAndTheReason() {
    std::vector<BaselineVerdict> verdicts = rivals();
    const auto line = [&] { return lineOf(verdicts, "step 9"); };
    QCOMPARE(line(),
             std::string("val_recall@10 of step 9: ours 0.2700 · most popular 0.1200 · best rival "
                         "item-kNN 0.3100 · ✗ val_recall@10 worse than item-kNN: ours minus rival "
                         "-0.0400, beyond 3 paired standard errors, 0.0300"));
    const auto json = summaryJson(verdicts, "step 9");
    QCOMPARE(json["of"].get<std::string>(), std::string("step 9"));
    QCOMPARE(json["outcome"].get<std::string>(), std::string("worse"));
    QCOMPARE(json["most_popular"].get<double>(), 0.12);
    QCOMPARE(json["best_rival"]["baseline"].get<std::string>(), std::string("item_knn"));
    QCOMPARE(json["best_rival"]["value"].get<double>(), 0.31);
    QCOMPARE(json["line"].get<std::string>(), line());
    verdicts.pop_back();
    QCOMPARE(line(),
             std::string("val_recall@10 of step 9: ours 0.2700 · most popular 0.1200 · best rival "
                         "EASE 0.2900 · ✗ val_recall@10 not distinguishable from EASE: ours minus "
                         "rival -0.0200, within 3 paired standard errors, 0.0300"));
    verdicts.pop_back();
    QCOMPARE(line(), std::string("val_recall@10 of step 9: ours 0.2700 · most popular 0.1200, the "
                                 "best rival · ✓ better than each by more than 3 paired standard "
                                 "errors"));
    verdicts.front() = lossAgainst(BaselineKind::kTrained, 0.081, 0.079, 1e-4);
    QVERIFY(
        line().ends_with("✗ val_loss worse than mean label: ours minus rival +0.0020, beyond 3 "
                         "paired standard errors, 0.0003"));
    verdicts = {lossAgainst(BaselineKind::kEqualScores, 7.6246, 7.6246, 1e-9)};
    QCOMPARE(line(),
             std::string("val_loss of step 9: ours 7.6246 · equal scores 7.6246, the best "
                         "rival · ✗ nothing learned: val_loss no better than equal scores: ours "
                         "minus rival +0.0000, less than a thousandth of the rival's"));
    QCOMPARE(lineOf({}, "step 9"), std::string());
    // A loss of labels of 3e38 has 77 digits before the point.
    verdicts = {lossAgainst(BaselineKind::kTrained, 9e76, 8e76, 1e70)};
    QVERIFY2(line().starts_with("val_loss of step 9: ours 9e+76 · mean label 8e+76"),
             line().c_str());
    QVERIFY(line().size() < 200);
    QVERIFY(summaryJson({}, "step 9").is_null());
  }

  // No text claims to be about all rivals.
  void aRivalThatWasNotFittedIsNamed() {
    std::vector<BaselineVerdict> verdicts{
        judge("most_popular", BaselineKind::kTrained, "val_recall@10", 0.27, 0.12,
              {0.15, 0.01, 100}),
        judge("ease", BaselineKind::kTrained, "val_recall@10", 0.27, NAN, {})};
    QCOMPARE(outcomeOf(verdicts), Outcome::kBetter);
    QCOMPARE(
        lineOf(verdicts, "step 9"),
        std::string("val_recall@10 of step 9: ours 0.2700 · most popular 0.1200, the best rival "
                    "measured · not measured: EASE · ✓ better than each that was measured by "
                    "more than 3 paired standard errors"));
    QCOMPARE(sentenceOf(verdicts),
             std::string("The model is better than recommending the most popular items "
                         "(val_recall@10 +0.1500). Differences are ours minus rival. Not measured: "
                         "EASE."));
    QCOMPARE(summaryJson(verdicts, "step 9")["not_measured"].dump(), std::string(R"(["ease"])"));
    QCOMPARE(toJson(verdicts)[1]["outcome"].get<std::string>(), std::string("not measured"));
    QCOMPARE(toJson(verdictsFromJson(toJson(verdicts))), toJson(verdicts));
  }

  // Wherever a run is shown the metric of its best checkpoint comes first.
  void theMetricOfTheBestCheckpointJudges() {
    const std::vector<std::string> keys{"val_loss", "val_recall@10", "val_ndcg@10"};
    QCOMPARE(judgingKey(keys, "val_ndcg@10"), std::string("val_ndcg@10"));
    QCOMPARE(judgingKey(keys, "val_loss"), std::string("val_recall@10"));
    QCOMPARE(judgingKey(keys, "val_mrr"), std::string("val_recall@10"));
    QCOMPARE(judgingKey(keys, ""), std::string("val_recall@10"));
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
    verdicts[1].head = "like";
    const auto json = toJson(verdicts);
    QVERIFY(json[1]["standard_error"].is_null() && json[1]["candidates"].is_null());
    QCOMPARE(json[0]["candidates"].get<int>(), 2000);
    QVERIFY(json[0]["outcome"] == "better" && json[0]["head"].is_null());
    QVERIFY(json[1]["outcome"] == "not distinguishable" && json[1]["head"] == "like");
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
    QCOMPARE(lastVerdictText(epochs), std::string());
    epochs[1].epoch = 7;
    epochs[1].verdicts = {lossAgainst(BaselineKind::kTrained, 0.5, 1.0, 0.01)};
    QCOMPARE(lastVerdicts(epochs).data(), epochs[1].verdicts.data());
    QVERIFY(lastVerdictText(epochs).starts_with("val_loss of epoch 7 (last validated): ours "));
    QCOMPARE(lastSummaryJson(epochs)["of"].get<std::string>(),
             std::string("epoch 7 (last validated)"));
  }
};

QTEST_GUILESS_MAIN(VerdictTest)
#include "verdict_test.moc"
