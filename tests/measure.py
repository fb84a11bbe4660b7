"""Runs a command and says what it took: exit code, peak memory in KiB, milliseconds, one a line.

Usage: measure.py SECONDS STDIN STDOUT STDERR COMMAND...
A command that takes longer than SECONDS is killed, and its exit code is -9.
"""

import os
import signal
import sys
import time

limit, source, out, err, *command = sys.argv[1:]
start = time.monotonic()
child = os.fork()
if child == 0:
    os.dup2(os.open(source, os.O_RDONLY), 0)
    for descriptor, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)
    os.execv(command[0], command)
signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
signal.alarm(int(limit))
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status))
print(usage.ru_maxrss)
print(int((time.monotonic() - start) * 1000))
