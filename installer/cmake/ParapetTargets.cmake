# SPDX-License-Identifier: Apache-2.0
# One library per folder. A folder links only what it may include; tests/layering holds both lists to
# the layers.

# Compiles the sources of a target several at a time: most of the time of a file goes into the headers they share.
function(parapet_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${PARAPET_UNITY_BATCH})
  # GCC holds a class against the anonymous types of its own .cpp when another file includes that .cpp.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# GCC collects garbage again and again while it compiles a file of templates; what needs less than 400 MB is compiled
# without, which saves 5 to 20 % of the time.
function(parapet_collect_late target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=400000)
  endif()
endfunction()

# What only moves things between the engine and a person: nothing in it is worth the time that optimising takes.
function(parapet_glue target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  parapet_collect_late(${target})
endfunction()

# parapet_library(engine_mesh SOURCES a.cpp … DEPS parapet::engine_tensor … [PRIVATE_DEPS …])
function(parapet_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  set(target parapet_${name})
  # Instrumented code is a hundred megabytes in each of two hundred test programs, unless they share it.
  if(PARAPET_SANITIZE)
    add_library(${target} SHARED ${ARG_SOURCES})
    set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")  # the precompiled header is another library's
  else()
    add_library(${target} STATIC ${ARG_SOURCES})
  endif()
  add_library(parapet::${name} ALIAS ${target})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PUBLIC ${ARG_DEPS} PRIVATE parapet_warnings ${ARG_PRIVATE_DEPS})
  # The hot loops of engine_tensor stay files of their own, so that what is inlined does not depend on neighbours.
  if(PARAPET_UNITY AND NOT name STREQUAL "engine_tensor")
    parapet_unity(${target})
  endif()
  if(name MATCHES "^engine_" AND NOT name STREQUAL "engine_base")
    target_precompile_headers(${target} REUSE_FROM parapet_engine_base)
  endif()
endfunction()

# parapet_ui_library(ui_pages SOURCES … DEPS … [PRIVATE_DEPS …]): a library of the window, with moc.
# All but ui_bridge, which builds without widgets, and ui_plots, which is optimised (GCC fails on a precompiled header of
# another optimisation), share the precompiled header of ui_models. It holds widgets, so every target sees their headers;
# only a target that links Qt6::Widgets can use them, which keeps models free of them.
function(parapet_ui_library name)
  parapet_library(${name} ${ARGN})
  set(target parapet_${name})
  set_target_properties(${target} PROPERTIES AUTOMOC ON)
  if(name STREQUAL "ui_plots")
    return()
  endif()
  parapet_glue(${target})
  if(name STREQUAL "ui_bridge")
    return()
  endif()
  foreach(module Gui Widgets)
    target_include_directories(${target} SYSTEM PRIVATE
      $<TARGET_PROPERTY:Qt6::${module},INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(${target} PRIVATE
      $<TARGET_PROPERTY:Qt6::${module},INTERFACE_COMPILE_DEFINITIONS>)
  endforeach()
  target_compile_definitions(${target} PRIVATE
    $<TARGET_PROPERTY:Qt6::PrintSupport,INTERFACE_COMPILE_DEFINITIONS>
    $<TARGET_PROPERTY:Qt6::Svg,INTERFACE_COMPILE_DEFINITIONS>)
  if(name STREQUAL "ui_models")
    target_precompile_headers(${target} PRIVATE
      <algorithm> <cmath> <cstdint> <functional> <memory> <optional> <span> <string> <variant> <vector> <fmt/format.h>
      <QAbstractTableModel> <QAction> <QElapsedTimer> <QEvent> <QLabel> <QString> <QStringList> <QTimer> <QVariant>
      <QVBoxLayout> <QWidget>)
  else()
    target_precompile_headers(${target} REUSE_FROM parapet_ui_models)
  endif()
endfunction()

# parapet_relocatable(TARGET FOLDER): the program finds libraries that lie in a folder beside it, as installer/bundle
# puts them there. The old tag, because the new one does not reach what a library or a plugin needs in turn.
function(parapet_relocatable target folder)
  if(NOT PARAPET_SANITIZE)  # which nobody installs
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${folder}")
  endif()
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
endfunction()

# What a program and its plugins must share: the version, and the headers between them by content
# (tests/layering holds the list to those that a plugin may include). A plugin of another build is told apart by this before anything in it is called.
set(PARAPET_ABI_HEADERS
  engine/data/source_abi.h engine/mesh/communicator_abi.h engine/tensor/attention_abi.h engine/tensor/call_abi.h
  engine/tensor/dense_abi.h engine/tensor/layers_abi.h engine/tensor/losses_abi.h engine/tensor/ops.def
  engine/tensor/optimizers_abi.h engine/tensor/plugin_abi.h engine/tensor/rows_abi.h
  engine/tensor/kernels/attention_tiles.h engine/tensor/kernels/kernel.h engine/tensor/kernels/negatives.h
  engine/tensor/kernels/recorded_ops.h engine/tensor/kernels/table_softmax.h engine/tensor/kernels/top_k.h)
foreach(header IN LISTS PARAPET_ABI_HEADERS)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}" DESTINATION "include/parapet/${folder}" COMPONENT development)
endforeach()
list(TRANSFORM PARAPET_ABI_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/")
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PARAPET_ABI_HEADERS})
set(abi_hashes "")
foreach(header IN LISTS PARAPET_ABI_HEADERS)
  file(SHA256 "${header}" hash)
  string(APPEND abi_hashes ${hash})
endforeach()
string(SHA256 abi_hash "${abi_hashes}")
string(SUBSTRING ${abi_hash} 0 12 abi_hash)
set(PARAPET_BUILD_TAG "${PROJECT_VERSION}-${abi_hash}")

# What a plugin is made with, in the tree and, by find_package(parapet), outside of it. The script shows three symbols and
# nothing else: hidden visibility alone is not enough, because templates of libstdc++ are marked visible.
add_library(parapet_plugin_kit INTERFACE)
set_target_properties(parapet_plugin_kit PROPERTIES EXPORT_NAME plugin)
set(exports "${PROJECT_SOURCE_DIR}/plugins/exports.map")
target_include_directories(parapet_plugin_kit INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:include/parapet>")
target_compile_definitions(parapet_plugin_kit INTERFACE PARAPET_BUILD_TAG="${PARAPET_BUILD_TAG}")
target_link_options(parapet_plugin_kit INTERFACE "$<BUILD_INTERFACE:-Wl,--version-script=${exports}>"
  "$<INSTALL_INTERFACE:-Wl,--version-script=$<INSTALL_PREFIX>/lib/cmake/parapet/exports.map>")
install(FILES "${exports}" DESTINATION lib/cmake/parapet COMPONENT development)
install(TARGETS parapet_plugin_kit EXPORT parapet COMPONENT development)
install(EXPORT parapet FILE parapetConfig.cmake NAMESPACE parapet:: DESTINATION lib/cmake/parapet COMPONENT development)

# Every plugin of the product, so that building a program builds what it loads.
add_custom_target(parapet_plugins)

# parapet_plugin(cpu_x86-64-v3 SOURCES a.cpp … [FLAGS -march=x86-64-v3 …] [DEPS Eigen3::Eigen …] [KIND sources]
#   [FOLDER …])
# Makes parapet_<name>.so, which exports the three symbols that every plugin has and nothing else. It lies where the
# programs look, ../lib/parapet/plugins from their own folder, or the folder KIND in it for what is no device, unless
# FOLDER names another (of a test).
function(parapet_plugin name)
  cmake_parse_arguments(ARG "" "FOLDER;KIND" "SOURCES;FLAGS;DEPS" ${ARGN})
  set(target parapet_${name})
  add_library(${target} MODULE ${ARG_SOURCES})
  target_compile_options(${target} PRIVATE ${ARG_FLAGS})
  target_link_libraries(${target} PRIVATE parapet_plugin_kit ${ARG_DEPS} parapet_warnings)
  set_target_properties(${target} PROPERTIES PREFIX "" LINK_DEPENDS "${PROJECT_SOURCE_DIR}/plugins/exports.map")
  if(ARG_FOLDER)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${ARG_FOLDER}")
  else()
    set(folder "lib/parapet/plugins/${ARG_KIND}")
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}")
    add_dependencies(parapet_plugins ${target})
    set_property(GLOBAL APPEND PROPERTY PARAPET_PLUGINS ${target})
    # What computes and what moves data goes with the terminal program; what reads files brings large libraries.
    set(component terminal)
    if(ARG_KIND STREQUAL "sources")
      set(component sources)
    endif()
    install(TARGETS ${target} LIBRARY DESTINATION "${folder}" COMPONENT ${component})
  endif()
endfunction()
