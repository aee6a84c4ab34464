// `lab junction`: changes a running gateway, in a lab through its node's agent, alone through its control socket.
#include "commands.hpp"
#include "labs.hpp"

#include "config/config.hpp"
#include "orchestrator/attach.hpp"
#include "roles/common/role.hpp"
#include "service_options.hpp"

#include <array>
#include <boost/json.hpp>
#include <memory>
#include <optional>

namespace lab::cli {

namespace {

namespace json = boost::json;

constexpr std::chrono::seconds kPatience{20};

constexpr const char* kExamples = R"(Examples:
  lab junction --control gw.sock create -t tcp -h 127.0.0.1 -p 9080 -c all /app
  lab junction --control gw.sock add -h 127.0.0.1 -p 9081 /app
  lab junction --control gw.sock show /app
  lab junction --control gw.sock offline -i 0f2d0c3a-… /app
  lab junction --gateway webseal list            (in the standing lab)
The letters are WebSEAL's; -h is the host here, --help is help.)";

struct Reach {
  std::string control, gateway, lab;
};

struct CreateOptions {
  std::string point, type, host, host_header, certificate, key, user, password, identity, basic, directory;
  std::uint16_t port = 0;
  bool force = false, login = false;
  Junction junction;
};

// ---- the call

Result<json::value> call_through_agent(Context& context, const orchestrator::World& world, const Reach& reach, const std::string& method,
                                       const json::object& params) {
  auto attached = orchestrator::attach(world, reach.lab, "lab junction", context.interrupt, Clock::now() + kPatience);
  if (!attached) {
    return attached.error().front();
  }
  std::string node = reach.gateway;
  for (const Node& one : attached->standing.lab.nodes) {
    if (node.empty() && one.has(Role::gateway)) {
      node = one.name;
    }
  }
  if (attached->standing.find(node) == nullptr) {
    return Error{"the lab has no gateway " + node, "lab " + attached->standing.name, "`lab status` shows its nodes", {}, Failure::usage};
  }
  return attached->agents->call(node, "role.call", {{"name", "gateway"}, {"method", method}, {"params", params}}, Clock::now() + kPatience);
}

Result<json::value> call_directly(const Reach& reach, const std::string& method, const json::object& params) {
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience);
  return roles::control_call(reach.control, method, params, static_cast<int>(patience.count()));
}

// ---- what is printed

std::string line(std::string_view name, std::string_view value) {
  std::string text = "    " + std::string(name) + ":";
  text.resize(std::max<std::size_t>(text.size() + 1, 28), ' ');
  return text + std::string(value) + "\n";
}

std::string plain(const json::value& value) { return value.is_string() ? std::string(value.get_string()) : json::serialize(value); }

void print_junction(Context& context, const json::object& shown) {
  context.out << "junction " << plain(shown.at("name")) << "\n";
  for (const auto& [key, value] : shown.at("junction").as_object()) {
    if (key != "servers" && value != json::value(false)) {
      context.out << line(key, plain(value));
    }
  }
  context.out << line("active requests", plain(shown.at("active"))) << line("refused", plain(shown.at("refused")));
  for (const json::value& server : shown.at("servers").as_array()) {
    context.out << "  server " << plain(server.at("uuid")) << "\n"
                << line("state", plain(server.at("state"))) << line("host", plain(server.at("host")))
                << line("port", plain(server.at("port"))) << line("requests", plain(server.at("requests")));
  }
}

void print(Context& context, const std::string& method, const json::object& answer, bool as_json) {
  if (as_json) {
    context.out << json::serialize(answer) << "\n";
  } else if (method == "junction.list") {
    for (const json::value& name : answer.at("junctions").as_array()) {
      context.out << plain(name) << "\n";
    }
  } else if (method == "junction.show") {
    print_junction(context, answer);
  } else if (!context.quiet && method == "junction.create") {
    context.out << "created junction " << plain(answer.at("name")) << "\n";
  }
}

void perform(Context& context, const Reach& reach, const std::string& method, const json::object& params, bool as_json = false) {
  std::optional<orchestrator::World> world;
  if (reach.control.empty() && !(world = open_world(context))) {
    return;  // which has said why
  }
  const Result<json::value> answer =
      world ? call_through_agent(context, *world, reach, method, params) : call_directly(reach, method, params);
  if (!answer) {
    return context.fail(answer.error());
  }
  print(context, method, answer->is_object() ? answer->get_object() : json::object{}, as_json);
}

// ---- create

Error usage(std::string what, std::string remedy) { return {std::move(what), {}, std::move(remedy), {}, Failure::usage}; }

Result<Identity> to_identity(const std::string& text) {
  Identity identity;
  for (std::size_t at = 0; at < text.size();) {
    const auto comma = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, comma - at);
    if (one == "all") {
      identity = {true, true, true};
    } else if (one == "iv-user" || one == "iv_user") {
      identity.user = true;
    } else if (one == "iv-groups" || one == "iv_groups") {
      identity.groups = true;
    } else if (one == "iv-creds" || one == "iv_creds") {
      identity.creds = true;
    } else {
      return usage("-c " + text + ": \"" + one + "\" is no identity header",
                   "give all, or a list of iv-user,iv-groups,iv-creds without blanks");
    }
    at = comma + 1;
  }
  return identity;
}

Result<Endpoint> to_server(const std::string& host, std::uint16_t port, JunctionType type) {
  if (host.empty()) {
    return usage("the junction has no server", "give its host with -h");
  }
  return Endpoint{host, port != 0 ? port : static_cast<std::uint16_t>(type == JunctionType::ssl ? 443 : 80)};
}

Result<Junction> to_junction(const CreateOptions& options) {
  Junction junction = options.junction;
  junction.point = options.point;
  if (!options.point.starts_with('/')) {
    junction.point = "/";
    junction.virtual_host = options.point;
  }
  junction.type = options.type == "tcp" ? JunctionType::tcp : options.type == "ssl" ? JunctionType::ssl : JunctionType::local;
  junction.directory = options.directory;
  if (junction.type != JunctionType::local) {
    const Result<Endpoint> server = to_server(options.host, options.port, junction.type);
    if (!server) {
      return server.error();
    }
    junction.servers = {*server};
  }
  const Result<Identity> identity = to_identity(options.identity);
  if (!identity) {
    return identity.error();
  }
  junction.identity = *identity;
  junction.basic = options.basic == "ignore"   ? BasicHeader::ignore
                   : options.basic == "supply" ? BasicHeader::supply
                   : options.basic == "gso"    ? BasicHeader::gso
                                               : BasicHeader::filter;
  if (options.login != !options.user.empty() || (!options.login && !options.password.empty())) {
    return usage("-B, -U and -W go together", "give -B -U USER -W PASSWORD");
  }
  if (options.login) {
    junction.login = Credentials{options.user, options.password};
  }
  return junction;
}

void add_create(CLI::App& parent, Context& context, const std::shared_ptr<Reach>& reach) {
  auto options = std::make_shared<CreateOptions>();
  Junction& junction = options->junction;
  CLI::App* command = parent.add_subcommand("create", "mounts a server, or local pages, at a point");
  command->set_help_flag("--help", "print this help");
  command->add_option("POINT", options->point, "the mount point, /app; or a virtual host, www.example.com")->required();
  command->add_option("-t", options->type, "type")->required()->check(CLI::IsMember({"tcp", "ssl", "local"}));
  command->add_option("-h", options->host, "the server's host");
  command->add_option("-p", options->port, "its port; 80, with type ssl 443");
  command->add_option("-d", options->directory, "local: the folder whose files are served")->option_text("DIR");
  command->add_option("-v", junction.host_header, "the Host that the server sees")->option_text("HOST[:PORT]");
  command->add_flag("-x", junction.transparent, "the mount point stays in the path");
  command->add_flag("-i", junction.case_insensitive, "paths are the same whatever their case");
  command->add_flag("-s", junction.stateful, "a cookie pins a client to a server");
  command->add_flag("-k", junction.session_cookie, "the session cookie goes on to the server");
  command->add_flag("-r", junction.client_address, "adds iv-remote-address");
  command->add_flag("-j", junction.junction_cookie, "a cookie finds links that lack the mount point");
  command->add_option("-c", options->identity, "identity headers: all, or a list of iv-user,iv-groups,iv-creds")->option_text("LIST");
  command->add_option("-b", options->basic, "what becomes of Authorization")->check(CLI::IsMember({"filter", "ignore", "supply", "gso"}));
  command->add_option("--gso", junction.gso, "-b gso: file of lines user, back-end user, password")->option_text("FILE");
  command->add_flag("-B", options->login, "log in to the server, as -U with -W");
  command->add_option("-U", options->user, "the gateway's user there");
  command->add_option("-W", options->password, "its password");
  command->add_option("-l", junction.soft_limit, "soft limit: concurrent requests, then a warning")->option_text("N");
  command->add_option("-L", junction.hard_limit, "hard limit: concurrent requests, then 503")->option_text("N");
  command->add_option("-D", junction.server_dn, "ssl: the subject of the server's certificate")->option_text("DN");
  command->add_option("-K", junction.client_certificate, "ssl: the gateway's certificate, PEM")->option_text("FILE");
  command->add_option("--key", junction.client_key, "its key, PEM")->option_text("FILE");
  command->add_option("--ca", junction.server_ca, "ssl: what the server's certificate must chain to, PEM")->option_text("FILE");
  command->add_flag("-f", options->force, "replace the junction that is there");
  command->callback([options, reach, &context] {
    const Result<Junction> made = to_junction(*options);
    if (!made) {
      return context.fail(made.error());
    }
    perform(context, *reach, "junction.create", {{"junction", config::to_json(*made)}, {"replace", options->force}});
  });
}

// ---- the others

struct NamedOptions {
  std::string point, uuid, host;
  std::uint16_t port = 0;
  bool json = false;
};

void add_server(CLI::App& parent, Context& context, const std::shared_ptr<Reach>& reach) {
  auto options = std::make_shared<NamedOptions>();
  CLI::App* command = parent.add_subcommand("add", "adds a server to a junction");
  command->set_help_flag("--help", "print this help");
  command->add_option("POINT", options->point, "the junction")->required();
  command->add_option("-h", options->host, "the server's host")->required();
  command->add_option("-p", options->port, "its port")->required();
  command->callback([options, reach, &context] {
    const std::string host = options->host.find(':') == std::string::npos ? options->host : "[" + options->host + "]";
    perform(context, *reach, "junction.add", {{"name", options->point}, {"server", host + ":" + std::to_string(options->port)}});
  });
}

struct Verb {
  const char* name;
  const char* description;
  bool uuid, uuid_required;
};

constexpr std::array<Verb, 5> kVerbs{{{"remove", "takes a server out of a junction", true, true},
                                      {"delete", "takes a junction away; requests under way end", false, false},
                                      {"offline", "gives a junction's servers, or one, no more requests", true, false},
                                      {"online", "gives them requests again", true, false},
                                      {"throttle", "leaves them the clients that are pinned to them only", true, false}}};

void add_verb(CLI::App& parent, Context& context, const std::shared_ptr<Reach>& reach, const Verb& verb) {
  auto options = std::make_shared<NamedOptions>();
  CLI::App* command = parent.add_subcommand(verb.name, verb.description);
  command->add_option("POINT", options->point, "the junction")->required();
  if (verb.uuid) {
    command->add_option("-i", options->uuid, "the server's UUID")->option_text("UUID")->required(verb.uuid_required);
  }
  command->callback([options, reach, &context, method = std::string("junction.") + verb.name] {
    perform(context, *reach, method, {{"name", options->point}, {"uuid", options->uuid}});
  });
}

void add_look(CLI::App& parent, Context& context, const std::shared_ptr<Reach>& reach) {
  auto list = std::make_shared<NamedOptions>();
  CLI::App* names = parent.add_subcommand("list", "the junctions");
  names->add_flag("--json", list->json, "as JSON");
  names->callback([list, reach, &context] { perform(context, *reach, "junction.list", {}, list->json); });
  auto show = std::make_shared<NamedOptions>();
  CLI::App* one = parent.add_subcommand("show", "a junction's settings, its servers and what they do");
  one->add_option("POINT", show->point, "the junction")->required();
  one->add_flag("--json", show->json, "as JSON");
  one->callback([show, reach, &context] { perform(context, *reach, "junction.show", {{"name", show->point}}, show->json); });
}

}  // namespace

void add_junction(CLI::App& root, Context& context) {
  auto reach = std::make_shared<Reach>();
  CLI::App* command = root.add_subcommand("junction", "changes the junctions of a running gateway");
  command->require_subcommand(1);
  command->fallthrough();
  command->footer(kExamples);
  CLI::Option* control = command->add_option("--control", reach->control, "of a gateway without a lab: its control socket");
  control->option_text("SOCKET");
  CLI::Option* gateway = command->add_option("--gateway", reach->gateway, "the lab's node with the gateway; default: the first one");
  CLI::Option* name = command->add_option("--name", reach->lab, "of the lab; default: the only one");
  control->excludes(gateway)->excludes(name);
  add_create(*command, context, reach);
  add_server(*command, context, reach);
  for (const Verb& verb : kVerbs) {
    add_verb(*command, context, reach, verb);
  }
  add_look(*command, context, reach);
}

}  // namespace lab::cli
