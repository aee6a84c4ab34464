// The report's page: semantic HTML that reads without JavaScript; the charts are drawn into it by reports/template.
#pragma once

#include "report/report.hpp"

#include <string>

namespace lab::report {

std::string render_html(const Run& run);

}  // namespace lab::report
