// Makes the kernel of kernels.cu callable from a library: one call launches a grid and waits for it.
#include "shim.h"

#include "kernels.cu"

#include <system_error>
#include <thread>
#include <vector>

namespace {

void body(const void* arguments) {
  variopath_exchange(*static_cast<const VpArguments*>(arguments));
}

}  // namespace

// What the caller checks before it launches.
extern "C" __attribute__((visibility("default"))) uint64_t variopath_argument_bytes() {
  return sizeof(VpArguments);
}

// Launches `blocks` blocks of `threads` threads and waits for their end. 0 when all ran, 1 when an
// OS thread could not be started, 2 when a block found no memory for its fibers. After 1 or 2 the
// exchange is over: the rank's abort word is set.
extern "C" __attribute__((visibility("default"))) int variopath_launch(const void* arguments,
                                                                       uint32_t blocks,
                                                                       uint32_t threads) {
  const VpArguments* args = static_cast<const VpArguments*>(arguments);
  std::vector<std::thread> started;
  int result = 0;
  int no_memory = 0;
  for (uint32_t i = 0; i < blocks && result == 0; ++i) {
    try {
      started.emplace_back([=, &no_memory] {
        variopath_host::Block block{};
        block.block = uint3{i, 0, 0};
        block.grid = uint3{blocks, 1, 1};
        block.threads = uint3{threads, 1, 1};
        block.body = body;
        block.arguments = arguments;
        block.count = threads;
        if (!variopath_host::run_block(&block)) {
          __atomic_store_n(&no_memory, 1, __ATOMIC_RELAXED);
          vp_fail(*args, VP_ABORTED, static_cast<uint32_t>(args->rank), VP_NO_ENTRY);
        }
      });
    } catch (const std::system_error&) {
      vp_fail(*args, VP_ABORTED, static_cast<uint32_t>(args->rank), VP_NO_ENTRY);
      result = 1;
    }
  }
  for (std::thread& thread : started) thread.join();
  return result != 0 ? result : no_memory != 0 ? 2 : 0;
}
