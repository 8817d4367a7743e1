// SPDX-License-Identifier: Apache-2.0
#include "engine/base/natural_order.h"

#include <QtTest>
#include <algorithm>
#include <string>
#include <vector>

using namespace parapet;

class NaturalOrderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void ordersIdsAsAPersonDoes() {
    const std::vector<std::string> ordered{"",
                                           "-1",
                                           "0",
                                           "1",
                                           "01",
                                           "2",
                                           "9",
                                           "10",
                                           "010",
                                           "100",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "A2b",
                                           "a",
                                           "a2",
                                           "a2b9",
                                           "a2b10",
                                           "a10",
                                           "user 9",
                                           "user 10",
                                           "\xc3\xa9"};
    for (std::size_t i = 0; i < ordered.size(); ++i)
      for (std::size_t j = 0; j < ordered.size(); ++j)
        QVERIFY2(
            naturalLess(ordered[i], ordered[j]) == (i < j),
            qPrintable(QString("'%1' against '%2'").arg(ordered[i].c_str(), ordered[j].c_str())));
  }

  void sortsAnyOrderIntoTheSame() {
    std::vector<std::string> ids;
    for (int id = 200; id > 0; --id) ids.push_back(std::to_string(id));
    std::ranges::sort(ids, naturalLess);
    for (std::size_t i = 0; i < ids.size(); ++i) QCOMPARE(ids[i], std::to_string(i + 1));
  }
};

QTEST_APPLESS_MAIN(NaturalOrderTest)
#include "natural_order_test.moc"
