// Exists to be compiled with the tests' precompiled header, catch_result.hpp, which all of them reuse.
