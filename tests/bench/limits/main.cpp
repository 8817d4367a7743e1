// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/common/arguments.h"
#include "tests/bench/limits/limits.h"

int main(int argc, char** argv) {
  CLI::App program{"The limits of this machine, as JSON lines"};
  parapet::bench::addFma(program);
  parapet::bench::addRead(program);
  parapet::bench::addTriad(program);
  parapet::bench::addRows(program);
  parapet::bench::addSgemm(program);
  return parapet::bench::runProgram(program, argc, argv);
}
