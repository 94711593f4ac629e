"""Reaches for the network. Everything it looks for is on this machine."""

import contextlib
import os
import socket

from _zoo import ARGUMENTS, attempt, denied, got, run, tried

LOCAL = "127.0.0.1"
AF_ALG = getattr(socket, "AF_ALG", 38)
AF_NETLINK = getattr(socket, "AF_NETLINK", 16)
AF_PACKET = getattr(socket, "AF_PACKET", 17)
AF_VSOCK = getattr(socket, "AF_VSOCK", 40)
AF_BLUETOOTH, AF_CAN, AF_TIPC = 31, 29, 30


def can_make(family, kind, protocol=0):
    socket.socket(family, kind, protocol).close()
    return True


def connects():
    """Connects to a server that the referee's host runs for this."""
    for family, host in ((socket.AF_INET, LOCAL), (socket.AF_INET6, "::1")):
        attempt(f"make a TCP socket to {host}", can_make, family, socket.SOCK_STREAM)
    attempt("connect to a server of this host", connect, int(ARGUMENTS[0]))


def connect(port):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as end:
        end.settimeout(2)
        end.connect((LOCAL, port))
        return True


def sends_datagrams():
    def send():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            return end.sendto(b"zoo", (LOCAL, int(ARGUMENTS[0])))

    attempt("send a datagram", send)


def asks_for_names():
    """Asks for the address of a name of this host, as any name would be asked for."""

    def ask():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.connect((LOCAL, 53))
            return True

    attempt("ask a name server", ask)


def pings():
    attempt("send ICMP", can_make, socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
    attempt("send raw packets", can_make, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)


def scans():
    """Looks for servers on this host, around the port of one that is there."""
    middle = int(ARGUMENTS[0])
    found = 0
    for port in range(middle - 60, middle + 60):
        with contextlib.suppress(OSError):
            found += connect(port)
    (got if found else denied)("find a server of this host")


def vsock():
    attempt("reach what runs this machine (vsock)", can_make, AF_VSOCK, socket.SOCK_STREAM)


def netlink():
    attempt("ask about the network (netlink)", can_make, AF_NETLINK, socket.SOCK_RAW)


def crypto():
    attempt("use the ciphers of the kernel (AF_ALG)", can_make, AF_ALG, socket.SOCK_SEQPACKET)


def packets():
    attempt("see all packets (AF_PACKET)", can_make, AF_PACKET, socket.SOCK_RAW)


def odd_families():
    for name, family in (("Bluetooth", AF_BLUETOOTH), ("CAN", AF_CAN), ("TIPC", AF_TIPC)):
        attempt(f"make a socket of {name}", can_make, family, socket.SOCK_RAW)


def serves_everybody():
    def listen():
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as end:
            end.bind(("0.0.0.0", 0))
            end.listen()
            return True

    attempt("serve on a port of this host", listen)


def reaches_buses():
    """Connects to what answers on the machines of people: buses, displays, agents, containers."""
    user = os.getuid()
    places = [
        "/run/dbus/system_bus_socket", f"/run/user/{user}/bus", f"/run/user/{user}/systemd/private",
        "/run/systemd/private", "/var/run/docker.sock", "/run/containerd/containerd.sock",
        "/tmp/.X11-unix/X0", f"/run/user/{user}/wayland-0", "/dev/log",
    ]  # fmt: skip
    places += filter(None, [os.environ.get("SSH_AUTH_SOCK")])
    tried("find a bus, a display, an agent or a container engine")
    for place in places:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, kind) as end:
                end.settimeout(1)
                end.connect(place)
                got(f"reach {place}")


run(
    when_asked=(
        connects, sends_datagrams, asks_for_names, pings, scans, vsock, netlink, crypto, packets,
        odd_families, serves_everybody, reaches_buses,
    )
)  # fmt: skip
