import { type Enrolment, enrolment } from "./account-enrolment.ts";
import { keysSection } from "./account-keys.ts";
import { sessionsSection } from "./account-sessions.ts";
import { type Html, html } from "./html.ts";
import type { Reply } from "./inner.ts";
import { button, field, form, notice, refusalOf } from "./layout.ts";
import type { PageAnswer, Visit } from "./visit.ts";

interface User {
  email: string;
  full_name: string | null;
}
interface Factor {
  enabled: boolean;
  backup_codes_remaining: number;
}

/** What is shown once after something was done: at which section, and how it went. */
export interface Told {
  section: "profile" | "password" | "email" | "sessions" | "factor" | "keys";
  text: string | null;
  bad?: boolean;
  /** Shown once: an enrolment, backup codes, or a new key. */
  extra?: Html;
}

/** Where a visitor without a session is sent. */
const SIGN_IN: PageAnswer = { location: "/login?next=/account" };

/** `GET /account`, and every answer to its forms. */
export async function showAccount(visit: Visit, told?: Told, status = 200, cookies?: readonly string[]): Promise<PageAnswer> {
  const [me, factor, sessions, keys, permissions] = await Promise.all([
    visit.call("GET", "/users/me"),
    visit.call("GET", "/auth/2fa"),
    visit.call("GET", "/auth/sessions"),
    visit.call("GET", "/api-keys"),
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
  const said = (section: Told["section"]) =>
    told?.section === section ? html`${notice(told.text, told.bad)}${told.extra}` : html``;
  const body = html`<h1>${t.account}</h1>
<section aria-labelledby="profile"><h2 id="profile">${t.profile}</h2>${said("profile")}
${form("/account/name#profile", {}, html`${field({ name: "full_name", label: t.name, value: user.full_name, autocomplete: "name", required: false })}${button(t.save)}`)}</section>
<section aria-labelledby="password-title"><h2 id="password-title">${t.changePassword}</h2>${said("password")}
${form("/account/password#password-title", {}, html`${field({ name: "password", id: "new-password", label: t.newPassword, type: "password", autocomplete: "new-password", hint: t.passwordRule })}${button(t.save)}`)}</section>
<section aria-labelledby="email-title"><h2 id="email-title">${t.changeEmail}</h2>${said("email")}<p>${user.email}</p>
${form(
  "/account/email#email-title",
  {},
  html`${field({ name: "email", label: t.newEmail, type: "email", autocomplete: "email" })}
${field({ name: "password", id: "email-password", label: t.password, type: "password", autocomplete: "current-password" })}${button(t.save)}`,
)}</section>
${factor.error ? null : factorSection(visit, factor.body as Factor, said("factor"), told?.section === "factor" && told.extra !== undefined)}
${sessions.error ? null : sessionsSection(visit, sessions.body, said("sessions"))}
${keys.error ? null : keysSection(visit, keys.body, permissions.body, said("keys"))}
${form("/logout", {}, button(t.signOut, true))}`;
  return { status, title: t.account, body, wide: true, ...(cookies && { cookies }) };
}

function factorSection({ t }: Visit, { enabled, backup_codes_remaining: left }: Factor, said: Html, isEnrolling: boolean): Html {
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
  return html`<section aria-labelledby="factor"><h2 id="factor">${t.twoFactor}</h2>${said}
${(enabled || !isEnrolling) && html`<p>${enabled ? `${t.twoFactorOn} ${left} ${t.codesLeft}.` : t.twoFactorOff}</p>${enabled ? on : off}`}</section>`;
}

/** Does one thing through the API and shows the page again with how it went. */
async function done(
  visit: Visit,
  section: Told["section"],
  reply: Reply,
  text: string,
  extra?: (body: unknown) => Html,
): Promise<PageAnswer> {
  if (reply.status === 401) return SIGN_IN;
  if (reply.error) return showAccount(visit, { section, text: refusalOf(visit, reply), bad: true }, reply.status);
  return showAccount(visit, { section, text, ...(extra && { extra: extra(reply.body) }) }, 200, reply.cookies);
}

const sent = ({ form: fields }: Visit, name: string): string => fields.get(name) ?? "";
const codesList = ({ t }: Visit, body: unknown): Html =>
  html`<p>${t.keepCodes}</p><ul class="codes">${(body as { backup_codes: string[] }).backup_codes.map((code) => html`<li>${code}</li>`)}</ul>`;

/** `POST /account/name` */
export const rename = async (visit: Visit): Promise<PageAnswer> =>
  done(
    visit,
    "profile",
    await visit.call("PATCH", "/users/me", { full_name: sent(visit, "full_name").trim() || null }),
    visit.t.saved,
  );

/** `POST /account/password` */
export const changePassword = async (visit: Visit): Promise<PageAnswer> =>
  done(visit, "password", await visit.call("PATCH", "/users/me", { password: sent(visit, "password") }), visit.t.passwordChanged);

/** `POST /account/email` */
export const changeEmail = async (visit: Visit): Promise<PageAnswer> => {
  const body = { email: sent(visit, "email"), password: sent(visit, "password") };
  return done(visit, "email", await visit.call("POST", "/users/me/email", body), visit.t.emailChanged);
};

/** `POST /account/sessions/end` */
export const endSession = async (visit: Visit): Promise<PageAnswer> =>
  done(visit, "sessions", await visit.call("DELETE", `/auth/sessions/${encodeURIComponent(sent(visit, "id"))}`), visit.t.ended);

/** `POST /account/two-factor/setup` */
export const setUpFactor = async (visit: Visit): Promise<PageAnswer> => {
  const reply = await visit.call("POST", "/auth/2fa/setup");
  if (reply.error) return done(visit, "factor", reply, "");
  return showAccount(visit, { section: "factor", text: null, extra: await enrolment(visit, reply.body as Enrolment) });
};

/** The longest address of an enrolment in characters; a picture holds little more. */
const MOST_ADDRESS = 2_000;

/** `POST /account/two-factor/confirm`: after a wrong code the same picture stays, so that nobody has to scan another one. */
export const confirmFactor = async (visit: Visit): Promise<PageAnswer> => {
  const reply = await visit.call("POST", "/auth/2fa/confirm", { code: sent(visit, "code") });
  if (reply.error?.code !== "two_factor_code_invalid")
    return done(visit, "factor", reply, visit.t.enabledNow, (body) => codesList(visit, body));
  const address = sent(visit, "otpauth_url");
  if (!address.startsWith("otpauth://") || address.length > MOST_ADDRESS) return done(visit, "factor", reply, "");
  const extra = await enrolment(visit, { otpauth_url: address, secret: sent(visit, "secret") });
  return showAccount(visit, { section: "factor", text: refusalOf(visit, reply), bad: true, extra }, reply.status);
};

/** `POST /account/two-factor/codes` */
export const renewCodes = async (visit: Visit): Promise<PageAnswer> =>
  done(
    visit,
    "factor",
    await visit.call("POST", "/auth/2fa/backup-codes", { code: sent(visit, "code") }),
    visit.t.saved,
    (body) => codesList(visit, body),
  );

/** `POST /account/two-factor/disable` */
export const disableFactor = async (visit: Visit): Promise<PageAnswer> =>
  done(visit, "factor", await visit.call("POST", "/auth/2fa/disable", { password: sent(visit, "password") }), visit.t.disabled);

/** `POST /account/keys/create` */
export const createKey = async (visit: Visit): Promise<PageAnswer> => {
  const until = sent(visit, "expires_on");
  const body = {
    name: sent(visit, "name"),
    scopes: visit.form.getAll("scope"),
    // Valid up to and including that day, wherever the day ends last.
    ...(until && { expires_at: `${until}T23:59:59Z` }),
  };
  const reply = await visit.call("POST", "/api-keys", body);
  return done(
    visit,
    "keys",
    reply,
    visit.t.keyMade,
    (made) => html`<p class="secret">${(made as { secret: string }).secret}</p>`,
  );
};

/** `POST /account/keys/revoke` */
export const revokeKey = async (visit: Visit): Promise<PageAnswer> =>
  done(visit, "keys", await visit.call("POST", `/api-keys/${encodeURIComponent(sent(visit, "id"))}/revoke`), visit.t.revoked);
