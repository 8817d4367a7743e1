# SPDX-License-Identifier: Apache-2.0
# Every package in one place, with what it is for. `installer/packages` lists the Debian names.

include(FeatureSummary)
find_package(Threads REQUIRED)
set_package_properties(Threads PROPERTIES PURPOSE "runs, workers, writer thread")
find_package(fmt REQUIRED)
set_package_properties(fmt PROPERTIES PURPOSE "text without locale")
find_package(spdlog REQUIRED)
set_package_properties(spdlog PROPERTIES PURPOSE "logging")
find_package(nlohmann_json REQUIRED)
set_package_properties(nlohmann_json PROPERTIES PURPOSE "experiment documents, manifests, terminal answers")
find_package(Eigen3 REQUIRED NO_MODULE)
set_package_properties(Eigen3 PROPERTIES PURPOSE "dense algebra of the portable CPU backend")
# The engine's workers are the only pool: on busy cores two pools that wait for each other collapse.
target_compile_definitions(Eigen3::Eigen INTERFACE EIGEN_DONT_PARALLELIZE)
find_package(SQLite3 REQUIRED)
set_package_properties(SQLite3 PROPERTIES PURPOSE "run store")
find_package(CLI11 REQUIRED)
set_package_properties(CLI11 PROPERTIES PURPOSE "arguments of parapet-cli")
find_package(ZLIB REQUIRED)
set_package_properties(ZLIB PROPERTIES PURPOSE "data sets in .gz files")
# Debian's libzip-config.cmake insists on programs that its package does not have.
find_path(ZIP_INCLUDE_DIR zip.h REQUIRED DOC "data sets inside zip archives")
find_library(ZIP_LIBRARY zip REQUIRED DOC "data sets inside zip archives")
find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED DOC "data sets in .zst files")
find_library(ZSTD_LIBRARY zstd REQUIRED DOC "data sets in .zst files")
find_package(CURL 7.85 REQUIRED)
set_package_properties(CURL PROPERTIES PURPOSE "downloads of data sets")
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
set_package_properties(OpenSSL PROPERTIES PURPOSE "MD5 and SHA-256 of downloads, HMAC between processes")
find_package(ICU REQUIRED COMPONENTS uc)
set_package_properties(ICU PROPERTIES PURPOSE "normalisation of texts, as Unicode has it")
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED DOC "content hashes of data sets and checkpoints")

if(PARAPET_BUILD_UI OR PARAPET_BUILD_TESTS)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core)
endif()
if(PARAPET_BUILD_TESTS)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
  # Without the two macros that name each test's folder (for QFINDTESTDATA), the tests share one precompiled header.
  set_property(TARGET Qt6::Test PROPERTY INTERFACE_COMPILE_DEFINITIONS QT_TESTLIB_LIB)
endif()
if(PARAPET_BUILD_UI)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Gui Widgets PrintSupport Svg)
  find_package(QCustomPlotQt6 REQUIRED)
  set_package_properties(QCustomPlotQt6 PROPERTIES PURPOSE "plots of the window")
  # Not found by Qt6LinguistTools, which wants the headers of Qt Designer too. Debian's /usr/bin/lrelease is that of Qt 5.
  get_target_property(qmake Qt6::qmake IMPORTED_LOCATION)
  execute_process(COMMAND "${qmake}" -query QT_INSTALL_BINS OUTPUT_VARIABLE qt_programs OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_program(PARAPET_LRELEASE lrelease PATHS "${qt_programs}" NO_DEFAULT_PATH
    DOC "languages of the window besides English")
  find_program(PARAPET_LUPDATE lupdate PATHS "${qt_programs}" NO_DEFAULT_PATH
    DOC "takes texts of the sources into translations")
  add_feature_info(Languages PARAPET_LRELEASE
    "the window in German; without lrelease of Qt 6 (qt6-l10n-tools) it speaks English alone")
endif()
