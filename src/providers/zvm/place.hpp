// Where Feilong is and how it is spoken to: from the lab file, from what was written down when the lab was made, from the environment.
#pragma once

#include "lab/error.hpp"
#include "lab/lab.hpp"
#include "providers/zvm/feilong.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace lab::providers::zvm {

inline constexpr const char* kUrlVariable = "LAB_FEILONG_URL";
inline constexpr const char* kTokenVariable = "LAB_FEILONG_TOKEN";

// "http://host:8080/prefix"; the port is 8080, as Feilong's own server has it, or 443 with https.
Result<Address> parse_url(const std::string& url);

// The first line of the token file, which only its owner may read, or the variable; empty: there is neither. It is never written down and
// never an argument of a command.
Result<std::string> admin_token(const FeilongAccess& access);

// Of the lab file, else as written down in the state folder, else of the environment. Nothing: no Feilong is known.
std::optional<FeilongAccess> access_of(const Lab& lab, const std::filesystem::path& state);
Result<void> save(const std::filesystem::path& state, const FeilongAccess& access);

using MakeTransport = std::function<std::unique_ptr<Transport>(const Address&, const std::string& ca_file)>;
Result<std::unique_ptr<Feilong>> open_feilong(const FeilongAccess& access, const MakeTransport& make, const Pause& pause);

}  // namespace lab::providers::zvm
