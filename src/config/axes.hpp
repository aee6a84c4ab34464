// Axes and their values, as scenarios, profiles and selectors write them.
#pragma once

#include "config/reader.hpp"
#include "lab/playbook.hpp"

namespace lab::config {

std::vector<std::string> axis_names();

// One value of an axis: a size, a number of CPUs or clients, a word. As written.
std::optional<std::string> axis_value(Cursor at, std::string_view axis);

// {page: [5.8KB], cpus: [1, 2]}; each axis has at least one value and none twice.
std::vector<AxisValues> read_axes(Cursor at, std::string_view what);

// {scenario: "2", page: 5.8KB}
Selector read_selector(Cursor at, std::string_view what);
std::vector<std::string> selector_keys();

const std::vector<std::string>* values_of(const std::vector<AxisValues>& axes, std::string_view axis);

}  // namespace lab::config
