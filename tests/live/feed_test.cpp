#include "live/feed.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace lab;
namespace json = boost::json;

namespace {

live::Finished::Side side(const std::string& cell, double rate) { return {cell, rate, 5000, {{"webseal", 0.99}}}; }

}  // namespace

TEST_CASE("each event is a frame of its name with one line of JSON") {
  live::Feed feed({"local", "webseal-2007", "quick", {"1/cpus=1"}, {"webseal"}, 12});
  CHECK(feed.take(live::Starting{3, 12, {"1/cpus=1", "1/cpus=2"}, 40}) ==
        "event: starting\ndata: {\"number\":3,\"total\":12,\"cells\":[\"1/cpus=1\",\"1/cpus=2\"],\"left_s\":4E1}\n\n");
  CHECK(feed.take(live::Sampled{"webseal", 2, 0.5}) == "event: sampled\ndata: {\"node\":\"webseal\",\"at_s\":2E0,\"cpus\":5E-1}\n\n");
  CHECK(feed.take(live::Logged{"two\nlines"}) == "event: logged\ndata: {\"line\":\"two\\nlines\"}\n\n");
  CHECK(feed.take(live::Ended{false, "interrupted"}) == "event: ended\ndata: {\"report\":false,\"why\":\"interrupted\"}\n\n");
}

TEST_CASE("who comes later gets what the others have had") {
  live::Feed feed({"local", "webseal-2007", "quick", {"1/cpus=1"}, {"webseal"}, 12});
  feed.take(live::Starting{1, 12, {"1/cpus=1"}, 40});
  CHECK(feed.state().at("current").at("number") == 1);
  feed.take(live::Finished{1, 12, {side("1/cpus=1", 3783)}, {"indicative"}, ""});
  feed.take(live::Sampled{"webseal", 1, 0.4});
  feed.take(live::Logged{"trial 1 done"});
  const json::object state = feed.state();
  CHECK(state.at("current").is_null());
  CHECK(state.at("ended").is_null());
  CHECK(state.at("trials") == 12);
  CHECK(state.at("finished").at(0).at("sides").at(0).at("pages_per_s") == 3783.0);
  CHECK(state.at("finished").at(0).at("flags").at(0) == "indicative");
  CHECK(state.at("samples").at("webseal").at(0) == json::array{1.0, 0.4});
  CHECK(state.at("log") == json::array{"trial 1 done"});
  CHECK(feed.opening() == "event: state\ndata: " + json::serialize(state) + "\n\n");
}

TEST_CASE("what is kept has an end, the newest stays") {
  live::Feed feed({});
  for (std::size_t i = 0; i <= live::Feed::kSides; ++i) {
    feed.take(live::Finished{static_cast<int>(i), 0, {side("a", 1), side("b", 2)}, {}, ""});
    feed.take(live::Sampled{"webseal", static_cast<double>(i), 1});
    feed.take(live::Sampled{"node" + std::to_string(i), 0, 1});
    feed.take(live::Logged{std::to_string(i)});
  }
  const json::object state = feed.state();
  const auto& finished = state.at("finished").as_array();
  CHECK(finished.size() == live::Feed::kSides / 2);
  CHECK(finished.back().at("number") == live::Feed::kSides);
  CHECK(state.at("samples").as_object().size() == live::Feed::kNodes);
  CHECK(state.at("samples").at("webseal").as_array().size() == live::Feed::kSamples);
  CHECK(state.at("log").as_array().size() == live::Feed::kLines);
  CHECK(state.at("log").as_array().back() == json::value(std::to_string(live::Feed::kSides)));
}

TEST_CASE("a long line is cut between characters") {
  live::Feed feed({});
  feed.take(live::Logged{std::string(live::Feed::kLineBytes - 1, 'x') + "é and more"});
  CHECK(feed.state().at("log").at(0) == json::value(std::string(live::Feed::kLineBytes - 1, 'x') + "…"));
}
