// Carries exchanges out in a program of its own, so that a sanitizer sees every access: the kernels,
// the ranks' threads and the checks. Usage: harness CASE CALLS BLOCKS THREADS
//
// CASE is a file of 64-bit little-endian numbers: ranks; for each rank the length of its plan
// buffer, the buffer (padded to 8), the lengths of its send and receive windows; for each ordered
// pair its bytes, its send offset and its receive offset; at last the bytes of a state and the words
// of a signal memory.
//
// Exit 0: every byte right and nothing else touched. 1: a wrong byte or a touched guard. 2: misuse.
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "launcher.cpp"

namespace {

constexpr size_t kGuard = 256;
constexpr uint8_t kPattern = 0xa5;

struct RankMemory {
  std::vector<uint64_t> plan, slots, state;
  std::vector<uint8_t> send, receive;
  uint64_t send_bytes, receive_bytes;
  uint64_t wrong = 0;
};

struct Pair {
  uint64_t bytes, send, receive;
};

uint8_t value(uint64_t src, uint64_t dst, uint64_t at, uint64_t call) {
  return static_cast<uint8_t>(src * 37 + dst * 101 + at * 11 + (at >> 8) * 5 + call * 59 + 1);
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  std::ifstream file(words[1], std::ios::binary);
  auto number = [&] {
    uint64_t read = 0;
    file.read(reinterpret_cast<char*>(&read), sizeof read);
    return read;
  };
  const uint64_t calls = strtoull(words[2], nullptr, 10);
  const uint32_t blocks = static_cast<uint32_t>(strtoul(words[3], nullptr, 10));
  const uint32_t threads = static_cast<uint32_t>(strtoul(words[4], nullptr, 10));
  const uint64_t ranks = number();
  if (ranks != VP_RANKS) return 2;
  std::vector<RankMemory> memory(ranks);
  for (RankMemory& own : memory) {
    own.plan.resize((number() + 7) / 8);
    file.read(reinterpret_cast<char*>(own.plan.data()),
              static_cast<std::streamsize>(own.plan.size() * 8));
    own.send_bytes = number();
    own.receive_bytes = number();
    own.send.resize(own.send_bytes);
    own.receive.resize(own.receive_bytes + 2 * kGuard);
  }
  std::vector<Pair> pairs(ranks * ranks);
  for (Pair& pair : pairs) pair = Pair{number(), number(), number()};
  const uint64_t state_bytes = number();
  const uint64_t slot_words = number();
  if (!file) return 2;
  for (RankMemory& own : memory) {
    own.state.resize((state_bytes + 7) / 8);
    own.slots.resize(slot_words);
  }

  // One thread a rank makes all its calls, as a stream would: a rank may be a call ahead.
  auto run = [&](uint64_t rank) {
    RankMemory& own = memory[rank];
    VpArguments args{};
    args.rank = rank;
    args.plan = reinterpret_cast<const uint8_t*>(own.plan.data());
    args.send = own.send.data();
    args.state = reinterpret_cast<VpState*>(own.state.data());
    args.budget_ns = 60000000000u;
    args.patience = 100000;
    for (uint64_t peer = 0; peer < ranks; ++peer) {
      args.receive[peer] = memory[peer].receive.data() + kGuard;
      args.slots[peer] = memory[peer].slots.data();
    }
    for (uint64_t call = 1; call <= calls; ++call) {
      // Ranks start apart, later ones first in every other call.
      const uint64_t turn = call % 2 == 0 ? ranks - rank : rank;
      std::this_thread::sleep_for(std::chrono::milliseconds(2 * turn));
      for (uint64_t dst = 0; dst < ranks; ++dst) {
        const Pair& pair = pairs[rank * ranks + dst];
        for (uint64_t at = 0; at < pair.bytes; ++at)
          own.send[pair.send + at] = value(rank, dst, at, call);
      }
      // Nobody may write before this rank's kernel says that it is ready.
      memset(own.receive.data(), kPattern, own.receive.size());
      if (variopath_launch(&args, blocks, threads) != 0) ++own.wrong;
      if (args.state->status != 0) {
        ++own.wrong;
        return;
      }
      // The call is complete: no byte may be missing, whatever the other ranks still do.
      for (uint64_t src = 0; src < ranks; ++src) {
        const Pair& pair = pairs[src * ranks + rank];
        for (uint64_t at = 0; at < pair.bytes; ++at)
          own.wrong += own.receive[kGuard + pair.receive + at] != value(src, rank, at, call);
      }
      for (size_t at = 0; at < kGuard; ++at) {
        own.wrong += own.receive[at] != kPattern;
        own.wrong += own.receive[own.receive.size() - 1 - at] != kPattern;
      }
    }
  };
  std::vector<std::thread> started;
  for (uint64_t rank = 0; rank < ranks; ++rank) started.emplace_back(run, rank);
  for (std::thread& thread : started) thread.join();
  uint64_t wrong = 0;
  for (RankMemory& own : memory) {
    wrong += own.wrong;
    const uint64_t status = reinterpret_cast<VpState*>(own.state.data())->status;
    if (status != 0) printf("status=%llu\n", static_cast<unsigned long long>(status));
  }
  printf("wrong=%llu\n", static_cast<unsigned long long>(wrong));
  return wrong == 0 ? 0 : 1;
}
