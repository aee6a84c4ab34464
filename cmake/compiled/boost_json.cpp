// Boost.JSON without its shared library: its one compiled unit.
#include <boost/json/src.hpp>
