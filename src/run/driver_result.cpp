#include "driver_result.hpp"

#include "store/read.hpp"

#include <boost/json.hpp>

namespace lab::run {

DriverResult driver_result(const std::string& node, const boost::json::object& result) {
  using namespace store;
  DriverResult driver;
  driver.node = node;
  const auto& total = object_of(result, "total");
  driver.total.started = count_of(total, "started");
  driver.total.done = count_of(total, "done");
  driver.total.failed = count_of(total, "failed");
  driver.total.in_flight = count_of(total, "in_flight");
  driver.total.logins = count_of(total, "logins");
  driver.total.errors = counts_of(total, "errors");
  driver.responses = count_of(total, "responses");
  driver.retries = count_of(total, "retries");
  driver.done = count_of(object_of(result, "requests"), "done");
  driver.duration_s = number_of(result, "duration_s");
  driver.service_us_mean = number_of(object_of(result, "service_us"), "mean");
  driver.busy_clients = driver.duration_s > 0 ? static_cast<double>(driver.done) / driver.duration_s * driver.service_us_mean / 1e6 : 0.0;
  if (const auto& halves = array_of(result, "halves"); halves.size() == 2 && halves[0].is_number() && halves[1].is_number()) {
    driver.first_half = halves[0].to_number<std::uint64_t>();
    driver.second_half = halves[1].to_number<std::uint64_t>();
  }
  driver.histogram = text_of(result, "service_histogram");
  driver.latency = text_of(result, "latency_histogram");
  driver.due = count_of(object_of(result, "rate"), "scheduled");
  driver.unstarted = count_of(object_of(result, "rate"), "unstarted");
  driver.tls_version = text_of(object_of(result, "tls"), "version");
  driver.tls_cipher = text_of(object_of(result, "tls"), "cipher");
  return driver;
}

}  // namespace lab::run
