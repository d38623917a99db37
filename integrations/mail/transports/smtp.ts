import { createHash } from "node:crypto";
import { isIP, type Socket } from "node:net";
import { LRUCache } from "lru-cache";
import type { Mail, SMTPPoolOptions, SMTPPoolSentMessageInfo } from "nodemailer";
import { runtime } from "../../../core/config/runtime.ts";
import type { MailFailureKind, MailFile } from "../../../core/mail/mail-now.ts";
import { type MailTransport, USUAL_PORT } from "../../../core/mail/mail-transport.ts";
import { actOutside } from "../../../core/outbound/acts.ts";
import { connectChecked } from "../../../core/outbound/guard/connect.ts";
import { OutboundRefused } from "../../../core/outbound/guard/policy.ts";
import { redact } from "../../../core/outbound/redact.ts";
import { type Deliver, generalHeaders, MailFailure } from "./transport.ts";

type Pool = Mail<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

/**
 * Milliseconds a relay may take to connect, to greet, and between replies. The last exceeds the usual limit of conventions §17: a relay
 * that scans a mail before accepting would otherwise get it twice (RFC 5321 §4.5.3.2.6).
 */
const CONNECT = 10_000;
const GREET = 10_000;
const SILENCE = 30_000;
/** Marks an error before the relay was reached: nodemailer gives later ones the same code. */
const NOT_REACHED = { notReached: true } as const;

/** Open connection pools by settings: another password or host gets another pool; a pool unused for a minute is closed. */
const pools = new LRUCache<string, Promise<Pool>>({
  max: 50,
  ttl: 60_000,
  ttlAutopurge: true,
  updateAgeOnGet: true,
  dispose: (pool) => void pool.then((open) => open.close()).catch(() => {}),
});

async function openPool({ owner, host, port, security, username, secret }: MailTransport): Promise<Pool> {
  const { createTransport } = await import("nodemailer");
  const name = host as string;
  const usual = port ?? USUAL_PORT[security];
  return createTransport({
    pool: true,
    host: name,
    port: usual,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    tls: { host: name, minVersion: "TLSv1.2", ...(isIP(name) === 0 && { servername: name }) },
    ...(username !== null && { auth: { user: username, pass: secret ?? "" } }),
    name: runtime().config.baseDomain,
    maxConnections: 5,
    maxMessages: 100,
    maxRequeues: 1,
    idleTimeout: 20_000,
    connectionTimeout: CONNECT,
    greetingTimeout: GREET,
    socketTimeout: SILENCE,
    disableFileAccess: true,
    disableUrlAccess: true,
    // An organisation's relay must be public unless the operator opted in; the operator's own may be in its network (conventions §17).
    getSocket: (_options: unknown, done: (error: Error | null, socket?: { connection: Socket }) => void) => {
      connectChecked(owner === "instance" ? "provider" : "smtp", { host: name, port: usual }, runtime().config, CONNECT).then(
        (connection) => done(null, { connection }),
        (error: Error) => done(Object.assign(error, NOT_REACHED)),
      );
    },
  });
}

function poolOf(transport: MailTransport): Promise<Pool> {
  const key = createHash("sha256").update(JSON.stringify(transport)).digest("hex");
  const known = pools.get(key);
  if (known) return known;
  const opening = openPool(transport);
  pools.set(key, opening);
  return opening;
}

/** A 5yz reply is final (RFC 5321 §4.2.1), except 503, which means a wrong command sequence, not a bad mail. */
const isFinal = (code: number | undefined): boolean => code !== undefined && code >= 500 && code < 600 && code !== 503;

/** The kind of a failed delivery: a relay that replied with a code did not accept the mail; one that broke off later may have. */
function kindOf(error: unknown): MailFailureKind {
  const { responseCode, command, notReached } = error as { responseCode?: number; command?: string; notReached?: true };
  if (responseCode !== undefined) return command === "RCPT TO" && isFinal(responseCode) ? "recipient" : "mail";
  return error instanceof OutboundRefused || notReached ? "mail" : "unanswered";
}

const named = ({ name, type, base64 }: MailFile) => ({
  filename: name,
  contentType: type,
  content: Buffer.from(base64, "base64"),
});

/** Sends mail to an SMTP relay over a connection whose address was checked. */
export const deliverBySmtp: Deliver = async (transport, mail, secrets, signal) => {
  const { username, secret } = transport;
  await actOutside("smtp");
  try {
    const pool = await poolOf(transport);
    const { rejected = [] } = await pool.sendMail({
      messageId: `<${mail.messageId}>`,
      from: { name: mail.from.name ?? "", address: mail.from.address },
      to: mail.to.map(({ name, address }) => ({ name: name ?? "", address })),
      ...(mail.replyTo !== null && { replyTo: { name: "", address: mail.replyTo } }),
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      attachments: [
        ...mail.files.map((file) => ({ ...named(file), contentDisposition: "attachment" as const })),
        ...mail.pictures.map((file) => ({ ...named(file), contentDisposition: "inline" as const, cid: file.name })),
      ],
      headers: generalHeaders(mail),
      ...(signal && { signal }),
    });
    return rejected;
  } catch (error) {
    const { responseCode, message } = error as { responseCode?: number; message: string };
    const known = [...secrets, ...(secret ? [secret, `\0${username ?? ""}\0${secret}`] : [])];
    throw new MailFailure(redact(message, known), error instanceof OutboundRefused || isFinal(responseCode), null, kindOf(error));
  }
};

/** Closes all connections on shutdown. */
export const closeRelays = (): void => pools.clear();
