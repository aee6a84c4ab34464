#include "zlinux/cryptocards.hpp"

#include "zlinux/lines.hpp"

#include <algorithm>
#include <sstream>

namespace lab::zlinux {

namespace {

bool is_card_id(std::string_view text) {
  return text.size() == 2 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

std::vector<CryptoCard> parse_lszcrypt(std::string_view text) {
  std::vector<CryptoCard> cards;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    CryptoCard card;
    std::string status, requests;
    if (words >> card.id >> card.type >> card.mode >> status && is_card_id(card.id) && card.type.starts_with("CEX")) {
      words >> requests;
      card.online = status == "online";
      card.requests = whole_number<std::uint64_t>(requests);
      cards.push_back(std::move(card));
    }
  }
  return cards;
}

std::string why_no_card(const std::vector<CryptoCard>& cards) {
  if (cards.empty()) {
    return "lszcrypt shows no crypto card";
  }
  const auto usable = [](const CryptoCard& card) { return card.online && card.does_rsa(); };
  if (std::any_of(cards.begin(), cards.end(), usable)) {
    return {};
  }
  std::string seen;
  for (const CryptoCard& card : cards) {
    seen += (seen.empty() ? "" : ", ") + card.id + " " + card.type + " " + card.mode + (card.online ? "" : " (not online)");
  }
  return "lszcrypt shows no card that does RSA and is online: " + seen;
}

}  // namespace lab::zlinux
