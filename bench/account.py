# SPDX-License-Identifier: Apache-2.0
"""What a process has used, by the kernel's own account: CPU time of the whole session that it began, and the
most memory that was resident."""
import ctypes
import os
import time
from dataclasses import dataclass

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass
class Usage:
    cpu_ns: int  # user and system, to the nanosecond
    user_ticks: int  # the split is sampled by the kernel's tick, so it is good for seconds, not for less
    system_ticks: int


def cpu_clock(pid):
    """The id of the CPU-time clock of a process: all its threads, ended ones included."""
    clock = ctypes.c_int()
    error = _libc.clock_getcpuclockid(ctypes.c_int(pid), ctypes.byref(clock))
    if error:
        raise OSError(error, os.strerror(error))
    return clock.value


def stat_fields(pid):
    """The fields of /proc/PID/stat from the third on, or nothing when the process is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def session_pids(leader):
    """All processes of the session that `leader` began: a server may have made workers."""
    numbers = (int(entry) for entry in os.listdir("/proc") if entry.isdigit())
    return [pid for pid in numbers if (fields := stat_fields(pid)) and int(fields[3]) == leader]


def cpu_nanoseconds(leader):
    """CPU time spent so far by the server, user and system, in nanoseconds."""
    return sum(time.clock_gettime_ns(cpu_clock(pid)) for pid in session_pids(leader))


def usage(leader):
    user = system = 0
    for pid in session_pids(leader):
        if fields := stat_fields(pid):
            user += int(fields[11])
            system += int(fields[12])
    return Usage(cpu_nanoseconds(leader), user, system)


def spent(before, after):
    """User and system time between two accounts, nanoseconds: the exact sum, shared out as the ticks were."""
    total = after.cpu_ns - before.cpu_ns
    user, system = after.user_ticks - before.user_ticks, after.system_ticks - before.system_ticks
    share = user / (user + system) if user + system else 0.0
    return total * share, total * (1 - share)


def peak_memory_kib(leader):
    """The most memory that each process of the session had resident, added up. KiB."""
    total = 0
    for pid in session_pids(leader):
        try:
            with open(f"/proc/{pid}/status") as file:
                total += next((int(line.split()[1]) for line in file if line.startswith("VmHWM:")), 0)
        except OSError:
            continue
    return total
