import { redact } from "../../../core/outbound/redact.ts";
import type { HeartbeatStatus } from "../models.ts";

/** A heartbeat of a monitor, as stored. */
export interface Beat {
  /** The monitor's id at its server. */
  remoteId: number;
  status: HeartbeatStatus;
  /** The server's code of the status. */
  code: number;
  /** ISO 8601, UTC. */
  at: string;
  /** Whole milliseconds; null if not measured. */
  pingMs: number | null;
  message: string | null;
}

const CODES: Readonly<Record<HeartbeatStatus, number>> = { down: 0, up: 1, pending: 2, maintenance: 3 };
const BY_WORD = new Map(
  (Object.entries(CODES) as [HeartbeatStatus, number][]).flatMap(([status, code]) => [
    [status as string, status] as const,
    [String(code), status] as const,
  ]),
);
const MOST_PING = 2_147_483_647;

/** The text of a value; empty for a list, an object or another value that is neither text nor a number. */
const wordOf = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value).trim() : "");

/** Parses a status from its code or name; anything else is `pending` (workspace-reporting §5, "Webhook"). */
export function readStatus(value: unknown): HeartbeatStatus {
  return BY_WORD.get(wordOf(value).toLowerCase()) ?? "pending";
}

/** `YYYY-MM-DD HH:mm:ss.SSS`, optionally with a `T` instead of the space and a zone at the end. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?)\s*(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Parses the time of a heartbeat into ISO 8601; without a zone it is UTC.
 * @param now milliseconds since 1970, used for invalid and future times
 */
export function readTime(value: unknown, now: number): string {
  const [, day, time, zone = "Z"] = TIME.exec(wordOf(value)) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
  return new Date(Number.isNaN(at) || at > now ? now : at).toISOString();
}

function readPing(value: unknown): number | null {
  const word = wordOf(value);
  if (word === "") return null;
  const ping = Math.round(Number(word));
  return ping >= 0 && ping <= MOST_PING ? ping : null;
}

/** Parses a heartbeat of the server; null if it is not an object. Masks credentials in its message and ignores `response`. */
export function readBeat(remoteId: number, raw: unknown, now: number): Beat | null {
  if (typeof raw !== "object" || raw === null) return null;
  const { status: given, time, ping, msg } = raw as Record<string, unknown>;
  const status = readStatus(given);
  const said = typeof msg === "string" ? redact(msg) : "";
  return {
    remoteId,
    status,
    code: CODES[status],
    at: readTime(time, now),
    pingMs: readPing(ping),
    message: said === "" ? null : said,
  };
}
