import { createHmac, timingSafeEqual } from "node:crypto";
import { runtime } from "../../../core/config/runtime.ts";
import { enqueue } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { deriveKey } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { EventRule } from "../models.ts";
import { MATRIX_EVENTS } from "../preferences/event-kinds.ts";

/** What an unsubscribe link switches off: one event by name, or all notification mail (null). */
export interface Unsubscription {
  accountId: string;
  event: string | null;
}

const ALL = "all";

const signature = (organisationId: string, text: string): Buffer =>
  createHmac("sha256", deriveKey(runtime().secret, "links that end mail")).update(`${organisationId} ${text}`).digest();

/** The token of a link: anyone can read it, but only this installation can issue it for this organisation. */
export function unsubscribeToken(organisationId: string, { accountId, event }: Unsubscription): string {
  const text = Buffer.from(`${accountId} ${event ?? ALL}`).toString("base64url");
  return `${text}.${signature(organisationId, text).toString("base64url")}`;
}

/** The path of the unsubscribe link in a mail about these events: for their event if it is one, else for all. */
export function unsubscribePath(organisationId: string, accountId: string, events: readonly { event_type: string }[]): string {
  const [name, ...others] = new Set(events.map(({ event_type }) => event_type));
  const event = others.length === 0 && name !== undefined && MATRIX_EVENTS.includes(name) ? name : null;
  return `/notifications/unsubscribe/${unsubscribeToken(organisationId, { accountId, event })}`;
}

/** The content of a token; null if this installation did not issue it for this organisation. */
export function readToken(organisationId: string, token: string): Unsubscription | null {
  const [text = "", sign = ""] = token.split(".");
  const [given, wanted] = [Buffer.from(sign, "base64url"), signature(organisationId, text)];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
  const [accountId = "", event = ""] = Buffer.from(text, "base64url").toString().split(" ");
  return { accountId, event: event === ALL ? null : event };
}

const OFF: EventRule = { enabled: false, delay_minutes: 0, digest: "immediate" };
// A person's own rule overrides the organisation's, so each event is switched off by name.
const SWITCH_OFF = statement(`insert into notification_preferences as p (organisation_id, account_id, email_events)
  select $1, m.account_id, $3::jsonb from memberships m where m.organisation_id = $1 and m.account_id = $2
  on conflict on constraint notification_preferences_scope_key do update set email_events = p.email_events || excluded.email_events,
    version = p.version + 1, updated_at = statement_timestamp()`);

/** Ends a person's mail about one event, or about all, in the running write. */
export function unsubscribe({ accountId, event }: Unsubscription): void {
  const events = event === null ? MATRIX_EVENTS : [event];
  const rules = Object.fromEntries(events.map((name) => [name, OFF]));
  enqueue(SWITCH_OFF, [request().organisation.id, accountId, JSON.stringify(rules)]);
}
