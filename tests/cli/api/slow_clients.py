"""Clients that connect and send nothing, send slowly, or do not read: others must be served.

    slow_clients.py PORT [long]    long: also waits until the server cuts them off
"""

import socket
import sys
import time
import urllib.request

PORT = int(sys.argv[1])
LONG = len(sys.argv) > 2


def connect():
    return socket.create_connection(("127.0.0.1", PORT), timeout=60)


def is_served():
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/api/v1/models", timeout=30) as answer:
        return answer.status == 200


silent = [connect() for _ in range(10)]
slow = [connect() for _ in range(10)]
deaf = [connect() for _ in range(10)]
for client in deaf:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.sendall(b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
reset = [connect() for _ in range(5)]
for client in reset:
    client.sendall(b"GET /api/v1/models HTTP/1.1\r\nHost: loc")
    client.close()
text = b"GET /api/v1/models HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"x" * 1000
started = time.monotonic()
position = 0
while time.monotonic() - started < (30 if LONG else 1):
    for client in slow:
        try:
            client.sendall(text[position:position + 1])
        except OSError:
            pass  # cut off
    position += 1
    assert is_served()
    time.sleep(0.5)
if LONG:
    for client in silent + slow:
        try:
            assert client.recv(1000) == b"", "the connection is still open"
        except ConnectionResetError:
            pass
