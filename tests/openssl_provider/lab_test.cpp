// A provider for OpenSSL with nothing but a name, built as those of crypto adapters are: a shared object with the machine's libcrypto.
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

namespace {

using Function = void (*)();

constexpr OSSL_PARAM kKnown[] = {{OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, nullptr, 0, 0}, {nullptr, 0, nullptr, 0, 0}};

const OSSL_PARAM* known_parameters(void*) { return kKnown; }

int parameters(void*, OSSL_PARAM* wanted) {
  OSSL_PARAM* const name = OSSL_PARAM_locate(wanted, OSSL_PROV_PARAM_NAME);
  return name == nullptr ? 1 : OSSL_PARAM_set_utf8_ptr(name, "a provider for tests");
}

const OSSL_DISPATCH kFunctions[] = {{OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, reinterpret_cast<Function>(known_parameters)},
                                    {OSSL_FUNC_PROVIDER_GET_PARAMS, reinterpret_cast<Function>(parameters)},
                                    {0, nullptr}};

// A static program can load a module where its C library happens to be the machine's, but has a libcrypto of its own: the objects of
// two cannot be mixed.
bool shares_libcrypto(const OSSL_DISPATCH* of_program) {
  for (; of_program->function_id != 0; ++of_program) {
    if (of_program->function_id == OSSL_FUNC_CRYPTO_MALLOC) {
      return of_program->function == reinterpret_cast<Function>(CRYPTO_malloc);
    }
  }
  return false;
}

}  // namespace

// provider(7): the one symbol of a module.
extern "C" int OSSL_provider_init(const OSSL_CORE_HANDLE*, const OSSL_DISPATCH* in, const OSSL_DISPATCH** out, void** context) {
  static int nothing = 0;
  if (!shares_libcrypto(in)) {
    return 0;
  }
  *out = kFunctions;
  *context = &nothing;
  return 1;
}
