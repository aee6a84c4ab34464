#include "providers/zvm/guest_record.hpp"

#include "config/config.hpp"
#include "remote/sha256.hpp"
#include "store/files.hpp"
#include "store/read.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cctype>

namespace lab::providers::zvm {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::array kStages{"intended", "created", "deployed", "wired", "coupled", "granted", "ready"};
constexpr std::size_t kHashDigits = 16, kCutHashDigits = 8, kNodeLimit = 40;

fs::path folder_of(const fs::path& state) { return state / "guests"; }
fs::path file_of(const fs::path& state, const std::string& node) { return folder_of(state) / (node + ".json"); }

std::string hash_of(const std::string& text, std::size_t digits) {
  remote::Sha256 sha256;
  sha256.add(text);
  return sha256.hex().substr(0, digits);
}

std::string prefix_of(const std::string& lab, const fs::path& state) {
  return "LAB " + hash_of(lab + '\0' + state.string(), kHashDigits) + " ";
}

// Directory lines are short: of a long name the beginning and a hash.
std::string short_name(const std::string& node) {
  return node.size() <= kNodeLimit ? node : node.substr(0, kNodeLimit - kCutHashDigits - 1) + "~" + hash_of(node, kCutHashDigits);
}

bool begins_with(std::string_view line, std::string_view prefix) {
  return line.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), line.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         });
}

}  // namespace

Result<void> save(const fs::path& state, const GuestRecord& record) {
  std::error_code failed;
  fs::create_directories(folder_of(state), failed);
  if (failed) {
    return system_error("make " + folder_of(state).string(), failed.value(), "free some disk space");
  }
  const json::object object{{"node", record.node},
                            {"userid", record.userid},
                            {"vswitch", record.vswitch},
                            {"stage", kStages.at(static_cast<std::size_t>(record.stage))},
                            {"given", record.given},
                            {"stray", record.stray},
                            {"online_before", json::value_from(record.online_before)},
                            {"directory", record.directory},
                            {"machine", record.machine},
                            {"architecture", record.architecture}};
  return store::write_atomically(file_of(state, record.node), json::serialize(object) + "\n");
}

std::optional<GuestRecord> load(const fs::path& state, const std::string& node) {
  const auto text = config::read_file(file_of(state, node).string());
  boost::system::error_code failed;
  const json::value value = text ? json::parse(*text, failed) : json::value();
  if (!text || failed || !value.is_object()) {
    return std::nullopt;
  }
  const json::object& object = value.get_object();
  GuestRecord record;
  record.node = node;
  record.userid = store::text_of(object, "userid");
  record.vswitch = store::text_of(object, "vswitch");
  const auto stage = std::find(kStages.begin(), kStages.end(), store::text_of(object, "stage"));
  record.stage = stage == kStages.end() ? Stage::intended : static_cast<Stage>(stage - kStages.begin());
  const auto flag = [&](const char* key) {
    const auto* const found = object.if_contains(key);
    return found != nullptr && found->is_bool() && found->get_bool();
  };
  record.given = flag("given");
  record.stray = flag("stray");
  for (const json::value& cpu : store::array_of(object, "online_before")) {
    if (cpu.is_int64()) {
      record.online_before.push_back(static_cast<int>(cpu.get_int64()));
    }
  }
  record.directory = store::text_of(object, "directory");
  record.machine = store::text_of(object, "machine");
  record.architecture = store::text_of(object, "architecture");
  return record;
}

std::vector<GuestRecord> load_all(const fs::path& state) {
  std::vector<GuestRecord> all;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder_of(state), missing)) {
    if (entry.path().extension() == ".json") {
      if (auto record = load(state, entry.path().stem().string())) {
        all.push_back(std::move(*record));
      }
    }
  }
  std::sort(all.begin(), all.end(), [](const GuestRecord& a, const GuestRecord& b) { return a.node < b.node; });
  return all;
}

void forget(const fs::path& state, const std::string& node) {
  std::error_code ignored;
  fs::remove(file_of(state, node), ignored);
  fs::remove(folder_of(state), ignored);  // not while another is in it
}

std::string label_of(const std::string& lab, const fs::path& state, const std::string& node) {
  return prefix_of(lab, state) + short_name(node);
}

std::optional<std::string> labelled_node(const std::vector<std::string>& entry, const std::string& lab, const fs::path& state) {
  const std::string prefix = prefix_of(lab, state);
  for (std::string_view line : entry) {
    line.remove_prefix(std::min(line.find_first_not_of("* \t"), line.size()));
    if (begins_with(line, prefix)) {
      line.remove_prefix(prefix.size());
      const std::size_t end = line.find_first_of(" \t");
      return std::string(line.substr(0, end));
    }
  }
  return std::nullopt;
}

bool names_node(std::string_view labelled, const std::string& node) {
  const std::string name = short_name(node);
  return labelled.size() == name.size() && begins_with(labelled, name);
}

}  // namespace lab::providers::zvm
