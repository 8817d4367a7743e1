# SPDX-License-Identifier: Apache-2.0
# What a builder may choose, and what every target shares.

option(PARAPET_BUILD_UI "Build the window (needs Qt 6 Widgets and QCustomPlot)" ON)
option(PARAPET_BUILD_TESTS "Build the tests (needs Qt 6 Test)" ON)
option(PARAPET_WERROR "Treat warnings as errors" ON)
option(PARAPET_UNITY "Compile several sources at a time: less than half the time of a clean build" ON)
set(PARAPET_UNITY_BATCH 8 CACHE STRING "How many of them; more save time in a clean build and cost it after a change")
set(PARAPET_CUDA OFF CACHE STRING "Build the plugins for NVIDIA GPUs, which have run on none yet: AUTO where nvcc is found, ON or OFF")
set_property(CACHE PARAPET_CUDA PROPERTY STRINGS AUTO ON OFF)
set(PARAPET_SANITIZE "" CACHE STRING "Sanitizers for every target, as -fsanitize takes them")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# A plugin and the program must not see each other's templates (Eigen compiled for another instruction set).
# Instrumented libraries are shared (ParapetTargets.cmake); there the version script of the plugins does it alone.
if(NOT PARAPET_SANITIZE)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_C_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# A hundred test programs link the same libraries; mold does each in a fraction of the time.
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

add_library(parapet_warnings INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wconversion
  -Wno-sign-conversion)  # Eigen and the standard library index with signed and unsigned by turns
if(PARAPET_WERROR)
  list(APPEND warnings -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms inside std::string at -O3 (GCC bugs 105329, 105651, 105593), gone in GCC 13.
  list(APPEND warnings -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
target_compile_options(parapet_warnings INTERFACE "$<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:${warnings}>")
# nvcc hands its host code to the same compiler, with casts and line directives of its own making.
set(gpu_warnings ${warnings})
list(REMOVE_ITEM gpu_warnings -Wpedantic -Wold-style-cast -Werror)
list(TRANSFORM gpu_warnings PREPEND "-Xcompiler=")
if(PARAPET_WERROR)
  list(APPEND gpu_warnings -Werror=all-warnings)
endif()
target_compile_options(parapet_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${gpu_warnings}>")

if(PARAPET_SANITIZE)
  add_compile_options(-fsanitize=${PARAPET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # A check before each access to a member and at each step of a pointer costs half of the time to compile, and
  # AddressSanitizer sees the access itself; bounds, shifts, overflows, alignment and conversions stay checked.
  add_compile_options(-fno-sanitize=null,vptr,object-size,pointer-overflow)
  # Thread-local objects of shared libraries that the program is linked with: without a call each time, and without the
  # list of LeakSanitizer that the end of a thread may race with.
  add_compile_options(-ftls-model=initial-exec)
  add_link_options(-fsanitize=${PARAPET_SANITIZE})
endif()
