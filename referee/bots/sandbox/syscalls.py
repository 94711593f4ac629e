"""The numbers of the system calls that a bot may not make, or only in part.

Each row holds the number on x86_64 and on aarch64; None where the architecture has no such call.
Source: the tables of Linux, `arch/x86/entry/syscalls/syscall_64.tbl` and
`include/uapi/asm-generic/unistd.h`.
"""

from __future__ import annotations

Numbers = tuple[int | None, int | None]

MACHINES = {"x86_64": 0, "aarch64": 1}
"""The column of each machine, by the name that `uname` gives it."""

AUDIT_ARCH = (0xC000003E, 0xC00000B7)
"""What the kernel calls each machine in front of a filter (`linux/audit.h`)."""

FORBIDDEN: dict[str, Numbers] = {
    # Namespaces, mounts and roots: everything that leads to privilege inside them.
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    # Other processes.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # What outlives a process, or passes from one to another without a file.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182),
    "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184),
    "mq_getsetattr": (245, 185),
    # Memory that no watch on resident memory sees.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "remap_file_pages": (216, 234),
    "vmsplice": (278, 75),
    # What tells who uses a file, or is told by it, where both may only read it.
    "fanotify_init": (300, 262),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "cachestat": (451, 451),
    # Large parts of the kernel that a bot has no use for.
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    # The machine.
    "clock_settime": (227, 112),
    "settimeofday": (164, 170),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "acct": (163, 89),
    "syslog": (103, 116),
    "iopl": (172, None),
    "ioperm": (173, None),
    "vhangup": (153, 58),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
}
"""What no bot may do."""

IN_PART: dict[str, Numbers] = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "connect": (42, 203),
    "fadvise64": (221, 223),
    "fcntl": (72, 25),
    "flock": (73, 32),
    "ioctl": (16, 29),
    "ioprio_set": (251, 30),
    "kill": (62, 129),
    "mmap": (9, 222),
    "personality": (135, 92),
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sendfile": (40, 71),
    "setpriority": (141, 140),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "splice": (275, 76),
}
"""What the filter decides by the arguments, or answers in another way."""

FILE_STATE: dict[str, Numbers] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "lchown": (94, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
}
"""What changes the mode or the owner of any file of the user: no Landlock forbids it."""

FILE_TIMES: dict[str, Numbers] = {
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
"""What changes the times of any file of the user, which no Landlock forbids either."""

FILE_ATTRIBUTES: dict[str, Numbers] = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
"""The same for its attributes."""
