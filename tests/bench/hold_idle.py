"""Opens keep-alive connections, makes one request on each, says "ready", and holds them until standard input ends.

usage: hold_idle.py HOST PORT http|https CONNECTIONS PATH
"""
import socket
import ssl
import sys


def opened(host, port, context, path):
    connection = socket.create_connection((host, port), timeout=10)
    if context:
        connection = context.wrap_socket(connection, server_hostname=host)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += received(connection)
    head, body = answer.split(b"\r\n\r\n", 1)
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
    while len(body) < length:
        body += received(connection)
    return connection


def received(connection):
    piece = connection.recv(65536)
    if not piece:
        raise SystemExit("the server closed a connection")
    return piece


def main():
    host, port, scheme, number, path = sys.argv[1:]
    context = None
    if scheme == "https":
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    connections = [opened(host, int(port), context, path) for _ in range(int(number))]
    print("ready", len(connections), flush=True)
    sys.stdin.read()


main()
