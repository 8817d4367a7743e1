// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/ingest/sources/block_writer.h"
#include "engine/data/ingest/sources/delimited_parser.h"

namespace parapet::data {

/// One piece on its way into a block: the working part of DelimitedParser.
class DelimitedParser::Reader {
 public:
  Reader(const DelimitedParser& parser, const Source::Piece& piece, RowBlock& block);
  void read();

 private:
  // What is wrong with a line, and the setting of the cell at which that showed.
  struct Fault {
    std::string reason, pointer{};
  };

  // Where values go that are one a row.
  struct Target {
    std::int64_t* integers = nullptr;
    double* numbers = nullptr;
    std::string_view* texts = nullptr;
  };

  void readLines();
  std::size_t readWindow(std::span<const std::uint32_t> positions);
  void reserve(std::size_t rows);
  void startWindow(std::span<const std::uint32_t> positions);
  [[nodiscard]] std::size_t plainLines(std::span<const std::uint32_t> positions) const;
  std::size_t readPlain(const std::uint32_t* ends, std::size_t lines);
  template <class Read>
  std::size_t forCells(const Step& step, const std::uint32_t* ends, std::size_t lines,
                       const Read& read) const;
  void readCarefully(std::string_view line);
  Fault readCells(std::string_view line);
  bool readCell(const Step& step, std::string_view cell);
  bool appendList(const Step& step, std::string_view cell);
  std::string_view decode(std::string_view cell);
  void refuse(Fault fault, std::string_view line);

  const DelimitedParser& parser_;
  const Source::Piece& piece_;
  RowBlock& block_;
  BlockWriter rows_;
  std::vector<Target> targets_;          // of the columns
  std::vector<std::string_view> cells_;  // of the line
  MadeText made_;
  std::size_t start_ = 0;    // of the next line
  std::size_t batch_ = 1;    // lines that are tried at once
  bool suspicious_ = false;  // something in the window may be no text
};

}  // namespace parapet::data
