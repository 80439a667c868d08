"""Becomes a program under a profile of system calls, as an engine of containers starts it.

``python confined.py PROFILE PROGRAM ARGUMENT…``; for the profile's ``defaultAction`` of allowing
and its lists of names that are refused. The program has no capability and no way to one, and is no
root.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import sys
from pathlib import Path

_NOBODY = 65_534
_PR_SET_NO_NEW_PRIVS, _PR_CAPBSET_DROP = 38, 24
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_CAPABILITIES = 41
_UNKNOWN = -1


def main() -> None:
    """Take away what a container has not, and become the program."""
    profile = json.loads(Path(sys.argv[1]).read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    path = ctypes.util.find_library("seccomp")
    assert path, "libseccomp is missing (package 'libseccomp2')"
    seccomp = ctypes.CDLL(path, use_errno=True)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    filter_ = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(_ALLOW)))
    for rule in profile["syscalls"]:
        assert rule["action"] == "SCMP_ACT_ERRNO"
        action = ctypes.c_uint32(_ERRNO | rule["errnoRet"])
        for name in rule["names"]:
            number = seccomp.seccomp_syscall_resolve_name(name.encode())
            assert number != _UNKNOWN, name
            assert seccomp.seccomp_rule_add(filter_, action, number, ctypes.c_uint(0)) == 0, name
    libc = ctypes.CDLL(None)
    if os.geteuid() == 0:
        for capability in range(_CAPABILITIES):
            libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    assert libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert seccomp.seccomp_load(filter_) == 0
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - it is to be this process


if __name__ == "__main__":
    main()
