#include "providers/zvm/guests.hpp"

#include "providers/zvm/at_once.hpp"
#include "store/read.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <mutex>

namespace lab::providers::zvm {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr auto kLook = 30s;
constexpr auto kChange = 3min;   // of a directory entry, of a guest's power; softstop alone takes 15 s
constexpr auto kDeploy = 40min;  // a disk is copied
constexpr const char* kDrivePlace = "(as PUT /files answers)";

Deadline sooner(Deadline deadline, std::chrono::nanoseconds most) { return std::min(deadline, Clock::now() + most); }

std::vector<std::string> lines_of(const json::value& output) {
  const json::value* lines = &output;
  if (output.is_object() && output.get_object().contains("user_direct")) {
    lines = &output.at("user_direct");
  }
  std::vector<std::string> texts;
  for (const json::value& line : lines->is_array() ? lines->get_array() : json::array()) {
    if (line.is_string()) {
      texts.emplace_back(line.get_string());
    }
  }
  return texts;
}

bool has_nic(const std::vector<std::string>& entry) {
  return std::any_of(entry.begin(), entry.end(), [](const std::string& line) { return line.starts_with("NICDEF "); });
}

// "file:///var/lib/zvmsdk/…" is where Feilong keeps it; deploying wants the path.
std::string path_of(const json::value& output) {
  std::string url = output.is_object() ? store::text_of(output.get_object(), "dest_url") : "";
  constexpr std::string_view kScheme = "file://";
  return url.starts_with(kScheme) ? url.substr(kScheme.size()) : url;
}

}  // namespace

std::vector<Call> calls_from(const GuestRecord& record, const GuestOrder& order) {
  std::vector<Call> calls{ask_entry(order.userid)};
  const auto add = [&](Stage stage, std::vector<Call> those) {
    if (record.stage < stage) {
      calls.insert(calls.end(), std::make_move_iterator(those.begin()), std::make_move_iterator(those.end()));
    }
  };
  add(Stage::created, {create_guest(order)});
  add(Stage::deployed, {ask_power(order.userid), upload({}), deploy(order, kDrivePlace)});
  add(Stage::wired, {create_interface(order)});
  add(Stage::coupled, {couple(order)});
  add(Stage::granted, {grant(order)});
  calls.push_back(ask_power(order.userid));
  calls.push_back(start(order.userid));
  return calls;
}

Result<std::optional<std::vector<std::string>>> Guests::entry(const std::string& userid, Deadline deadline) {
  const Call call = ask_entry(userid);
  const auto answer = feilong_.answer_to(call, sooner(deadline, kLook));
  if (!answer) {
    return answer.error();
  }
  if (answer->missing()) {
    return std::optional<std::vector<std::string>>();
  }
  return answer->ok() ? Result<std::optional<std::vector<std::string>>>(lines_of(answer->output)) : to_error(*answer, name_of(call), "");
}

Result<bool> Guests::is_on(const std::string& userid, Deadline deadline) {
  const Call call = ask_power(userid);
  const auto answer = feilong_.answer_to(call, sooner(deadline, kLook));
  if (!answer) {
    return answer.error();
  }
  if (answer->missing()) {
    return false;
  }
  return answer->ok() ? Result<bool>(answer->output.is_string() && answer->output.get_string() == "on")
                      : to_error(*answer, name_of(call), "");
}

Result<std::vector<std::string>> Guests::userids(Deadline deadline) {
  const Call call = ask_guests();
  const auto answer = feilong_.answer_to(call, sooner(deadline, kLook));
  if (!answer) {
    return answer.error();
  }
  if (!answer->ok() || !answer->output.is_array()) {
    return to_error(*answer, name_of(call), "");
  }
  std::vector<std::string> userids = lines_of(answer->output);
  return userids;
}

Result<std::vector<Guests::Labelled>> Guests::labelled(Deadline deadline) {
  const auto all = userids(deadline);
  if (!all) {
    return all.error();
  }
  std::mutex mutex;
  std::vector<Labelled> found;
  const auto looked = for_each_bounded(*all, kMostAtOnce, [&](const std::string& userid) -> Result<void> {
    const auto lines = entry(userid, deadline);
    if (!lines) {
      return lines.error();
    }
    const auto node = *lines ? labelled_node(**lines, lab_, state_) : std::nullopt;
    if (node) {
      const std::lock_guard guard(mutex);
      found.push_back({*node, userid});
    }
    return {};
  });
  return looked ? Result<std::vector<Labelled>>(std::move(found)) : looked.error();
}

Result<void> Guests::done(GuestRecord& record, Stage stage) {
  record.stage = stage;
  return save(state_, record);
}

// Whoever asks for a change and hears nothing asks once more: each of these changes may be asked for twice.
Result<Answer> Guests::change(const Call& call, const std::string& node, Deadline deadline) {
  for (bool again = true;; again = false) {
    auto answer = feilong_.ask(call, deadline);
    if (!answer) {
      Error error = answer.error();
      error.where = (node.empty() ? "" : "node " + node + ": ") + error.where;
      return error;
    }
    if (*answer) {
      return std::move(**answer);
    }
    if (!again || Clock::now() >= deadline) {
      return Error{"the connection to Feilong broke off, or it did not answer in time",
                   (node.empty() ? "" : "node " + node + ": ") + name_of(call), "run the command again: it goes on where this ended"};
    }
  }
}

// It is as asked for afterwards: done now, or found done.
Result<void> Guests::ensure(const Call& call, const std::string& node, Deadline deadline) {
  const auto answer = change(call, node, sooner(deadline, kChange));
  if (!answer) {
    return answer.error();
  }
  return answer->ok() || answer->there_already() ? Result<void>() : to_error(*answer, name_of(call), node);
}

// There already may be ours: an earlier call that broke off.
Result<void> Guests::create(GuestRecord& record, const GuestOrder& order, Deadline deadline) {
  const Call call = create_guest(order);
  const auto answer = change(call, record.node, sooner(deadline, kChange));
  if (!answer) {
    return answer.error();
  }
  if (answer->there_already()) {
    const auto lines = entry(order.userid, deadline);
    if (!lines) {
      return lines.error();
    }
    if (!*lines || !labelled_node(**lines, lab_, state_)) {
      return Error{"guest " + order.userid + " exists, and not for this lab", "node " + record.node,
                   "give the node another `userid`, or name the guest by `host`"};
    }
    if (has_nic(**lines)) {  // it had come further, and how far is not written down: begun anew
      record.stage = Stage::created;
      const auto removed = remove(record, deadline);
      record.stage = Stage::intended;
      return removed ? create(record, order, deadline) : removed;
    }
  } else if (!answer->ok()) {
    return to_error(*answer, name_of(call), record.node);
  }
  return done(record, Stage::created);
}

Result<void> Guests::deploy(GuestRecord& record, const GuestOrder& order, const std::string& drive, Deadline deadline) {
  const auto on = is_on(order.userid, deadline);
  if (!on) {
    return on.error();
  }
  if (*on) {  // half-created: what runs there is of no worth
    if (auto off = power_off(record, deadline); !off) {
      return off;
    }
  }
  const auto uploaded = change(upload(drive), record.node, sooner(deadline, kChange));
  if (!uploaded) {
    return uploaded.error();
  }
  const std::string place = path_of(uploaded->output);
  if (!uploaded->ok() || place.empty()) {
    return to_error(*uploaded, "PUT /files", record.node);
  }
  const Call call = zvm::deploy(order, place);
  const auto answer = change(call, record.node, sooner(deadline, kDeploy));
  if (!answer) {
    return answer.error();
  }
  return answer->ok() ? done(record, Stage::deployed) : to_error(*answer, name_of(call) + " deploy", record.node);
}

Result<void> Guests::wire(GuestRecord& record, const GuestOrder& order, Deadline deadline) {
  const struct {
    Stage stage;
    Call call;
  } steps[] = {{Stage::wired, create_interface(order)}, {Stage::coupled, couple(order)}, {Stage::granted, grant(order)}};
  for (const auto& step : steps) {
    if (record.stage >= step.stage) {
      continue;
    }
    if (auto ensured = ensure(step.call, record.node, deadline); !ensured) {
      return ensured;
    }
    if (auto saved = done(record, step.stage); !saved) {
      return saved;
    }
  }
  return {};
}

Result<void> Guests::raise(GuestRecord& record, const GuestOrder& order, const std::string& drive, std::counting_semaphore<>& gate,
                           Deadline deadline) {
  const auto there = entry(order.userid, deadline);
  if (!there) {
    return there.error();
  }
  if (!*there && record.stage > Stage::intended) {  // somebody deleted it
    record.stage = Stage::intended;
  }
  if (record.stage < Stage::created) {
    if (auto created = create(record, order, deadline); !created) {
      return created;
    }
  }
  if (record.stage < Stage::deployed) {
    gate.acquire();
    const auto deployed = deploy(record, order, drive, deadline);
    gate.release();
    if (!deployed) {
      return deployed;
    }
  }
  if (auto wired = wire(record, order, deadline); !wired) {
    return wired;
  }
  const auto on = is_on(order.userid, deadline);
  if (!on || *on) {
    return on ? Result<void>() : Result<void>(on.error());
  }
  return ensure(start(order.userid), record.node, deadline);
}

// softstop takes a guest that it cannot reach for one that has stopped.
Result<void> Guests::power_off(const GuestRecord& record, Deadline deadline) {
  std::vector<Call> ways;
  if (record.stage == Stage::ready) {
    ways.push_back(softstop(record.userid));
  }
  ways.push_back(stop(record.userid));
  for (const Call& way : ways) {
    const auto answer = change(way, record.node, sooner(deadline, kChange));
    if (!answer) {
      return answer.error();
    }
    const auto on = is_on(record.userid, deadline);
    if (!on || !*on) {
      return on ? Result<void>() : Result<void>(on.error());
    }
  }
  return Error{"guest " + record.userid + " does not stop", "node " + record.node,
               "log it off: vmcp force " + record.userid + ", then run `lab down` again"};
}

// Of a guest that was only intended: whether it was created all the same. Another's of that name is left alone.
Result<bool> Guests::is_ours(const GuestRecord& record, Deadline deadline) {
  if (record.stage > Stage::intended) {
    return true;
  }
  const auto lines = entry(record.userid, deadline);
  return lines ? Result<bool>(*lines && labelled_node(**lines, lab_, state_)) : lines.error();
}

Result<void> Guests::remove(GuestRecord& record, Deadline deadline) {
  const auto ours = is_ours(record, deadline);
  if (!ours || !*ours) {
    return ours ? Result<void>() : Result<void>(ours.error());
  }
  const auto on = is_on(record.userid, deadline);
  if (!on) {
    return on.error();
  }
  if (*on) {
    if (auto off = power_off(record, deadline); !off) {
      return off;
    }
  }
  if (!record.vswitch.empty() && record.stage >= Stage::coupled) {
    const auto revoked = change(revoke(record.userid, record.vswitch), record.node, sooner(deadline, kChange));
    if (!revoked) {
      return revoked.error();
    }
  }
  const Call call = zvm::remove(record.userid);
  const auto answer = change(call, record.node, sooner(deadline, kChange));
  if (!answer) {
    return answer.error();
  }
  if (answer->missing()) {
    record.stray = true;
    static_cast<void>(save(state_, record));  // the error below is the one that matters
    return Error{"guest " + record.userid + " is in z/VM's directory, but Feilong does not know it", "node " + record.node,
                 "remove it there: dirm for " + record.userid + " purge; then run `lab down` again", answer->message};
  }
  if (!answer->ok()) {
    return to_error(*answer, name_of(call), record.node);
  }
  const auto left = entry(record.userid, deadline);
  if (!left) {
    return left.error();
  }
  return !*left ? Result<void>() : Error{"guest " + record.userid + " is still there", "node " + record.node, "run `lab down` again"};
}

}  // namespace lab::providers::zvm
