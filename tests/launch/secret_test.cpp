// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/secret.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

using namespace parapet;
using namespace parapet::launch;

namespace {

std::string hexOf(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

class LaunchSecretTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::filesystem::path write(const std::string& text, mode_t mode) {
    const std::filesystem::path path = folder_.filePath("secret").toStdString();
    std::filesystem::remove(path);
    std::ofstream(path) << text;
    if (::chmod(path.c_str(), mode) != 0) qFatal("chmod");
    return path;
  }

 private Q_SLOTS:
  void init() { qunsetenv("PARAPET_SECRET"); }
  void cleanup() { qunsetenv("PARAPET_SECRET"); }

  // RFC 4231, test cases 2 and 6.
  void macsAreThoseOfTheStandard() {
    QCOMPARE(hexOf(hmac("Jefe", {"what do ya want ", "for nothing?"})),
             std::string("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
    QCOMPARE(hexOf(hmac(std::string(131, '\xaa'),
                        {"Test Using Larger Than Block-Size Key - Hash Key First"})),
             std::string("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"));
  }

  void readsAFileOfThisUserAlone() {
    const std::string text = newSecret().value();
    const auto read = readSecret(write(text + "\n", 0600));
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(hexOf(std::string(asKey(*read))), text);
    QVERIFY(readSecret(write(text, 0400)).ok());
    QVERIFY(newSecret().value() != text);
  }

  void readsTheEnvironment() {
    const std::string text = newSecret().value();
    qputenv("PARAPET_SECRET", QByteArray::fromStdString(text));
    QCOMPARE(hexOf(std::string(asKey(readSecret({}).value()))), text);
    qunsetenv("PARAPET_SECRET");
    const auto missing = readSecret({});
    QVERIFY(!missing.ok());
    for (const char* accepted : {"--secret FILE", "PARAPET_SECRET", "64 hex digits", "0600"})
      QVERIFY2(missing.error().message.find(accepted) != std::string::npos, accepted);
  }

  void refusesAFileThatOthersMayRead_data() {
    QTest::addColumn<int>("mode");
    for (const int mode : {0640, 0604, 0660, 0644, 0610}) QTest::addRow("%o", mode) << mode;
  }
  void refusesAFileThatOthersMayRead() {
    QFETCH(const int, mode);
    const auto read = readSecret(write(newSecret().value(), static_cast<mode_t>(mode)));
    QVERIFY(!read.ok());
    QVERIFY2(read.error().message.find("0600") != std::string::npos, read.error().text().c_str());
  }

  void refusesWhatIsNoSecret() {
    const std::string text = newSecret().value();
    for (const std::string& wrong :
         {std::string(), text.substr(1), text + "0", "g" + text.substr(1)}) {
      const auto read = readSecret(write(wrong, 0600));
      QVERIFY(!read.ok());
      QCOMPARE(read.error().code, ErrorCode::kInvalidDocument);
      // The message must not give it away.
      QVERIFY(read.error().text().find(text.substr(1, 20)) == std::string::npos);
    }
    QCOMPARE(readSecret(folder_.filePath("none").toStdString()).error().code, ErrorCode::kNotFound);
    QVERIFY(!readSecret(folder_.path().toStdString()).ok());
  }

  void refusesALink() {
    const auto path = write(newSecret().value(), 0600);
    const std::filesystem::path link = folder_.filePath("link").toStdString();
    std::filesystem::create_symlink(path, link);
    QVERIFY(!readSecret(link).ok());
  }
};

QTEST_GUILESS_MAIN(LaunchSecretTest)
#include "secret_test.moc"
