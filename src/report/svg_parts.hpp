// What the charts that are SVG files of their own share: 860 units wide, on white, in the palette's light colours.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab::report::svg {

inline constexpr double kWidth = 860, kLabels = 250, kRight = 90, kRow = 24, kTop = 46, kAxis = 44;

std::string color(const std::string& name);  // "#84cbc3" of "h1-0"; black for a name that the palette has not
std::string text(double x, double y, std::string_view style, std::string_view content);
std::string line(double x1, double y1, double x2, double y2, std::string_view style);
// The palette's mark of a colour ("p2": a triangle) with its middle at x, y; a square where it has none.
std::string mark(const std::string& name, double x, double y);

using Legend = std::vector<std::pair<std::string, std::string>>;  // colour and text
std::string legend(const Legend& entries);
double legend_bottom(const Legend& entries);

std::string picture(const std::string& title, double height, const std::string& content);

}  // namespace lab::report::svg
