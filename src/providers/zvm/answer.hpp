// What Feilong says: the envelope around every answer, whatever the HTTP status and the media type claim.
#pragma once

#include "lab/error.hpp"

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace lab::providers::zvm {

struct Answer {
  unsigned http = 0;
  int overall_rc = 0, rc = 0, rs = 0;
  std::string message;  // errmsg
  boost::json::value output;

  bool ok() const { return overall_rc == 0 && http < 300; }
  bool missing() const { return overall_rc == 404; }        // what was named is not there
  bool there_already() const { return overall_rc == 409; }  // or in a state that does not allow it: see rs
  bool no_such_call() const { return http == 404 || http == 405 ? overall_rc == 400 : false; }  // this Feilong does not know the call
};

// {overallRC, rc, rs, errmsg, output}, be it labelled text/html. overallRC decides: 0 with an HTTP status of success is the only yes.
// Without an envelope, an error of the HTTP layer becomes one (overallRC = rc = 400, rs the status), and anything else is no Feilong's.
Result<Answer> parse_answer(unsigned status, std::string_view body);

// "Feilong refuses: …" for people; `call` is "POST /guests".
Error to_error(const Answer& answer, const std::string& call, const std::string& node, std::string remedy = {});

}  // namespace lab::providers::zvm
