// The words that files use for the values of enumerations; read and written from the same tables.
#pragma once

#include "config/reader.hpp"
#include "lab/roles.hpp"

namespace lab::config {

inline constexpr Choice<TlsVersion> kTlsVersions[] = {{"1.2", TlsVersion::tls1_2}, {"1.3", TlsVersion::tls1_3}};
inline constexpr Choice<Software> kSoftware[] = {
    {"lab", Software::lab}, {"nginx", Software::nginx}, {"haproxy", Software::haproxy}, {"external", Software::external}};
inline constexpr Choice<JunctionType> kJunctionTypes[] = {
    {"tcp", JunctionType::tcp}, {"ssl", JunctionType::ssl}, {"local", JunctionType::local}};
inline constexpr Choice<BasicAuthentication> kBasicAuthentications[] = {{"none", BasicAuthentication::none},
                                                                        {"http", BasicAuthentication::http},
                                                                        {"https", BasicAuthentication::https},
                                                                        {"both", BasicAuthentication::both}};
inline constexpr Choice<BasicHeader> kBasicHeaders[] = {
    {"filter", BasicHeader::filter}, {"ignore", BasicHeader::ignore}, {"supply", BasicHeader::supply}, {"gso", BasicHeader::gso}};
inline constexpr Choice<AccessRule::Who> kWho[] = {{"everybody", AccessRule::Who::everybody},
                                                   {"authenticated", AccessRule::Who::authenticated},
                                                   {"listed", AccessRule::Who::listed},
                                                   {"nobody", AccessRule::Who::nobody}};
inline constexpr Choice<ObjectPolicy::Protection> kProtections[] = {{"none", ObjectPolicy::Protection::none},
                                                                    {"integrity", ObjectPolicy::Protection::integrity},
                                                                    {"privacy", ObjectPolicy::Protection::privacy}};
inline constexpr Choice<int> kDays[] = {{"sun", 0}, {"mon", 1}, {"tue", 2}, {"wed", 3}, {"thu", 4}, {"fri", 5}, {"sat", 6}};
inline constexpr Choice<bool GatewayLogs::*> kLogColumns[] = {
    {"total-us", &GatewayLogs::total_time}, {"backend-us", &GatewayLogs::backend_time}, {"junction", &GatewayLogs::junction}};
inline constexpr Choice<LoginMode> kLoginModes[] = {{"none", LoginMode::none}, {"once", LoginMode::once}, {"every", LoginMode::every}};
inline constexpr Choice<LoginMethod> kLoginMethods[] = {{"basic", LoginMethod::basic}, {"forms", LoginMethod::forms}};
inline constexpr Choice<HandshakeMode> kHandshakes[] = {
    {"once", HandshakeMode::once}, {"resume", HandshakeMode::resume}, {"full", HandshakeMode::full}};
inline constexpr Choice<bool Identity::*> kIdentityParts[] = {
    {"iv-user", &Identity::user}, {"iv-groups", &Identity::groups}, {"iv-creds", &Identity::creds}};

inline constexpr Choice<Fault::Operation> kFaultOperations[] = {
    {"bind", Fault::Operation::bind},     {"search", Fault::Operation::search},    {"compare", Fault::Operation::compare},
    {"add", Fault::Operation::add},       {"modify", Fault::Operation::modify},    {"delete", Fault::Operation::remove},
    {"rename", Fault::Operation::rename}, {"extended", Fault::Operation::extended}};
inline constexpr Choice<Fault::Distribution> kDistributions[] = {{"fixed", Fault::Distribution::fixed},
                                                                 {"uniform", Fault::Distribution::uniform},
                                                                 {"exponential", Fault::Distribution::exponential},
                                                                 {"log-normal", Fault::Distribution::log_normal}};
inline constexpr Choice<Fault::Answer> kFaultAnswers[] = {{"usual", Fault::Answer::usual},
                                                          {"busy", Fault::Answer::busy},
                                                          {"unavailable", Fault::Answer::unavailable},
                                                          {"drop", Fault::Answer::drop},
                                                          {"hang", Fault::Answer::hang}};

}  // namespace lab::config
