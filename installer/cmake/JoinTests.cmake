# SPDX-License-Identifier: Apache-2.0
# cmake -DTESTS=a_test.cpp;b_test.cpp -DOUT=joined.cpp -P JoinTests.cmake
# Writes one source that includes several test files, each in a namespace of its own: their names do not meet, and main
# of a_test.cpp is in_a_test::main. The headers that they include come before, outside of every namespace.
set(headers "")
set(files "")
foreach(test IN LISTS TESTS)
  file(STRINGS "${test}" includes REGEX "^#include [<\"].*[>\"]")
  list(FILTER includes EXCLUDE REGEX "\\.moc\"")
  list(APPEND headers ${includes})
  get_filename_component(name "${test}" NAME_WE)
  string(APPEND files "namespace in_${name} {\n#include \"${test}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES headers)
list(JOIN headers "\n" headers)
file(WRITE "${OUT}" "${headers}\n${files}")
