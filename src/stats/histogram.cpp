#include "stats/histogram.hpp"

#include <zlib.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string_view>

// Bucket layout and encoding are those of HdrHistogram 2.1 (https://github.com/HdrHistogram/HdrHistogram, AbstractHistogram
// and ZigZagEncoding): values below 2,048 have a bucket each, above it each doubling has 1,024.

namespace lab::stats {

namespace {

constexpr std::uint32_t kDigits = 3;
constexpr std::uint32_t kCookie = 0x1c849313, kCompressedCookie = 0x1c849314;
constexpr std::size_t kLongestCount = 9;  // bytes
constexpr std::size_t kHeader = 40;       // of the uncompressed form

template <class Integer>
void put(std::string& out, Integer value) {
  for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(value >> shift));
  }
}

template <class Integer>
Integer get(std::string_view in, std::size_t at) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value = static_cast<Integer>(value << 8) | static_cast<std::uint8_t>(in[at + i]);
  }
  return value;
}

// ZigZag LEB128 with at most nine bytes: the ninth carries eight bits.
void put_signed(std::string& out, std::int64_t value) {
  auto rest = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  for (int i = 0; i < 8 && rest >= 0x80; ++i) {
    out.push_back(static_cast<char>(rest | 0x80));
    rest >>= 7;
  }
  out.push_back(static_cast<char>(rest));
}

bool get_signed(std::string_view& in, std::int64_t& value) {
  std::uint64_t rest = 0;
  for (unsigned i = 0; i < 9; ++i) {
    if (i >= in.size()) {
      return false;
    }
    const auto byte = static_cast<std::uint8_t>(in[i]);
    rest |= static_cast<std::uint64_t>(i < 8 ? byte & 0x7f : byte) << (7 * i);
    if (i == 8 || byte < 0x80) {
      in.remove_prefix(i + 1);
      break;
    }
  }
  value = static_cast<std::int64_t>(rest >> 1) ^ -static_cast<std::int64_t>(rest & 1);
  return true;
}

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < n ? static_cast<std::uint8_t>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out.push_back(j <= n ? kBase64[group >> (18 - 6 * j) & 63] : '=');
    }
  }
  return out;
}

bool from_base64(std::string_view text, std::string& bytes) {
  if (text.size() % 4 != 0) {
    return false;
  }
  while (!text.empty() && text.back() == '=' && text.size() % 4 != 2) {
    text.remove_suffix(1);
  }
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::size_t value = kBase64.find(c);
    if (value == std::string_view::npos) {
      return false;
    }
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<char>(group >> bits));
    }
  }
  return true;
}

std::string compress_bytes(const std::string& plain) {
  uLongf size = compressBound(plain.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(plain.data()), plain.size());
  out.resize(size);
  return out;
}

bool uncompress_bytes(std::string_view packed, std::string& out, std::size_t most) {
  uLongf size = most;
  out.resize(size);
  if (uncompress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()) != Z_OK) {
    return false;
  }
  out.resize(size);
  return true;
}

}  // namespace

Histogram::Histogram() : buckets_(kBuckets) {}

std::uint64_t Histogram::lowest_at(std::size_t index) {
  if (index < kSubBuckets) {
    return index;
  }
  const auto doubling = static_cast<unsigned>(index / kHalf) - 1;
  return static_cast<std::uint64_t>(index - doubling * kHalf) << doubling;
}

// Our own layout only: other ranges or precisions are refused, not converted.
bool Histogram::header_is_ours(std::string_view plain) {
  return plain.size() >= kHeader && get<std::uint32_t>(plain, 0) == kCookie && get<std::uint32_t>(plain, 4) == plain.size() - kHeader &&
         get<std::uint32_t>(plain, 8) == 0 && get<std::uint32_t>(plain, 12) == kDigits && get<std::uint64_t>(plain, 16) == kLowest &&
         get<std::uint64_t>(plain, 24) == kHighest;
}

Histogram Histogram::since(const Histogram& earlier) const {
  Histogram difference;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    const std::uint64_t count = buckets_[i] - earlier.buckets_[i];
    difference.buckets_[i] = count;
    if (count > 0) {
      difference.min_ = std::min(difference.min_, lowest_at(i));
      difference.max_ = std::min(highest_at(i), max_);
    }
  }
  difference.total_ = total_ - earlier.total_;
  difference.sum_ = sum_ - earlier.sum_;
  return difference;
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) {
    buckets_[i] += other.buckets_[i];
  }
  total_ += other.total_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

void Histogram::clear() { *this = Histogram{}; }

std::uint64_t Histogram::percentile(double p) const {
  // One step down, so that a product rounded up does not ask for one value too many.
  const double wanted = std::clamp(std::nextafter(p, -1.0), 0.0, 100.0);
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(wanted * static_cast<double>(total_) / 100.0)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; total_ > 0 && i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= rank) {
      return std::min(highest_at(i), max_);
    }
  }
  return max_;
}

std::string Histogram::encode() const {
  std::string counts;
  const std::size_t end = total_ == 0 ? 0 : index_of(max_) + 1;
  for (std::size_t i = 0; i < end;) {
    std::size_t zeros = 0;
    while (i + zeros < end && buckets_[i + zeros] == 0) {
      ++zeros;
    }
    // A run of zeros is its negative length; a single zero stands for itself.
    put_signed(counts, zeros > 1 ? -static_cast<std::int64_t>(zeros) : static_cast<std::int64_t>(buckets_[i]));
    i += std::max<std::size_t>(1, zeros);
  }
  std::string plain;
  put(plain, kCookie);
  put(plain, static_cast<std::uint32_t>(counts.size()));
  put(plain, std::uint32_t{0});  // normalising index offset
  put(plain, kDigits);
  put(plain, kLowest);
  put(plain, kHighest);
  put(plain, std::bit_cast<std::uint64_t>(1.0));  // integer to double conversion ratio
  const std::string packed = compress_bytes(plain + counts);
  std::string framed;
  put(framed, kCompressedCookie);
  put(framed, static_cast<std::uint32_t>(packed.size()));
  return to_base64(framed + packed);
}

bool Histogram::decode(const std::string& text, Histogram& into) {
  std::string framed;
  std::string plain;
  if (!from_base64(text, framed) || framed.size() < 8 || get<std::uint32_t>(framed, 0) != kCompressedCookie ||
      get<std::uint32_t>(framed, 4) != framed.size() - 8 ||
      !uncompress_bytes(std::string_view(framed).substr(8), plain, kHeader + kBuckets * kLongestCount + 64) || !header_is_ours(plain)) {
    return false;
  }
  Histogram read;
  std::string_view counts = std::string_view(plain).substr(kHeader);
  for (std::size_t i = 0; !counts.empty();) {
    std::int64_t count = 0;
    if (!get_signed(counts, count) || i >= kBuckets || (count < 0 && count < -static_cast<std::int64_t>(kBuckets - i))) {
      return false;
    }
    if (count > 0) {
      const std::uint64_t lowest = lowest_at(i);
      const std::uint64_t highest = std::min(highest_at(i), kHighest);
      read.record(highest, static_cast<std::uint64_t>(count));
      read.min_ = std::min(read.min_, lowest);
      read.sum_ -= static_cast<double>(highest - lowest) / 2 * static_cast<double>(count);
    }
    i += count < 0 ? static_cast<std::size_t>(-count) : 1;
  }
  into = std::move(read);
  return true;
}

std::string hdr_log_head(const std::string& comment, double start_s) {
  std::array<char, 80> line{};
  std::snprintf(line.data(), line.size(), "#[StartTime: %.3f (seconds since epoch)]\n", start_s);
  return "#[" + comment + "]\n#[Histogram log format version 1.3]\n" + line.data() +
         "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";
}

std::string hdr_log_line(double start_s, double length_s, const Histogram& histogram) {
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(), "%.3f,%.3f,%.3f,", start_s, length_s, static_cast<double>(histogram.max()) / 1e6);
  return line.data() + histogram.encode() + '\n';
}

std::string hdr_log(const std::string& comment, double start_s, double length_s, const Histogram& histogram) {
  return hdr_log_head(comment, start_s) + hdr_log_line(0.0, length_s, histogram);
}

}  // namespace lab::stats
