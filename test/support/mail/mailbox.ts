import type { AddressInfo, Socket } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";

/** A mail the relay accepted: raw, and as an independent parser reads it. */
export interface Delivered {
  raw: string;
  from: string;
  to: string[];
  user: string | null;
  secure: boolean;
  mail: Email;
}

/** An SMTP reply that rejects the next mail, at the recipient or after the whole mail. */
export interface Fault {
  at: "rcpt" | "data";
  code: number;
  text: string;
}

const refused = ({ code, text }: Fault): Error => Object.assign(new Error(text), { responseCode: code });

/** A real SMTP relay on 127.0.0.1. */
export class Mailbox {
  readonly delivered: Delivered[] = [];
  /** Number of sessions, with or without a mail. */
  connections = 0;
  readonly #faults: Fault[] = [];
  readonly #server: SMTPServer;
  readonly #sockets = new Set<Socket>();
  /** Addresses that are rejected as recipients. */
  readonly unknown = new Set<string>();
  /** Delay before a mail is accepted. */
  delay = 0;

  /** @param options of smtp-server; by default it accepts mail from anyone, unencrypted */
  constructor(options: SMTPServerOptions = {}) {
    this.#server = new SMTPServer({
      disabledCommands: options.onAuth ? ["STARTTLS"] : ["STARTTLS", "AUTH"],
      allowInsecureAuth: true,
      logger: false,
      onConnect: (_session, done) => {
        this.connections++;
        done();
      },
      onRcptTo: ({ address }, _session, done) =>
        done(this.unknown.has(address) ? refused({ at: "rcpt", code: 550, text: "no such mailbox" }) : this.#fault("rcpt")),
      onData: (stream, session, done) => {
        const parts: Buffer[] = [];
        stream.on("data", (part: Buffer) => parts.push(part));
        stream.on("end", () => {
          const fault = this.#fault("data");
          if (fault) return done(fault);
          void this.#keep(Buffer.concat(parts), session).then(() => setTimeout(() => done(null, "taken"), this.delay));
        });
      },
      ...options,
    });
    this.#server.on("error", () => {});
    this.#server.server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  #fault(at: Fault["at"]): Error | null {
    const [next] = this.#faults;
    return next?.at === at ? refused(this.#faults.shift() as Fault) : null;
  }

  async #keep(raw: Buffer, { envelope, user, secure }: SMTPServerSession): Promise<void> {
    const { mailFrom, rcptTo } = envelope;
    this.delivered.push({
      raw: raw.toString(),
      from: mailFrom ? mailFrom.address : "",
      to: rcptTo.map(({ address }) => address),
      user: (user as string | undefined) ?? null,
      secure,
      mail: await PostalMime.parse(raw),
    });
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** @param port a free one by default */
  start(address = "127.0.0.1", port = 0): Promise<void> {
    return new Promise((resolve) => void this.#server.listen(port, address, () => resolve()));
  }

  /** Drops all connections and accepts no more, like a relay that crashes. It can be started again. */
  kill(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    return closed;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** Fails the next mails with these faults, one each; later mails are accepted again. */
  fail(...faults: Fault[]): void {
    this.#faults.push(...faults);
  }

  /** Mails delivered to an address. */
  to(address: string): Delivered[] {
    return this.delivered.filter(({ to }) => to.includes(address));
  }

  reset(): void {
    this.delivered.length = 0;
    this.#faults.length = 0;
    this.unknown.clear();
    this.connections = 0;
    this.delay = 0;
  }
}

/** Settings that make the relay the instance's mail transport. */
export const relayOf = ({ port }: Mailbox): Record<string, string> => ({
  SERVICE_MAIL_PROVIDER: "smtp",
  SERVICE_MAIL_FROM_ADDRESS: "post@kantoor.test",
  SERVICE_MAIL_HOST: "127.0.0.1",
  SERVICE_MAIL_PORT: String(port),
  SERVICE_MAIL_SECURITY: "none",
});
