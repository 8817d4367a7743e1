# SPDX-License-Identifier: Apache-2.0
# Test programs. Most hold all tests of a folder that link the same libraries: nine tenths of the time of a test file
# would go into the headers that it shares with its neighbours. Each test stays a test of CTest and a process of its own.

# What moc makes of the class in each x_test.cpp, which includes it as "x_test.moc". AUTOMOC would scan every source of
# every test and compile an empty file for each: two seconds a test, and as many again under each sanitizer. moc reads
# the file alone, without the headers that it includes.
function(parapet_moc_of_test target)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/moc/${target}")
  foreach(source IN LISTS ARGN)
    get_filename_component(name "${source}" NAME_WE)
    set(made "${folder}/${name}.moc")
    add_custom_command(OUTPUT "${made}" DEPENDS "${source}" VERBATIM
      COMMAND Qt6::moc "${CMAKE_CURRENT_SOURCE_DIR}/${source}" -o "${made}")
    # Listed for the sake of the dependency; it is included, not compiled.
    target_sources(${target} PRIVATE "${made}")
    set_source_files_properties("${made}" PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# How every test is compiled, and the headers that tests share.
function(parapet_test_options target)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  parapet_collect_late(${target})
  # A test's own code is run once; what it measures is in the libraries.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  # The libraries are checked; a test's own code under both sanitizers would take twice as long to compile.
  # ThreadSanitizer has to see all code, since it would take the locks of other code for races.
  if(PARAPET_SANITIZE MATCHES "undefined")
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
  endif()
endfunction()

# parapet_test_headers(engine DEPS … HEADERS …): a precompiled header for the tests of one kind. It belongs to a program
# that does nothing, since a header that is compiled for a library does not fit a program.
function(parapet_test_headers kind)
  cmake_parse_arguments(ARG "" "" "DEPS;DEFINITIONS;HEADERS" ${ARGN})
  set(target parapet_test_headers_${kind})
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp" CONTENT "int main() {}\n")
  add_executable(${target} EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  parapet_test_options(${target})
  target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})
  target_link_libraries(${target} PRIVATE ${ARG_DEPS} Qt6::Test parapet_warnings)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <chrono> <cstdint> <filesystem> <fstream> <functional> <memory> <optional> <span> <string>
    <string_view> <vector> <fmt/format.h> <nlohmann/json.hpp> ${ARG_HEADERS})
endfunction()

# parapet_test_program(TARGET DEPS … SOURCES …): links a program of tests and compiles its sources like its kind.
function(parapet_test_program target)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  # Tests of widgets, of models (which have none) and of all that knows no window compile with other definitions.
  if("${ARG_DEPS}" MATCHES "::ui_(page|plots|forms|style|dialogs)|::window")
    set(kind widgets)
  elseif("${ARG_DEPS}" MATCHES "::ui_(models|frame_models|controllers)")
    set(kind models)
  elseif(NOT "${ARG_DEPS}" MATCHES "::ui_")
    set(kind engine)
    list(APPEND ARG_DEPS parapet::engine_base)
    # Parameters have slots; Qt's macro of that name must not meet them.
    target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS)
  endif()
  if(kind)
    target_precompile_headers(${target} REUSE_FROM parapet_test_headers_${kind})
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  parapet_test_options(${target})
  target_link_libraries(${target} PRIVATE ${ARG_DEPS} Qt6::Test parapet_warnings)
  # Whatever opens plugins holds their trial first.
  add_dependencies(${target} parapet-plugin-trial)
endfunction()

# parapet_add_test(NAME LABELS … TIMEOUT s ENVIRONMENT … COMMAND …)
function(parapet_add_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  # TIMEOUT is for a machine with nothing else to do; one that is busy, or instrumented code, takes several times as long.
  math(EXPR ARG_TIMEOUT "3 * ${ARG_TIMEOUT}")
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  # The longest begin first, so that none runs alone at the end.
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT}
    ENVIRONMENT "QT_QPA_PLATFORM=offscreen;FONTCONFIG_FILE=${PROJECT_SOURCE_DIR}/tests/fonts.conf;ASAN_OPTIONS=allocator_may_return_null=1;TSAN_OPTIONS=ignore_noninstrumented_modules=1:die_after_fork=0:suppressions=${PROJECT_SOURCE_DIR}/installer/tsan.suppressions;XDG_STATE_HOME=${PROJECT_BINARY_DIR}/tests/state;${ARG_ENVIRONMENT}")
endfunction()

# parapet_test(data/split/split SOURCES split/split_test.cpp LABELS unit DEPS parapet::engine_data …)
# A program of its own, for a test that starts itself, counts allocations or compiles what others must not see. The
# executable is Qt Test; a case that cannot run here says why with QSKIP.
function(parapet_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LABELS;DEPS;ENVIRONMENT" ${ARGN})
  string(REPLACE "/" "_" target "test_${name}")
  parapet_test_program(${target} SOURCES ${ARG_SOURCES} DEPS ${ARG_DEPS})
  set(tests ${ARG_SOURCES})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  parapet_moc_of_test(${target} ${tests})
  parapet_add_test(${name} COMMAND ${target} LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT ${ARG_ENVIRONMENT})
endfunction()

# parapet_tests(data/split UNITS leakage split LABELS unit DEPS parapet::engine_data … [FOLDER split] [SOURCES …])
# The tests data/split/leakage and data/split/split, from leakage_test.cpp and split_test.cpp in FOLDER, in one program
# that takes the unit as its first argument. It is named after the module and the labels, test_data_split_unit, unless
# PROGRAM says otherwise.
function(parapet_tests module)
  cmake_parse_arguments(ARG "" "TIMEOUT;FOLDER;PROGRAM" "UNITS;SOURCES;LABELS;DEPS;ENVIRONMENT" ${ARGN})
  string(JOIN "_" target test ${module} ${ARG_LABELS})
  string(REPLACE "/" "_" target "${target}")
  if(ARG_PROGRAM)
    set(target ${ARG_PROGRAM})
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  set(tests "")
  set(declared "")
  set(rows "")
  foreach(unit IN LISTS ARG_UNITS)
    if(ARG_FOLDER)
      list(APPEND tests "${ARG_FOLDER}/${unit}_test.cpp")
    else()
      list(APPEND tests "${unit}_test.cpp")
    endif()
    string(APPEND declared "namespace in_${unit}_test {\nint main(int, char**);\n}\n")
    string(APPEND rows "    {\"${unit}\", in_${unit}_test::main},\n")
  endforeach()
  set(PARAPET_TESTS_DECLARED "${declared}")
  set(PARAPET_TESTS_ROWS "${rows}")
  configure_file("${PROJECT_SOURCE_DIR}/installer/cmake/tests_main.cpp.in" "${folder}/main.cpp" @ONLY)
  # Six at a time, shared evenly, so that both halves of a program of seven take as long.
  set(batch 1)
  if(PARAPET_UNITY)
    list(LENGTH tests count)
    math(EXPR groups "(${count} + 5) / 6")
    math(EXPR batch "(${count} + ${groups} - 1) / ${groups}")
  endif()
  set(sources "${folder}/main.cpp")
  list(LENGTH tests count)
  math(EXPR last "${count} - 1")
  foreach(begin RANGE 0 ${last} ${batch})
    list(SUBLIST tests ${begin} ${batch} members)
    list(TRANSFORM members PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    set(source "${folder}/from_${begin}.cpp")
    add_custom_command(OUTPUT "${source}" VERBATIM
      DEPENDS ${members} "${PROJECT_SOURCE_DIR}/installer/cmake/JoinTests.cmake"
      COMMAND "${CMAKE_COMMAND}" "-DTESTS=${members}" "-DOUT=${source}" -P "${PROJECT_SOURCE_DIR}/installer/cmake/JoinTests.cmake")
    list(APPEND sources "${source}")
  endforeach()
  parapet_test_program(${target} SOURCES ${sources} ${ARG_SOURCES} DEPS ${ARG_DEPS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC holds a class against the anonymous types of its own .cpp when another file includes that .cpp.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  parapet_moc_of_test(${target} ${tests})
  foreach(unit IN LISTS ARG_UNITS)
    parapet_add_test(${module}/${unit} COMMAND ${target} ${unit} LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT}
      ENVIRONMENT ${ARG_ENVIRONMENT})
  endforeach()
endfunction()
