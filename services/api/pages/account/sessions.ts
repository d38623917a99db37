import { button, form } from "../../../../core/pages/elements.ts";
import { type Html, html } from "../../../../core/pages/html.ts";
import { moment } from "../moments.ts";
import type { Visit } from "../visit.ts";
import { deviceOf } from "./devices.ts";

interface Session {
  id: string;
  created_at: string;
  last_used_at: string;
  address: string | null;
  user_agent: string | null;
  current: boolean;
}

/** How long after sign-in the page changes the password without the current one, in milliseconds (access §3). */
const FRESH = 10 * 60_000;

/** Whether the visitor's session is older than that; true if the list of sessions could not be read. */
export function asksForPassword(body: unknown): boolean {
  const own = Array.isArray(body) ? (body as Session[]).find(({ current }) => current) : undefined;
  return own === undefined || Date.now() - Date.parse(own.created_at) >= FRESH;
}

/** The visitor's sessions; every other one has a button to end it. */
export function sessionsSection({ t, locale, zone }: Visit, body: unknown, said: Html): Html {
  const rows = (body as Session[]).map(
    ({
      id,
      user_agent: agent,
      address,
      last_used_at: used,
      current,
    }) => html`<div class="row"><p>${deviceOf(agent, { on: t.on, unknown: t.unknownDevice })}<br>
<span class="soft">${address ?? ""} · ${current ? t.thisDevice : html`${t.lastUsed} ${moment(locale, zone, used)}`}</span></p>
${!current && form("/account/sessions/end#sessions", { id }, button(t.end, true))}</div>`,
  );
  return html`<section aria-labelledby="sessions"><h2 id="sessions">${t.sessions}</h2>${said}${rows}</section>`;
}
