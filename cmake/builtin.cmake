# Compiles the styles into LAMMPS without changing its source tree:
#
#   cmake -S lammps/cmake -B build -D PKG_GRANULAR=on -D CMAKE_PROJECT_lammps_INCLUDE=.../cmake/builtin.cmake
#
# docs/howto/hpc.md lists the other packages that some styles need.

include(${CMAKE_CURRENT_LIST_DIR}/granular_plus.cmake)

# LAMMPS collects the headers of its styles in global properties and generates its style tables from them
foreach(kind pair fix compute verlet)
  file(GLOB headers CONFIGURE_DEPENDS ${granular_plus_root}/lammps_plugins/*/${kind}_*.h)
  string(TOUPPER ${kind} property)
  if(kind STREQUAL verlet)
    set(property INTEGRATE)    # run styles
  endif()
  set_property(GLOBAL APPEND PROPERTY ${property} ${headers})
endforeach()

function(granular_plus_add_to_lammps)
  granular_plus_add_laws()
  target_sources(lammps PRIVATE ${granular_plus_styles} $<TARGET_OBJECTS:granular_plus_laws>
    $<TARGET_PROPERTY:granular_plus_laws,INTERFACE_SOURCES>)
  target_link_libraries(lammps PRIVATE ${CMAKE_DL_LIBS})
  foreach(room ${granular_plus_rooms})
    target_include_directories(lammps PRIVATE ${granular_plus_root}/lammps_plugins/${room})
  endforeach()
  set_source_files_properties(${granular_plus_styles} PROPERTIES
    COMPILE_OPTIONS "-ffp-contract=off;${granular_plus_style_flags}")
endfunction()

cmake_language(DEFER CALL granular_plus_add_to_lammps)    # runs once the target lammps exists
