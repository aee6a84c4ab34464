#include "pair_setup.hpp"

#include <tuple>

namespace lab::run {

namespace {

constexpr const char* kAnyCiphers = "DEFAULT";  // OpenSSL's word, openssl-ciphers(1)

// The second side's load as what differs from the first's.
Driver merged(const Driver& a, const Driver& b) {
  Driver both = a;
  const LoadConfig& other = b.load;
  LoadAgainst& against = both.load.against.emplace();
  against.url = other.url;
  against.login = other.login;
  against.handshake = other.handshake;
  against.tls_min = other.tls_min;
  against.tls_max = other.tls_max;
  if (other.ciphers != both.load.ciphers) {
    against.ciphers = other.ciphers.empty() ? kAnyCiphers : other.ciphers;
  }
  if (both.load.login == LoginMode::none) {
    both.load.generated_users = other.generated_users;
    both.load.first_user = other.first_user;
  }
  if (both.load.ca.empty()) {
    both.load.ca = other.ca;
  }
  return both;
}

}  // namespace

std::string why_no_pair(const Cell& a, const Cell& b, const Standing& standing) {
  for (const char* axis : {"clients", "busy"}) {
    if (a.axis(axis) != b.axis(axis)) {
      return std::string("`") + axis + "` cannot be switched within a trial";
    }
  }
  if (a.scenario.rate || b.scenario.rate) {
    return "an open loop is not loaded in slices";
  }
  const Node *const first = gateway_node(a, standing.lab), *const second = gateway_node(b, standing.lab);
  if (first == nullptr || second == nullptr) {
    return "the lab lacks a gateway of one of them";
  }
  return {};
}

bool differ_in_cpus(const Cell& a, const Cell& b) { return a.axis("cpus") != b.axis("cpus"); }

Result<PairSetup> set_up_pair(const Cell& a, const Cell& b, bool quota, const Standing& standing, const Facts& facts,
                              const Timing& timing) {
  const Node *const first = gateway_node(a, standing.lab), *const second = gateway_node(b, standing.lab);
  const bool beside = first != nullptr && first == second && first->software != Software::external;
  PairSetup pair;
  pair.quota = quota && beside;  // else each gateway has its node's CPUs to itself
  for (const auto& [at, cell, place] : {std::tuple(0U, &a, Place::a), std::tuple(1U, &b, Place::b)}) {
    auto setup = set_up(*cell, standing, facts, timing, beside ? place : Place::alone);
    if (!setup) {
      return setup.error();
    }
    pair.sides.at(at) = std::move(*setup);
  }
  auto& drivers = pair.sides[0].drivers;
  auto& others = pair.sides[1].drivers;
  for (std::size_t i = 0; i < drivers.size() && i < others.size(); ++i) {
    pair.drivers.push_back(merged(drivers[i], others[i]));
  }
  drivers.clear();
  others.clear();
  return pair;
}

}  // namespace lab::run
