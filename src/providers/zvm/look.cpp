#include "providers/zvm/look.hpp"

#include "store/read.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace lab::providers::zvm {

namespace {

namespace json = boost::json;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text.empty() ? "none" : text;
}

Result<void> check_image(Feilong& feilong, GuestOrder& order, const std::string& node, Deadline deadline) {
  const Call call = ask_images(order.image);
  const auto answer = feilong.answer_to(call, deadline);
  if (!answer) {
    return answer.error();
  }
  if (answer->no_such_call()) {
    return {};  // deploying will tell
  }
  const bool there = answer->ok() && answer->output.is_array() && !answer->output.get_array().empty();
  if (answer->missing() || (answer->ok() && !there)) {
    return Error{"Feilong has no image " + order.image, "node " + node,
                 "import it first: POST /images; docs/zvm.md has what an image needs"};
  }
  if (!there) {
    return to_error(*answer, name_of(call), node);
  }
  const json::value& image = answer->output.get_array().front();
  const std::string distribution = image.is_object() ? store::text_of(image.get_object(), "imageosdistro") : "";
  order.os_version = distribution.empty() ? order.os_version : distribution;
  return {};
}

Result<void> check_vswitch(Feilong& feilong, const GuestOrder& order, const std::string& node, Deadline deadline) {
  const Call call = ask_vswitches();
  const auto answer = feilong.answer_to(call, deadline);
  if (!answer) {
    return answer.error();
  }
  if (answer->no_such_call()) {
    return {};  // coupling will tell
  }
  if (!answer->ok() || !answer->output.is_array()) {
    return to_error(*answer, name_of(call), node);
  }
  std::vector<std::string> names;
  for (const json::value& name : answer->output.get_array()) {
    if (name.is_string()) {
      names.emplace_back(name.get_string());
    }
  }
  return std::find(names.begin(), names.end(), order.vswitch) != names.end()
             ? Result<void>()
             : Error{"z/VM has no virtual switch " + order.vswitch + "; it has: " + joined(names), "node " + node,
                     "have it defined first, with a real network device behind it, or name another one"};
}

}  // namespace

Result<std::string> version_of(Feilong& feilong, Deadline deadline) {
  const Call call = ask_version();
  const auto answer = feilong.answer_to(call, deadline);
  if (!answer) {
    return answer.error();
  }
  if (!answer->ok() || !answer->output.is_object()) {
    return to_error(*answer, name_of(call), "");
  }
  return store::text_of(answer->output.get_object(), "version");
}

std::vector<Call> calls_of_check(const GuestOrder& order) { return {ask_images(order.image), ask_vswitches()}; }

Errors check_order(Feilong& feilong, GuestOrder& order, const std::string& node, Deadline deadline) {
  Errors errors;
  for (const auto& checked : {check_image(feilong, order, node, deadline), check_vswitch(feilong, order, node, deadline)}) {
    if (!checked) {
      errors.push_back(checked.error());
    }
  }
  return errors;
}

}  // namespace lab::providers::zvm
