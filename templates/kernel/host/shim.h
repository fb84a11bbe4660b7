// Runs the text of kernels.cu on the CPU: an OS thread for each block, a fiber for each CUDA thread.
//
// The block barrier is real and a wait gives way to the other fibers of its block and then to other
// OS threads, so every block of every rank makes progress. Under ThreadSanitizer each fiber is a
// thread of its own and switching orders nothing: a race between two CUDA threads of one block
// shows. Include this before kernels.cu.
#pragma once
#define VARIOPATH_HOST 1

#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define VARIOPATH_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define VARIOPATH_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define VARIOPATH_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define VARIOPATH_ASAN 1
#endif
#if defined(VARIOPATH_TSAN)
#include <sanitizer/tsan_interface.h>
#endif
#if defined(VARIOPATH_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

struct uint3 {
  unsigned x, y, z;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

namespace variopath_host {

// The state of the scheduler belongs to no kernel, so the race detector must not look at it.
#define VARIOPATH_QUIET __attribute__((no_sanitize("thread"), noinline))

enum class FiberState { runnable, at_barrier, done };

struct Fiber {
  ucontext_t context;
  uint3 thread;
  FiberState state;
  char* stack;
  void* tsan;
  void* asan;
};

struct Block {
  uint3 block, grid, threads;
  void (*body)(const void*);
  const void* arguments;
  Fiber* fibers;
  unsigned count, running, waiting;
  Fiber* current;
  ucontext_t home;
  void* home_tsan;
  void* home_asan;
  const void* home_stack;
  size_t home_size;
};

constexpr size_t kStackBytes = 64 << 10;

inline thread_local Block* current_block = nullptr;

// From a fiber back to the loop that picks the next one.
VARIOPATH_QUIET inline void leave(Fiber* fiber) {
  Block* block = current_block;
#if defined(VARIOPATH_TSAN)
  __tsan_switch_to_fiber(block->home_tsan, __tsan_switch_to_fiber_no_sync);
#endif
#if defined(VARIOPATH_ASAN)
  __sanitizer_start_switch_fiber(fiber->state == FiberState::done ? nullptr : &fiber->asan,
                                 block->home_stack, block->home_size);
#endif
  swapcontext(&fiber->context, &block->home);
#if defined(VARIOPATH_ASAN)
  __sanitizer_finish_switch_fiber(fiber->asan, &block->home_stack, &block->home_size);
#endif
}

// Lets the rest of the block run, then the rest of the machine.
VARIOPATH_QUIET inline void pause() { leave(current_block->current); }

// Opens the barrier once every fiber that still runs has reached it; fibers that have ended count
// as arrived.
VARIOPATH_QUIET inline void open_barrier(Block* block) {
  if (block->waiting == 0 || block->waiting != block->running) return;
  block->waiting = 0;
  for (unsigned i = 0; i < block->count; ++i)
    if (block->fibers[i].state == FiberState::at_barrier)
      block->fibers[i].state = FiberState::runnable;
}

VARIOPATH_QUIET inline void barrier() {
  Block* block = current_block;
  Fiber* fiber = block->current;
#if defined(VARIOPATH_TSAN)
  __tsan_release(&block->waiting);
#endif
  fiber->state = FiberState::at_barrier;
  ++block->waiting;
  open_barrier(block);
  while (fiber->state == FiberState::at_barrier) leave(fiber);
#if defined(VARIOPATH_TSAN)
  __tsan_acquire(&block->waiting);
#endif
}

VARIOPATH_QUIET inline void fiber_main() {
  Block* block = current_block;
  Fiber* fiber = block->current;
#if defined(VARIOPATH_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, &block->home_stack, &block->home_size);
#endif
#if defined(VARIOPATH_TSAN)
  __tsan_acquire(block);
#endif
  block->body(block->arguments);
#if defined(VARIOPATH_TSAN)
  __tsan_release(block);
#endif
  fiber->state = FiberState::done;
  --block->running;
  open_barrier(block);
  leave(fiber);
}

VARIOPATH_QUIET inline void enter(Block* block, Fiber* fiber) {
  block->current = fiber;
#if defined(VARIOPATH_TSAN)
  __tsan_switch_to_fiber(fiber->tsan, __tsan_switch_to_fiber_no_sync);
#endif
#if defined(VARIOPATH_ASAN)
  __sanitizer_start_switch_fiber(&block->home_asan, fiber->stack, kStackBytes);
#endif
  swapcontext(&block->home, &fiber->context);
#if defined(VARIOPATH_ASAN)
  __sanitizer_finish_switch_fiber(block->home_asan, nullptr, nullptr);
#endif
}

// Runs all fibers of a block on this OS thread; false when there is no memory for them.
VARIOPATH_QUIET inline bool run_block(Block* block) {
  const size_t stacks = kStackBytes * block->count;
  block->fibers = static_cast<Fiber*>(calloc(block->count, sizeof(Fiber)));
  void* memory = mmap(nullptr, stacks, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block->fibers == nullptr || memory == MAP_FAILED) {
    free(block->fibers);
    if (memory != MAP_FAILED) munmap(memory, stacks);
    return false;
  }
  block->running = block->count;
  block->waiting = 0;
  current_block = block;
#if defined(VARIOPATH_TSAN)
  block->home_tsan = __tsan_get_current_fiber();
  __tsan_release(block);
#endif
  for (unsigned i = 0; i < block->count; ++i) {
    Fiber* fiber = &block->fibers[i];
    fiber->thread = uint3{i, 0, 0};
    fiber->state = FiberState::runnable;
    fiber->stack = static_cast<char*>(memory) + kStackBytes * i;
#if defined(VARIOPATH_TSAN)
    fiber->tsan = __tsan_create_fiber(0);
#endif
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = kStackBytes;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, fiber_main, 0);
  }
  while (block->running != 0) {
    for (unsigned i = 0; i < block->count; ++i)
      if (block->fibers[i].state == FiberState::runnable) enter(block, &block->fibers[i]);
    // What is left after a round waits for something outside of the block.
    if (block->running != 0) sched_yield();
  }
#if defined(VARIOPATH_TSAN)
  __tsan_acquire(block);
  for (unsigned i = 0; i < block->count; ++i) __tsan_destroy_fiber(block->fibers[i].tsan);
#endif
  current_block = nullptr;
  munmap(memory, stacks);
  free(block->fibers);
  return true;
}

}  // namespace variopath_host

// ---- The words of CUDA that kernels.cu uses ------------------------------------------------------
#define __global__
#define __grid_constant__
#define __shared__ static thread_local  // a block is an OS thread
#define threadIdx (variopath_host::current_block->current->thread)
#define blockIdx (variopath_host::current_block->block)
#define blockDim (variopath_host::current_block->threads)
#define gridDim (variopath_host::current_block->grid)

// ---- The port layer of kernels.cu: the same contracts, by the compiler's atomics ------------------
#define VP_DEVICE static inline
#define VP_TABLE static const

VP_DEVICE void vp_store_release_sys(uint64_t* slot, uint64_t value) {
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}
VP_DEVICE uint64_t vp_load_acquire_sys(const uint64_t* slot) {
  return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}
VP_DEVICE uint64_t vp_load_relaxed_device(const uint64_t* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}
VP_DEVICE void vp_store_relaxed_device(uint64_t* word, uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
VP_DEVICE uint64_t vp_set_once_device(uint64_t* word, uint64_t value) {
  uint64_t held = 0;
  __atomic_compare_exchange_n(word, &held, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return held;
}
VP_DEVICE uint32_t vp_count_device(uint32_t* counter) {
  return __atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL);
}
VP_DEVICE void vp_tally_device(uint64_t* word) { __atomic_fetch_add(word, 1ul, __ATOMIC_RELAXED); }
VP_DEVICE void vp_block_barrier() { variopath_host::barrier(); }
VP_DEVICE uint64_t vp_global_timer_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}
VP_DEVICE void vp_pause() { variopath_host::pause(); }
VP_DEVICE uint4 vp_load_stream(const uint8_t* from) {
  return *reinterpret_cast<const uint4*>(from);
}
VP_DEVICE void vp_store_stream(uint8_t* to, uint4 value) { *reinterpret_cast<uint4*>(to) = value; }
VP_DEVICE uint32_t vp_load_word(const uint8_t* from) {
  return *reinterpret_cast<const uint32_t*>(from);
}
VP_DEVICE void vp_store_word(uint8_t* to, uint32_t value) {
  *reinterpret_cast<uint32_t*>(to) = value;
}
VP_DEVICE uint8_t vp_load_byte(const uint8_t* from) { return *from; }
VP_DEVICE void vp_store_byte(uint8_t* to, uint8_t value) { *to = value; }
