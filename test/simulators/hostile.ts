import net from "node:net";
import { gzipSync } from "node:zlib";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Behaviour = (socket: net.Socket, head: string) => unknown;

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";

/** A hostile server's behaviours by path. */
const BEHAVIOURS: Record<string, Behaviour> = {
  "/fine": (socket) => socket.end(`${HEAD}Content-Length: 2\r\n\r\nok`),
  "/silent": () => {},
  "/slow-head": async (socket) => {
    for (const part of HEAD) {
      if (socket.destroyed) return;
      socket.write(part);
      await pause(100);
    }
  },
  "/endless-head": async (socket) => {
    socket.write(HEAD);
    for (let n = 0; !socket.destroyed; n++) {
      socket.write(`X-Filler-${n}: ${"x".repeat(1000)}\r\n`);
      await pause(0);
    }
  },
  "/trickle": async (socket) => {
    socket.write(`${HEAD}Content-Length: 100000\r\n\r\n`);
    while (!socket.destroyed) {
      socket.write("x");
      await pause(50);
    }
  },
  "/endless": async (socket) => {
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    while (!socket.destroyed) {
      if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), pause(100)]);
      await pause(0);
    }
  },
  "/bomb": (socket) => {
    const packed = gzipSync(Buffer.alloc(64 << 20));
    socket.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${packed.byteLength}\r\n\r\n`);
    socket.end(packed);
  },
  "/double-bomb": (socket) => {
    const packed = gzipSync(gzipSync(Buffer.alloc(64 << 20)));
    socket.write(`${HEAD}Content-Encoding: gzip, gzip\r\nContent-Length: ${packed.byteLength}\r\n\r\n`);
    socket.end(packed);
  },
  "/packed": (socket) => {
    const packed = gzipSync("unpacked");
    socket.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${packed.byteLength}\r\n\r\n`);
    socket.end(packed);
  },
  "/broken-gzip": (socket) => socket.end(`${HEAD}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!`),
  "/unknown-coding": (socket) => socket.end(`${HEAD}Content-Encoding: compress\r\nContent-Length: 2\r\n\r\nok`),
  "/redirect": (socket, head) => {
    const [, to = ""] = /[?&]to=(\S+)/.exec(head) ?? [];
    socket.end(`HTTP/1.1 302 Found\r\nLocation: ${decodeURIComponent(to)}\r\nContent-Length: 0\r\n\r\n`);
  },
  "/garbage": (socket) => socket.end("\u0015\u0003\u0003\u0000\u0002 this is no HTTP\r\n\r\n"),
  "/reset": (socket) => socket.resetAndDestroy(),
  "/cut": (socket) => {
    socket.write(`${HEAD}Content-Length: 1000\r\n\r\nhalf`, () => socket.destroy());
  },
  "/status": (socket, head) => {
    const [, code = "500"] = /[?&]code=(\d+)/.exec(head) ?? [];
    socket.end(`HTTP/1.1 ${code} Whatever\r\nContent-Length: 2\r\n\r\nno`);
  },
};

/** A hostile HTTP server on one loopback address. */
export class HostileServer {
  readonly #host: string;
  readonly #sockets = new Set<net.Socket>();
  /** Raw requests, head and body. */
  readonly requests: string[] = [];
  readonly #server = net.createServer((socket) => {
    this.#sockets.add(socket);
    socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => {
      const isNew = text === "";
      text += part;
      if (!isNew) return void (this.requests[this.requests.length - 1] = text);
      this.requests.push(text);
      const [, path = ""] = /^\S+ ([^\s?]*)/.exec(text) ?? [];
      void BEHAVIOURS[path]?.(socket, text);
    });
  });

  constructor(host = "127.0.0.1") {
    this.#host = host;
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  get origin(): string {
    return `http://${this.#host}:${this.port}`;
  }

  /** Number of open connections. */
  get open(): number {
    return this.#sockets.size;
  }

  start(port = 0): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, this.#host, () => resolve()));
  }

  stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
