import { once } from "node:events";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A relay between two programs, which can be cut, silenced and slowed down while they run. */
export class Wire {
  /** Milliseconds by which each piece of either direction is late. */
  lateness = 0;
  readonly #target: () => net.NetConnectOpts;
  readonly #sockets = new Set<net.Socket>();
  #server: net.Server | null = null;
  #silence: { isOver: Promise<void>; end(): void } | null = null;
  port = 0;

  /** @param target gives the address to connect to, once for each connection */
  constructor(target: () => net.NetConnectOpts) {
    this.#target = target;
  }

  /** Listens; a second time on the same port. @param port a free one by default */
  async open(port = this.port): Promise<this> {
    const server = net.createServer({ allowHalfOpen: true }, (near) => void this.#relay(near));
    this.#server = server;
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as net.AddressInfo).port;
    return this;
  }

  async #relay(near: net.Socket): Promise<void> {
    const far = net.connect({ ...this.#target(), allowHalfOpen: true } as net.NetConnectOpts);
    const ends = [near, far];
    for (const end of ends) {
      this.#sockets.add(end.setNoDelay());
      end
        .on("error", () => {})
        .once("close", () => {
          this.#sockets.delete(end);
          for (const other of ends) other.destroy();
        });
    }
    await Promise.all([this.#pass(near, far), this.#pass(far, near)]);
  }

  async #pass(from: net.Socket, to: net.Socket): Promise<void> {
    try {
      for await (const piece of from) {
        if (this.lateness > 0) await delay(this.lateness);
        await this.#silence?.isOver;
        if (!to.write(piece)) await once(to, "drain");
      }
      to.end();
    } catch {
      from.destroy();
      to.destroy();
    }
  }

  /** Ends all connections; new ones are taken. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Passes nothing on until `speak`: connections stay, and what is sent meanwhile arrives late. */
  silence(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#silence ??= { isOver: promise, end: resolve };
  }

  speak(): void {
    this.#silence?.end();
    this.#silence = null;
  }

  /** Ends all connections and refuses new ones until it is opened again. */
  async close(): Promise<void> {
    this.speak();
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    const closed = once(server, "close");
    server.close();
    this.cut();
    await closed;
  }
}
