// The pages' frames and styles, from reports/template.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab::report {

std::string_view asset(std::string_view ending);  // by the end of its name; "" where there is none

// Replaces each {{name}} of the template once; what is put in is not looked at again.
std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& values);

struct Section {
  std::string id, title;  // plain text
  std::string html;
};

// A page that needs no script: sections under their headings, with a list of them beside. All texts but the sections' html are plain.
std::string plain_page(const std::string& kind, const std::string& title, const std::string& meta, const std::vector<Section>& sections);

}  // namespace lab::report
