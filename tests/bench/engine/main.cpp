// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/common/arguments.h"
#include "tests/bench/engine/benches.h"

int main(int argc, char** argv) {
  CLI::App program{"The engine's hot functions, as JSON lines"};
  parapet::bench::addVectors(program);
  parapet::bench::addTopK(program);
  parapet::bench::addMatmul(program);
  parapet::bench::addNegatives(program);
  parapet::bench::addSequences(program);
  parapet::bench::addRows(program);
  parapet::bench::addEvaluation(program);
  parapet::bench::addPlanner(program);
  parapet::bench::addInput(program);
  parapet::bench::addRanking(program);
  parapet::bench::addWordPiece(program);
  return parapet::bench::runProgram(program, argc, argv);
}
