import { randomUUID } from "node:crypto";
import { addDays, todayIn } from "../../../../core/calendar/calendar.ts";
import { DEFAULT_ZONE } from "../../../../core/config/defaults.ts";
import { button, field, form } from "../../../../core/pages/elements.ts";
import { type Html, html } from "../../../../core/pages/html.ts";
import { groupName, type ScopeGroup, scopeGroups, scopeName } from "../consent/scopes.ts";
import { lastDay, moment } from "../moments.ts";
import type { Visit } from "../visit.ts";
import type { SectionOutcome } from "./outcome.ts";

interface Key {
  id: string;
  name: string;
  redacted: string;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Longest validity of a key in days, today not counted: one year, including a leap year's extra day (access §6.2). */
const MOST_DAYS = 365;

/** The visitor's permissions, from `GET /meta/me`. */
export const heldBy = (me: unknown): readonly string[] => (me as { permissions?: string[] } | null)?.permissions ?? [];

function validity({ t, locale, zone }: Visit, end: string | null): Html | string {
  if (end === null) return t.never;
  const day = lastDay(locale, zone, end);
  return day === null ? html`${t.expires} ${moment(locale, zone, end)}` : `${t.validThrough} ${day}`;
}

/** One group of scopes: tick the whole group or single scopes. It starts open if anything in it is ticked. */
function choice({ t, locale, form: sent }: Visit, { group, scopes }: ScopeGroup): Html {
  const isTicked = (name: string, value: string) => sent.getAll(name).includes(value) && html` checked`;
  const box = (name: string, value: string, label: string) =>
    html`<label><input type="checkbox" name="${name}" value="${value}"${isTicked(name, value)}>${label}</label>`;
  const isOpen = isTicked("scope_group", group) || scopes.some((scope) => isTicked("scope", scope));
  return html`<details${isOpen && html` open`}><summary>${groupName(locale, group)} (${scopes.length})</summary><div class="checks">
<div class="whole">${box("scope_group", group, t.allOfThis)}</div>${scopes.map((scope) =>
    box("scope", scope, scopeName(locale, scope, { own: t.ownOnly, any: t.everybodys })),
  )}</div></details>`;
}

/** The visitor's API keys, each with a revoke button, and a form for a new key, which keeps its input after a refusal. */
export function keysSection(visit: Visit, body: unknown, me: unknown, { notice, wrong, isRefused }: SectionOutcome): Html {
  const { t, zone, form: sent } = visit;
  const keys = (body as Key[]).filter(({ revoked_at: revoked }) => revoked === null);
  const rows = keys.map(
    ({ id, name, redacted, expires_at: end }) => html`<div class="row"><p>${name}<br>
<span class="soft secret">${redacted}</span><br><span class="soft">${validity(visit, end)}</span></p>
${form("/account/keys/revoke#keys", { id }, button(t.revoke, true))}</div>`,
  );
  const typed = isRefused ? visit : { ...visit, form: new URLSearchParams() };
  const today = todayIn(zone, Date.now(), DEFAULT_ZONE);
  return html`<section aria-labelledby="keys"><h2 id="keys">${t.keys}</h2>${notice}
${rows.length > 0 ? rows : html`<p>${t.noKeys}</p>`}
<hr>${form(
    "/account/keys/create#keys",
    // Makes a resubmitted form, as after a reload, create only one key.
    { once: randomUUID() },
    html`${field({ name: "name", id: "key-name", label: t.keyName, value: isRefused ? sent.get("name") : null, invalid: wrong.has("name") })}
${field({ name: "expires_on", id: "key-expires", label: t.keyExpires, type: "date", required: false, value: isRefused ? sent.get("expires_on") : null, invalid: wrong.has("expires_at"), hint: `${t.dayEndsIn} ${zone}.`, min: today, max: addDays(today, MOST_DAYS) })}
<details class="scopes"${isRefused && html` open`}><summary>${t.keyScopes}</summary>${scopeGroups(heldBy(me)).map((group) => choice(typed, group))}</details>${button(t.createKey)}`,
  )}</section>`;
}
