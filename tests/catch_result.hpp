// Catch2 with results: a Result in a CHECK prints its error; what it holds need not be printable.
#pragma once

#include "lab/error.hpp"

#include <catch2/catch.hpp>
#include <sstream>

template <class T, class E>
struct Catch::StringMaker<boost::system::result<T, E>> {
  static std::string convert(const boost::system::result<T, E>& result) {
    std::ostringstream text;
    if (result) {
      text << "a value";
    } else {
      text << "error: " << result.error();
    }
    return text.str();
  }
};
