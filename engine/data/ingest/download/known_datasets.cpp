// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/download/known_datasets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::data {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;

struct ChecksumName {
  ChecksumKind kind;
  std::string_view name;
  std::size_t digits;
};
constexpr std::array kKinds{ChecksumName{ChecksumKind::kMd5, "md5", 32},
                            ChecksumName{ChecksumKind::kSha256, "sha256", 64}};

/// A streaming digest of OpenSSL.
class Digest {
 public:
  explicit Digest(ChecksumKind kind) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    ready_ = context_ &&
             EVP_DigestInit_ex(context_.get(),
                               kind == ChecksumKind::kMd5 ? EVP_md5() : EVP_sha256(), nullptr) == 1;
  }
  /// False where this OpenSSL refuses the algorithm, as MD5 in FIPS mode.
  [[nodiscard]] bool ready() const { return ready_; }
  void update(const void* bytes, std::size_t count) {
    EVP_DigestUpdate(context_.get(), bytes, count);
  }
  [[nodiscard]] std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), bytes.data(), &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  bool ready_ = false;
};

/// Closes itself.
struct OpenFile {
  int descriptor = -1;
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

// Sizes and SHA-256 of the MovieLens archives: url_checksums/movielens.txt of TensorFlow Datasets.
// MD5 of ml-100k: published by GroupLens beside the archive. Licences: the README of each archive.

constexpr std::string_view kMovielensTerms =
    "For research. No endorsement by the University of Minnesota or GroupLens may be stated or "
    "implied. Publications have to acknowledge the data set and cite: F. M. Harper, J. A. Konstan, "
    "The MovieLens Datasets: History and Context, ACM TiiS 5, 4 (2015), "
    "https://doi.org/10.1145/2827872. No commercial or revenue-bearing use without permission of "
    "GroupLens. Offered as it is, without warranty. ";

std::string terms(std::string_view redistribution) {
  return std::string(kMovielensTerms) + std::string(redistribution);
}

constexpr std::string_view kNoPassingOn = "The data may not be passed on without permission.";
constexpr std::string_view kPassingOn = "The data may be passed on under the same conditions.";

constexpr const char* kShares =
    "movielens-retrieval --set /dataset/split/train=0.8 --set /dataset/split/validation=0.2";
constexpr const char* kSharesHalfStars =
    "movielens-retrieval --set /dataset/split/train=0.8 --set /dataset/split/validation=0.2 "
    "--set '/dataset/label/scale=[0.5,5]'";

KnownDataset movielens(const char* name, const char* title, const char* readme, std::string licence,
                       const char* trainCommand) {
  const std::string file = std::string(name) + ".zip";
  const std::string folder = "https://files.grouplens.org/datasets/movielens/";
  KnownDataset set{name, title, folder + file, file};
  set.licence = std::move(licence);
  set.licenceUrl = folder + readme;
  set.source = experiment::SourceKind::kMovielens;
  set.packing = Packing::kZip;
  set.trainCommand = trainCommand;
  return set;
}

KnownDataset ml100k() {
  KnownDataset set =
      movielens("ml-100k", "MovieLens 100K: 100,000 ratings of 943 users, 1 to 5 stars, 1998",
                "ml-100k-README.txt", terms(kNoPassingOn), "movielens-retrieval");
  set.checksum = Checksum{ChecksumKind::kMd5, "0e33842e24a9c977be4e0107933c0723"};
  set.bytes = 4'924'029;
  set.rows = 100'000;
  set.users = 943;
  set.items = 1'682;
  return set;
}

KnownDataset ml1m() {
  KnownDataset set =
      movielens("ml-1m", "MovieLens 1M: 1,000,209 ratings of 6,040 users, 1 to 5 stars, 2003",
                "ml-1m-README.txt", terms(kNoPassingOn), kShares);
  set.checksum = Checksum{ChecksumKind::kSha256,
                          "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20"};
  set.bytes = 5'917'549;
  set.rows = 1'000'209;
  set.users = 6'040;
  set.items = 3'706;
  return set;
}

KnownDataset mlLatestSmall() {
  // Replaced by GroupLens from time to time: no size or checksum stays right.
  return movielens("ml-latest-small",
                   "MovieLens latest, small: about 100,000 ratings, half stars; changes over time",
                   "ml-latest-small-README.html", terms(kPassingOn), kSharesHalfStars);
}

KnownDataset ml25m() {
  KnownDataset set =
      movielens("ml-25m", "MovieLens 25M: 25,000,095 ratings of 162,541 users, half stars, 2019",
                "ml-25m-README.html", terms(kNoPassingOn), kSharesHalfStars);
  set.checksum = Checksum{ChecksumKind::kSha256,
                          "8b21cfb7eb1706b4ec0aac894368d90acf26ebdfb6aced3ebd4ad5bd1eb9c6aa"};
  set.bytes = 261'978'986;
  set.rows = 25'000'095;
  set.users = 162'541;
  set.items = 59'047;
  return set;
}

KnownDataset yambda(const char* size, const char* title) {
  const std::string page = "https://huggingface.co/datasets/yandex/yambda";
  KnownDataset set{std::string("yambda-") + size, title,
                   page + "/resolve/main/flat/" + size + "/multi_event.parquet",
                   std::string("yambda-") + size + "-multi_event.parquet"};
  set.licence =
      "Apache License 2.0: free to use, change and pass on, commercially too, with the licence and "
      "its notices; without warranty. Publications cite the Yambda paper, arXiv 2505.22238.";
  set.licenceUrl = page;
  set.source = experiment::SourceKind::kParquet;
  return set;
}

// MD5 of the archive: torchtext, datasets/wikitext2. Its first address is gone; this is its
// author's.
KnownDataset wikitext2() {
  KnownDataset set{"wikitext-2",
                   "WikiText-2: 2 million tokens of good and featured articles of Wikipedia",
                   "https://wikitext.smerity.com/wikitext-2-v1.zip", "wikitext-2-v1.zip"};
  set.checksum = Checksum{ChecksumKind::kMd5, "542ccefacc6c27f945fb54453812b3cd"};
  set.licence =
      "Text of Wikipedia under Creative Commons Attribution-ShareAlike: free to use, change and "
      "pass on, commercially too, with attribution and under the same licence. Publications cite: "
      "S. Merity, C. Xiong, J. Bradbury, R. Socher, Pointer Sentinel Mixture Models, ICLR 2017, "
      "https://arxiv.org/abs/1609.07843.";
  set.licenceUrl = "https://creativecommons.org/licenses/by-sa/4.0/";
  set.source = experiment::SourceKind::kText;
  set.packing = Packing::kZip;
  set.trainCommand = "bert-tiny-mlm --set /dataset/text/vocabulary=bert-base-uncased-vocab.txt";
  return set;
}

// SHA-256: of the 30,522 pieces that BERT was published with.
KnownDataset bertVocabulary() {
  KnownDataset set{"bert-vocabulary",
                   "WordPiece vocabulary of BERT, uncased: 30,522 tokens, of which texts are read",
                   "https://huggingface.co/google-bert/bert-base-uncased/resolve/main/vocab.txt",
                   "bert-base-uncased-vocab.txt"};
  set.checksum = Checksum{ChecksumKind::kSha256,
                          "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"};
  set.bytes = 231'508;
  set.licence =
      "Apache License 2.0: free to use, change and pass on, commercially too, with the licence and "
      "its notices; without warranty. Publications cite: J. Devlin, M.-W. Chang, K. Lee, "
      "K. Toutanova, BERT, NAACL 2019, https://arxiv.org/abs/1810.04805.";
  set.licenceUrl = "https://huggingface.co/google-bert/bert-base-uncased";
  return set;
}

}  // namespace

std::string Checksum::text() const {
  for (const ChecksumName& known : kKinds)
    if (known.kind == kind) return fmt::format("{}:{}", known.name, hex);
  throw InternalError("[data.Checksum] unknown kind");
}

Result<Checksum> parseChecksum(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string name = toLowerAscii(text.substr(0, colon));
    std::string hex = toLowerAscii(text.substr(colon + 1));
    for (const ChecksumName& known : kKinds)
      if (known.name == name && hex.size() == known.digits &&
          hex.find_first_not_of("0123456789abcdef") == std::string::npos)
        return Checksum{known.kind, std::move(hex)};
  }
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("checksum \"{}\" is none; accepted: md5: and 32 hex digits, or sha256: "
                           "and 64",
                           printable(text, 80))};
}

Result<Checksum> checksumOfFile(const std::filesystem::path& path, ChecksumKind kind,
                                const WorkContext& context) {
  const OpenFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.descriptor < 0) return ioError("open", path, errno);
  Digest digest(kind);
  if (!digest.ready())
    return Error{ErrorCode::kIo, "this system's OpenSSL refuses the checksum's algorithm"};
  std::error_code unknown;
  const auto total = static_cast<std::int64_t>(std::filesystem::file_size(path, unknown));
  std::vector<std::byte> block(kReadBytes);
  for (std::int64_t done = 0;;) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "checking was stopped"};
    const ssize_t count = ::read(file.descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ioError("read", path, errno);
    if (count == 0) break;
    digest.update(block.data(), static_cast<std::size_t>(count));
    done += count;
    context.report("checking", done, unknown ? 0 : total);
  }
  return Checksum{kind, digest.hex()};
}

std::string KnownDataset::checksumText() const {
  return checksum ? checksum->text() : "no checksum published here";
}

std::span<const KnownDataset> knownDatasets() {
  static const std::array sets{
      ml100k(),
      ml1m(),
      mlLatestSmall(),
      ml25m(),
      yambda("50m", "Yambda 50M: listens and likes of 10,000 users of Yandex Music, flat"),
      yambda("500m", "Yambda 500M: listens and likes of 100,000 users of Yandex Music, flat"),
      wikitext2(),
      bertVocabulary(),
  };
  return sets;
}

const KnownDataset* findKnownDataset(std::string_view name) {
  const auto sets = knownDatasets();
  const auto found = std::ranges::find(sets, name, &KnownDataset::name);
  return found == sets.end() ? nullptr : &*found;
}

}  // namespace parapet::data
