#include "calls.hpp"

#include <boost/json.hpp>
#include <future>

namespace lab::run {

namespace {

constexpr std::chrono::nanoseconds kAnswer = std::chrono::seconds{5};
constexpr std::chrono::nanoseconds kStop = std::chrono::seconds{3};

}  // namespace

Deadline within(std::chrono::nanoseconds time) { return Clock::now() + std::chrono::duration_cast<Clock::duration>(time); }

Result<boost::json::object> call(Agents& agents, const Call& what, Deadline deadline) {
  auto answer = agents.call(what.node, what.method, what.params, deadline);
  if (!answer) {
    return answer.error();
  }
  return answer->is_object() ? std::move(answer->get_object()) : boost::json::object{};
}

Result<std::vector<boost::json::object>> call_all(Agents& agents, const std::vector<Call>& calls, Deadline deadline) {
  std::vector<std::future<Result<boost::json::object>>> pending;
  pending.reserve(calls.size());
  for (const Call& what : calls) {
    pending.push_back(std::async(std::launch::async, [&agents, &what, deadline] { return call(agents, what, deadline); }));
  }
  std::vector<Result<boost::json::object>> answers;
  answers.reserve(calls.size());
  for (auto& answer : pending) {
    answers.push_back(answer.get());
  }
  std::vector<boost::json::object> objects;
  for (auto& answer : answers) {
    if (!answer) {
      return answer.error();
    }
    objects.push_back(std::move(*answer));
  }
  return objects;
}

Call role_call(const std::string& node, const std::string& role, const std::string& method) {
  return {node, "role.call", {{"name", role}, {"method", method}, {"params", boost::json::object{}}, {"timeout_ns", kAnswer.count()}}};
}

Call role_stop(const std::string& node, const std::string& role) {
  return {node, "role.stop", {{"name", role}, {"timeout_ns", kStop.count()}}};
}

}  // namespace lab::run
