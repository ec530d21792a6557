// Functions for all bindings. They convert numpy arrays, and they translate errors about user input to Python
// exceptions.

#ifndef GRANULAR_PLUS_PYTHON_ARRAYS_H
#define GRANULAR_PLUS_PYTHON_ARRAYS_H

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <vector>

namespace nb = nanobind;

using Vectors = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

template <class T> nb::object new_array(std::initializer_list<std::size_t> shape, const std::vector<T> &values)
{
  auto *copy = new T[values.size()];
  std::copy(values.begin(), values.end(), copy);
  nb::capsule owner(copy, [](void *p) noexcept { delete[] static_cast<T *>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(copy, shape, owner));
}

// makes Python raise ValueError for C++ exceptions of type Error
template <class Error> void translate()
{
  nb::register_exception_translator([](const std::exception_ptr &p, void *) {
    try {
      std::rethrow_exception(p);
    } catch (const Error &e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
}

#endif
