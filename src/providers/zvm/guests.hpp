// Guests of z/VM, made and removed through Feilong. Each step is written down once it is done, so that whoever comes next goes on there.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "providers/zvm/calls.hpp"
#include "providers/zvm/feilong.hpp"
#include "providers/zvm/guest_record.hpp"

#include <filesystem>
#include <functional>
#include <semaphore>
#include <string>
#include <vector>

namespace lab::providers::zvm {

// The calls that bring a guest from a stage on to standing, in their order: what `lab plan` prints. The same ones are made by raise().
std::vector<Call> calls_from(const GuestRecord& record, const GuestOrder& order);

class Guests {
 public:
  Guests(Feilong& feilong, std::string lab, std::filesystem::path state)
      : feilong_(feilong), lab_(std::move(lab)), state_(std::move(state)) {}

  // Nothing there; there, with its directory entry.
  Result<std::optional<std::vector<std::string>>> entry(const std::string& userid, Deadline deadline);
  Result<bool> is_on(const std::string& userid, Deadline deadline);
  // Of all guests that Feilong knows; a Feilong whose server is down is an error, never an empty list.
  Result<std::vector<std::string>> userids(Deadline deadline);
  struct Labelled {
    std::string node, userid;
  };
  // Guests that carry the lab's label, whatever is written down of them.
  Result<std::vector<Labelled>> labelled(Deadline deadline);

  // Creates, deploys, wires, starts; what is done already is left. `gate` bounds how many deploy at once. The record is kept up to date.
  Result<void> raise(GuestRecord& record, const GuestOrder& order, const std::string& drive, std::counting_semaphore<>& gate,
                     Deadline deadline);
  // Stops it, softly where it has been in use, and looks whether it is off; then deletes it, and looks whether it is gone.
  Result<void> remove(GuestRecord& record, Deadline deadline);

 private:
  Result<void> create(GuestRecord& record, const GuestOrder& order, Deadline deadline);
  Result<void> deploy(GuestRecord& record, const GuestOrder& order, const std::string& drive, Deadline deadline);
  Result<void> wire(GuestRecord& record, const GuestOrder& order, Deadline deadline);
  Result<void> done(GuestRecord& record, Stage stage);
  Result<bool> is_ours(const GuestRecord& record, Deadline deadline);
  Result<void> power_off(const GuestRecord& record, Deadline deadline);
  Result<Answer> change(const Call& call, const std::string& node, Deadline deadline);
  Result<void> ensure(const Call& call, const std::string& node, Deadline deadline);

  Feilong& feilong_;
  const std::string lab_;
  const std::filesystem::path state_;
};

}  // namespace lab::providers::zvm
