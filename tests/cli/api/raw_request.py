"""Sends the bytes of a file to a local port and prints what comes back.

    raw_request.py PORT FILE
"""

import socket
import sys

with open(sys.argv[2], "rb") as file:
    data = file.read()
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=10) as connection:
    try:
        connection.sendall(data)
    except OSError:
        pass  # refused before all was sent
    try:
        while part := connection.recv(65536):
            sys.stdout.buffer.write(part)
            if b"\r\n\r\n" in part:
                break
    except OSError:
        pass
