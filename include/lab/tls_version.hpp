#pragma once

namespace lab {

enum class TlsVersion { tls1_2, tls1_3 };  // written "1.2", "1.3"

}  // namespace lab
