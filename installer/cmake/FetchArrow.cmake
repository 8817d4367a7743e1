# SPDX-License-Identifier: Apache-2.0
# cmake -P installer/cmake/FetchArrow.cmake
# Puts headers and libraries of Apache Arrow into build/arrow, out of its Python package, for plugins/parquet. Nothing
# else of the package is kept. Needs no Python; what is there already is not fetched again.
set(version 26.0.1)
set(soname 2600)
set(folder "${CMAKE_CURRENT_LIST_DIR}/../../build/arrow")
cmake_host_system_information(RESULT processor QUERY OS_PLATFORM)
if(processor STREQUAL "x86_64")
  set(place "e6/87/6bf528898ef82dc3e8d762cbec7b42ae127a543895cc78c5df26a1f497f5")
  set(sha256 39cb0f2418282c24bea6ceda77b03e5a8f0a5766b63a8bf194d4e2a2c423548c)
elseif(processor STREQUAL "aarch64")
  set(place "03/f9/44489f525c73cc469f23fd02c0a3009882a8dcf45d0d9fb6ca1bb84a53e2")
  set(sha256 22a96a225de107eb9acd1ad9a818198ca832df2a4c0952412f754a7ed2105a98)
else()
  message(FATAL_ERROR "there is no package of Apache Arrow for ${processor}")
endif()
set(wheel "pyarrow-${version}-cp311-cp311-manylinux_2_28_${processor}.whl")

if(EXISTS "${folder}/sha256")
  file(READ "${folder}/sha256" present)
  if(present STREQUAL sha256)
    return()
  endif()
endif()

# Apart until it is whole.
set(part "${folder}.part")
file(REMOVE_RECURSE "${part}")
message("Fetching Apache Arrow ${version} (55 MB) from PyPI")
file(DOWNLOAD "https://files.pythonhosted.org/packages/${place}/${wheel}" "${part}/${wheel}"
  EXPECTED_HASH SHA256=${sha256} INACTIVITY_TIMEOUT 30 TIMEOUT 600 STATUS status)
file(ARCHIVE_EXTRACT INPUT "${part}/${wheel}" DESTINATION "${part}" PATTERNS
  "pyarrow/include/*" "pyarrow/libarrow.so.${soname}" "pyarrow/libparquet.so.${soname}" "*/licenses/LICENSE.txt" "*/licenses/NOTICE.txt")
file(REMOVE "${part}/${wheel}")
foreach(name arrow parquet)
  file(CREATE_LINK "lib${name}.so.${soname}" "${part}/pyarrow/lib${name}.so" SYMBOLIC)
endforeach()
file(RENAME "${part}/pyarrow-${version}.dist-info/licenses" "${part}/pyarrow/licenses")
file(WRITE "${part}/pyarrow/sha256" ${sha256})
file(REMOVE_RECURSE "${folder}")
file(RENAME "${part}/pyarrow" "${folder}")
file(REMOVE_RECURSE "${part}")
