import { runtime } from "../../../../core/config/runtime.ts";
import { keepsMail } from "../../../../core/mail/mail-sender.ts";
import { button, field, form, notice } from "../../../../core/pages/elements.ts";
import { type Html, html } from "../../../../core/pages/html.ts";
import { consentTexts } from "../consent/consent-texts.ts";
import { refusalOf } from "../layout.ts";
import { moment } from "../moments.ts";
import type { PageAnswer, Visit } from "../visit.ts";
import { keysSection } from "./keys.ts";
import { type FormOutcome, outcomeIn, type Section, type SectionOutcome } from "./outcome.ts";
import { asksForPassword, sessionsSection } from "./sessions.ts";

interface Connection {
  id: string;
  client_name: string;
  client_uri: string | null;
  created_at: string;
  last_used_at: string | null;
}

/** The applications that act for the visitor, each with a disconnect button. */
function appsSection({ locale, zone }: Visit, body: unknown, { notice }: SectionOutcome): Html {
  const words = consentTexts[locale];
  const rows = (body as Connection[]).map(
    ({
      id,
      client_name: name,
      client_uri: uri,
      created_at: since,
      last_used_at: used,
    }) => html`<div class="row"><p><bdi>${name}</bdi><br>
<span class="soft">${uri && html`<bdi>${uri}</bdi> · `}${words.since} ${moment(locale, zone, since)} · ${used ? html`${words.lastUsed} ${moment(locale, zone, used)}` : words.neverUsed}</span></p>
${form("/account/apps/disconnect#apps", { id }, button(words.disconnect, true))}</div>`,
  );
  return html`<section aria-labelledby="apps"><h2 id="apps">${words.apps}</h2>${notice}
${rows.length > 0 ? rows : html`<p>${words.noApps}</p>`}</section>`;
}

interface User {
  email: string;
  full_name: string | null;
  is_superuser: boolean;
}
interface Factor {
  enabled: boolean;
  backup_codes_remaining: number;
}

/** The redirect for visitors without a session. */
export const SIGN_IN: PageAnswer = { location: "/login?next=/account" };

/** `GET /account`, and the answer to each of its forms. */
export async function showAccount(
  visit: Visit,
  outcome?: FormOutcome,
  status = 200,
  cookies?: readonly string[],
): Promise<PageAnswer> {
  const [me, factor, sessions, keys, apps, meta] = await Promise.all([
    visit.call("GET", "/users/me"),
    visit.call("GET", "/auth/2fa"),
    visit.call("GET", "/auth/sessions"),
    visit.call("GET", "/api-keys"),
    visit.call("GET", "/oauth/connections"),
    visit.call("GET", "/meta/me"),
  ]);
  if (me.status === 401) return SIGN_IN;
  const { t } = visit;
  if (me.error)
    return {
      status: me.status,
      title: t.failed,
      body: html`<section><h1>${t.failed}</h1>${notice(refusalOf(visit, me), true)}</section>`,
    };
  const user = me.body as User;
  const said = (section: Section) => outcomeIn(section, outcome);
  const body = html`<h1>${t.account}</h1>
${profileSection(visit, user, said("profile"))}
${passwordSection(visit, said("password"), asksForPassword(sessions.body))}
${emailSection(visit, user, said("email"))}
${factor.error ? null : factorSection(visit, factor.body as Factor, said("factor"), outcome?.section === "factor" && outcome.extra !== undefined)}
${sessions.error ? null : sessionsSection(visit, sessions.body, said("sessions").notice)}
${keys.error ? null : keysSection(visit, keys.body, meta.body, said("keys"))}
${apps.error ? null : appsSection(visit, apps.body, said("apps"))}
${linksSection(visit, user, meta.body)}
${form("/logout", {}, button(t.signOut, true))}`;
  return { status, title: t.account, body, wide: true, ...(cookies && { cookies }) };
}

function profileSection({ t, form: sent }: Visit, user: User, { notice: message, isRefused, wrong }: SectionOutcome): Html {
  const value = isRefused ? sent.get("full_name") : user.full_name;
  return html`<section aria-labelledby="profile"><h2 id="profile">${t.profile}</h2>${message}
${form("/account/name#profile", {}, html`${field({ name: "full_name", label: t.name, value, autocomplete: "name", required: false, invalid: wrong.has("full_name") })}${button(t.save)}`)}</section>`;
}

function passwordSection({ t }: Visit, { notice: message, isRefused, wrong }: SectionOutcome, asksForCurrent: boolean): Html {
  const isCurrentWrong = wrong.has("current_password");
  const current = field({
    name: "current_password",
    id: "current-password",
    label: t.currentPassword,
    type: "password",
    autocomplete: "current-password",
    invalid: isCurrentWrong,
  });
  const next = field({
    name: "password",
    id: "new-password",
    label: t.newPassword,
    type: "password",
    autocomplete: "new-password",
    hint: t.passwordRule,
    invalid: isRefused && !isCurrentWrong,
  });
  return html`<section aria-labelledby="password-title"><h2 id="password-title">${t.changePassword}</h2>${message}
${form("/account/password#password-title", {}, html`${(asksForCurrent || isCurrentWrong) && current}${next}${button(t.save)}`)}</section>`;
}

function emailSection({ t, form: sent }: Visit, { email }: User, { notice: message, isRefused, wrong }: SectionOutcome): Html {
  const typed = isRefused ? sent.get("email") : null;
  return html`<section aria-labelledby="email-title"><h2 id="email-title">${t.changeEmail}</h2>${message}<p>${email}</p>
${form(
  "/account/email#email-title",
  {},
  html`${field({ name: "email", label: t.newEmail, type: "email", autocomplete: "email", value: typed, invalid: wrong.has("email") })}
${field({ name: "password", id: "email-password", label: t.password, type: "password", autocomplete: "current-password", invalid: isRefused && !wrong.has("email") })}${button(t.save)}`,
)}</section>`;
}

function factorSection(
  { t }: Visit,
  { enabled, backup_codes_remaining: left }: Factor,
  { notice: message }: SectionOutcome,
  isEnrolling: boolean,
): Html {
  const off = form("/account/two-factor/setup#factor", {}, button(t.enable));
  const on = html`${form(
    "/account/two-factor/codes#factor",
    {},
    html`${field({ name: "code", id: "codes-code", label: t.firstCode, autocomplete: "one-time-code", inputmode: "numeric" })}${button(t.newCodes)}`,
  )}<hr>${form(
    "/account/two-factor/disable#factor",
    {},
    html`${field({ name: "password", id: "disable-password", label: t.password, type: "password", autocomplete: "current-password" })}${button(t.disable, true)}`,
  )}`;
  return html`<section aria-labelledby="factor"><h2 id="factor">${t.twoFactor}</h2>${message}
${(enabled || !isEnrolling) && html`<p>${enabled ? `${t.twoFactorOn} ${left} ${t.codesLeft}.` : t.twoFactorOff}</p>${enabled ? on : off}`}</section>`;
}

/** Links to the API reference if the visitor may read it, and for instance administrators to operations and kept mail. */
function linksSection({ t }: Visit, { is_superuser: isAdministrator }: User, me: unknown): Html {
  const { apiDocsEnabled, apiDocsAccess } = runtime().config;
  const isClient = (me as { is_portal?: boolean } | null)?.is_portal === true;
  const links = [
    apiDocsEnabled && (apiDocsAccess === "public" || !isClient) && { href: "/api/docs", text: t.apiReference },
    isAdministrator && { href: "/ops", text: t.operations },
    isAdministrator && keepsMail() && { href: "/ops/mail", text: t.keptMail },
  ].filter((link) => link !== false);
  if (links.length === 0) return html``;
  return html`<section aria-labelledby="more"><h2 id="more">${t.more}</h2><ul class="links">${links.map(
    ({ href, text }) => html`<li><a href="${href}">${text}</a></li>`,
  )}</ul></section>`;
}
