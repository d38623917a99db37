import { permissions, storedGrants, WILDCARD } from "../../../core/declare/permissions.ts";
import { readable } from "./account-sessions.ts";
import { type Html, html } from "./html.ts";
import { button, field, form } from "./layout.ts";
import type { Visit } from "./visit.ts";

interface Key {
  id: string;
  name: string;
  redacted: string;
  expires_at: string | null;
  revoked_at: string | null;
}

/** The scopes a key of this person can have: what the person holds, every permission for an owner. */
const scopesOf = (held: readonly string[]): readonly string[] => (held.includes(WILDCARD) ? [...storedGrants()] : held);

/** The visitor's API keys, a way to revoke each, and a form for a new one. */
export function keysSection({ t, locale }: Visit, body: unknown, me: unknown, said: Html): Html {
  const keys = (body as Key[]).filter(({ revoked_at: revoked }) => revoked === null);
  const scopes = scopesOf((me as { permissions?: string[] } | null)?.permissions ?? []);
  const rows = keys.map(
    ({ id, name, redacted, expires_at: expires }) => html`<div class="row"><p>${name}<br>
<span class="soft secret">${redacted}</span><br><span class="soft">${expires ? `${t.expires} ${readable(locale, expires)}` : t.never}</span></p>
${form("/account/keys/revoke#keys", { id }, button(t.revoke, true))}</div>`,
  );
  const choices = [...new Set(permissions().map(({ group }) => group))].flatMap((group) => {
    const inside = scopes.filter((scope) =>
      permissions().some((one) => one.group === group && one.key === scope.replace(/:(own|any)$/, "")),
    );
    if (inside.length === 0) return [];
    return html`<details><summary>${group} (${inside.length})</summary><div class="checks">${inside.map(
      (scope) => html`<label><input type="checkbox" name="scope" value="${scope}">${scope}</label>`,
    )}</div></details>`;
  });
  return html`<section aria-labelledby="keys"><h2 id="keys">${t.keys}</h2>${said}
${rows.length > 0 ? rows : html`<p>${t.noKeys}</p>`}
<hr>${form(
    "/account/keys/create#keys",
    {},
    html`${field({ name: "name", id: "key-name", label: t.keyName })}
${field({ name: "expires_on", id: "key-expires", label: t.keyExpires, type: "date", required: false })}
<details class="scopes"><summary>${t.keyScopes}</summary>${choices}</details>${button(t.createKey)}`,
  )}</section>`;
}
