#include "report/html_parts.hpp"

#include "report/text.hpp"

#include <fmt/format.h>

namespace lab::report {

// The script fills it: which trial is shown is up to the reader.
std::string trials_html(const Run& run) {
  if (run.shown.empty()) {
    return "";
  }
  return fmt::format(
      "<section id=\"trials\">\n<h2>One trial over time</h2>\n"
      "<p>What one trial did, slice by slice: pages a second of each side, the nodes’ CPU, its flags and notes. <span "
      "class=\"scripted\">Choose it here, or click its dot in a throughput chart.</span></p>\n"
      "<noscript><p class=\"box\">This figure needs JavaScript. Without it, the slices of every trial are in the run’s directory, a trial "
      "a "
      "line: <code>{}/trials.jsonl</code>, the CPU samples in <code>samples.csv</code> beside it.</p></noscript>\n"
      "<div class=\"picker\" hidden>\n<label for=\"trial-choice\">Trial</label>\n<select id=\"trial-choice\"></select>\n"
      "<button type=\"button\" id=\"trial-before\">Previous</button>\n<button type=\"button\" id=\"trial-next\">Next</button>\n</div>\n"
      "<p id=\"trial-absent\" class=\"box\" role=\"status\" data-run=\"{}\" hidden></p>\n"
      "<div id=\"trial-shown\" tabindex=\"-1\" hidden></div>\n</section>\n",
      escape_html(run.record.name), escape_html(run.record.name));
}

}  // namespace lab::report
