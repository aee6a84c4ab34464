#include "live/feed.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace lab::live {

namespace json = boost::json;

namespace {

constexpr const char* kNames[] = {"starting", "finished", "sampled", "logged", "ended"};  // in the order of Event

json::array texts(const std::vector<std::string>& values) { return json::array(values.begin(), values.end()); }

json::object numbers(const std::map<std::string, double>& values) {
  json::object out;
  for (const auto& [name, value] : values) {
    out[name] = value;
  }
  return out;
}

// Serialised JSON has no line ends of its own.
std::string frame(std::string_view name, const json::object& data) {
  return "event: " + std::string(name) + "\ndata: " + json::serialize(data) + "\n\n";
}

// At most `most` bytes, not ending within a character.
void cut(std::string& text, std::size_t most) {
  if (text.size() > most) {
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) {
      --most;
    }
    text.resize(most);
    text += "…";
  }
}

json::value or_null(const json::object& object) { return object.empty() ? json::value(nullptr) : json::value(object); }

}  // namespace

Finished finished(const Trial& trial, int number, int total) {
  Finished event{number, total, {}, trial.flags, trial.failed};
  for (const Side& side : trial.sides) {
    event.sides.push_back({side.cell, side.pages_per_s, side.service_us_p99, side.cpu});
  }
  return event;
}

json::object Feed::take(Starting& event) {
  begin_.trials = event.total;  // it may grow: repeats until intervals are narrow
  current_ = {{"number", event.number}, {"total", event.total}, {"cells", texts(event.cells)}, {"left_s", event.left_s}};
  return current_;
}

json::object Feed::take(Finished& event) {
  cut(event.failed, kLineBytes);
  begin_.trials = event.total;
  json::array sides;
  for (const Finished::Side& side : event.sides) {
    sides.push_back(json::object{
        {"cell", side.cell}, {"pages_per_s", side.pages_per_s}, {"service_us_p99", side.service_us_p99}, {"cpu", numbers(side.cpu)}});
  }
  current_.clear();
  sides_ += event.sides.size();
  finished_.push_back(json::object{{"number", event.number},
                                   {"total", event.total},
                                   {"sides", std::move(sides)},
                                   {"flags", texts(event.flags)},
                                   {"failed", event.failed}});
  while (sides_ > kSides) {
    sides_ -= finished_.front().at("sides").as_array().size();
    finished_.pop_front();
  }
  return finished_.empty() ? json::object() : finished_.back();
}

json::object Feed::take(Sampled& event) {
  if (cpu_.contains(event.node) || cpu_.size() < kNodes) {
    auto& samples = cpu_[event.node];
    samples.emplace_back(event.at_s, event.cpus);
    if (samples.size() > kSamples) {
      samples.pop_front();
    }
  }
  return {{"node", event.node}, {"at_s", event.at_s}, {"cpus", event.cpus}};
}

json::object Feed::take(Logged& event) {
  cut(event.line, kLineBytes);
  log_.push_back(event.line);
  if (log_.size() > kLines) {
    log_.pop_front();
  }
  return {{"line", event.line}};
}

json::object Feed::take(Ended& event) {
  current_.clear();
  ended_ = {{"report", event.report}, {"why", event.why}};
  return ended_;
}

std::string Feed::take(Event event) {
  const json::object data = std::visit([this](auto& each) { return take(each); }, event);
  return frame(kNames[event.index()], data);
}

json::object Feed::state() const {
  json::object samples;
  for (const auto& [node, values] : cpu_) {
    json::array points;
    for (const auto& [at_s, cpus] : values) {
      points.push_back(json::array{at_s, cpus});
    }
    samples[node] = std::move(points);
  }
  return {{"lab", begin_.lab},
          {"playbook", begin_.playbook},
          {"profile", begin_.profile},
          {"cells", texts(begin_.cells)},
          {"nodes", texts(begin_.nodes)},
          {"trials", begin_.trials},
          {"current", or_null(current_)},
          {"finished", json::array(finished_.begin(), finished_.end())},
          {"samples", std::move(samples)},
          {"log", json::array(log_.begin(), log_.end())},
          {"ended", or_null(ended_)}};
}

std::string Feed::opening() const { return frame("state", state()); }

}  // namespace lab::live
