#include "providers/zvm/answer.hpp"

#include "store/read.hpp"

#include <boost/json.hpp>

namespace lab::providers::zvm {

namespace {

namespace json = boost::json;

constexpr int kHttpFault = 400;
constexpr std::size_t kShown = 200;

bool is_envelope(const json::value& value) { return value.is_object() && value.get_object().contains("overallRC"); }

// In one line, as much of it as a message can bear.
std::string shortened(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, kShown)) {
    line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return line + (text.size() > kShown ? "…" : "");
}

std::string remedy_for(const Answer& answer) {
  if (answer.http == 401) {
    return "give the admin token of its /etc/zvmsdk: `token-file` under `feilong`, or LAB_FEILONG_TOKEN";
  }
  constexpr int kServerDown = 101;
  if (answer.overall_rc == kServerDown) {
    return "look whether sdkserver runs on its host: systemctl status sdkserver";
  }
  return answer.overall_rc == 503 ? "wait until its other deployments are done" : "";
}

}  // namespace

Result<Answer> parse_answer(unsigned status, std::string_view body) {
  boost::system::error_code failed;
  const json::value value = json::parse({body.data(), body.size()}, failed);
  Answer answer;
  answer.http = status;
  if (!failed && is_envelope(value)) {
    const json::object& object = value.get_object();
    answer.overall_rc = static_cast<int>(store::integer_of(object, "overallRC"));
    answer.rc = static_cast<int>(store::integer_of(object, "rc"));
    answer.rs = static_cast<int>(store::integer_of(object, "rs"));
    answer.message = store::text_of(object, "errmsg");
    const auto* const output = object.if_contains("output");
    answer.output = output == nullptr ? json::value() : *output;
    return answer;
  }
  if (status >= 400) {
    answer.overall_rc = answer.rc = kHttpFault;
    answer.rs = static_cast<int>(status);
    answer.message = body.empty() ? "HTTP " + std::to_string(status) : shortened(body);
    return answer;
  }
  return Error{"what answers is not Feilong", "HTTP " + std::to_string(status),
               "look at `url` under `feilong`: it is that of its REST interface", shortened(body)};
}

Error to_error(const Answer& answer, const std::string& call, const std::string& node, std::string remedy) {
  std::string what = "Feilong refuses";
  what += answer.message.empty() ? "" : ": " + shortened(answer.message);
  const std::string codes = "HTTP " + std::to_string(answer.http) + ", overallRC " + std::to_string(answer.overall_rc) + ", rc " +
                            std::to_string(answer.rc) + ", rs " + std::to_string(answer.rs);
  return Error{std::move(what), (node.empty() ? "" : "node " + node + ": ") + call + " (" + codes + ")",
               remedy.empty() ? remedy_for(answer) : std::move(remedy)};
}

}  // namespace lab::providers::zvm
