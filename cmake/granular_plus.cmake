# Compiles the laws once per instruction set and lists the styles, both for the plug-in and for styles compiled into LAMMPS.
# Sets granular_plus_styles (source files, without the plug-in's entry point), granular_plus_rooms (the folders of these files) and
# granular_plus_version.

get_filename_component(granular_plus_root ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
file(STRINGS ${granular_plus_root}/pysuite/__init__.py version_line REGEX "^__version__")
string(REGEX MATCH "[0-9]+(\\.[0-9]+)*" granular_plus_version "${version_line}")
# all folders except core, which is independent of LAMMPS
set(granular_plus_rooms device glue grains walls shapes bonds liquid energy motion feeding offload)
set(granular_plus_styles)
foreach(room ${granular_plus_rooms})
  file(GLOB sources CONFIGURE_DEPENDS ${granular_plus_root}/lammps_plugins/${room}/*.cpp)
  list(APPEND granular_plus_styles ${sources})
endforeach()
# For vectors of three numbers, GCC's vectoriser reads two numbers at once. If these two numbers have just been written one at a
# time, the CPU must wait for memory.
set(granular_plus_style_flags -fno-tree-vectorize)

# A clone is a copy of the kernels for one instruction set. A style chooses the fastest clone that the CPU can run when the
# style is created. Without contraction to fused multiply-add, the results of all clones are bitwise identical.
function(granular_plus_add_laws)
  set(CMAKE_CXX_STANDARD 17)
  set(CMAKE_CXX_STANDARD_REQUIRED ON)
  set(CMAKE_CXX_EXTENSIONS OFF)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(law_flags -O3 -fopenmp-simd -fno-math-errno -fno-trapping-math -ffp-contract=off -Wall -Wextra -Wno-psabi)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # rows of a batch are aligned; without this option GCC processes up to seven contacts of each batch one at a time
    list(APPEND law_flags --param=vect-max-peeling-for-alignment=0)
    list(APPEND law_flags -Wno-maybe-uninitialized)    # the header of intrinsics leaves lanes undefined on purpose
  endif()
  if(GRANULAR_PLUS_SANITIZE)
    list(APPEND law_flags -O1)    # overrides -O3; optimising code with sanitizer checks takes many minutes
  endif()
  set(clones portable)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND clones avx2 avx512)
  endif()
  set(clone_flags_avx2 -march=x86-64-v3)
  set(clone_flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)

  set(core ${granular_plus_root}/lammps_plugins/core)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${core}/*.cpp)
  list(REMOVE_ITEM sources ${core}/kernels/clone.cpp)    # compiled once for each clone
  add_library(granular_plus_laws OBJECT ${sources})
  # PUBLIC: targets that link the laws need -ffp-contract=off too, because compilers for aarch64 fuse multiply-add by default
  target_compile_options(granular_plus_laws PUBLIC -ffp-contract=off PRIVATE -Wall -Wextra -fno-math-errno)
  foreach(clone ${clones})
    add_library(granular_plus_kernels_${clone} OBJECT ${core}/kernels/clone.cpp)
    target_compile_definitions(granular_plus_kernels_${clone} PRIVATE GRANULAR_PLUS_CLONE=${clone})
    target_compile_options(granular_plus_kernels_${clone} PRIVATE ${law_flags} ${clone_flags_${clone}})
    target_sources(granular_plus_laws INTERFACE $<TARGET_OBJECTS:granular_plus_kernels_${clone}>)
  endforeach()
  if("avx2" IN_LIST clones)
    target_compile_definitions(granular_plus_laws PRIVATE GRANULAR_PLUS_X86_CLONES)
  endif()
endfunction()
