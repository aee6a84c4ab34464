// The image that container nodes are made from: Debian with sshd, the tools of firewalls, and the programs of others that labs measure.
#pragma once

#include "providers/container/engine.hpp"

#include <functional>
#include <string>
#include <vector>

namespace lab::providers::container {

// Debian packages inside: sshd and its network tools, then what nodes of other software and the database run.
const std::vector<std::string>& image_packages();

// "localhost/lab-node:<12 hex digits>": of the SHA-256 of all that decides what is in the image, so another recipe is another image.
std::string image_name();

struct ImageBuild {
  std::string from;                              // an image to start from; empty: from packages, by mmdebstrap
  bool again = false;                            // also where it is there
  std::function<void(const std::string&)> tell;  // each step
};
struct Image {
  std::string name;
  bool made = false;  // false: it was there
};

Result<bool> has_image(const Engine& engine, const std::string& name, Deadline deadline);
Result<Image> build_image(const Engine& engine, const Host& host, const ImageBuild& how, Deadline deadline);

// What mmdebstrap is called with to write `tar`; the rest of the recipe for images of others.
std::vector<std::string> mmdebstrap_arguments(const std::string& tar);
std::string containerfile(const std::string& from);

// Images of earlier recipes, and those that `--again` took the name of: `lab image build` removes them when nothing runs on them.
Result<std::vector<std::string>> outdated_images(const Engine& engine, Deadline deadline);

}  // namespace lab::providers::container
