import { addDaysWithin, isDate, midnight } from "../../../../core/calendar/calendar.ts";
import { button, field, form } from "../../../../core/pages/elements.ts";
import { Html, html } from "../../../../core/pages/html.ts";
import { consentTexts } from "../consent/consent-texts.ts";
import { chosenScopes, scopeGroups } from "../consent/scopes.ts";
import type { Reply } from "../inner.ts";
import type { PageAnswer, Visit } from "../visit.ts";
import { SIGN_IN, showAccount } from "./account.ts";
import { heldBy } from "./keys.ts";
import { refusedOutcome, type Section } from "./outcome.ts";

/** A second factor awaiting its first code. */
interface Enrolment {
  otpauth_url: string;
  secret: string;
}

/** The QR code, the key to type instead, and the form for the first code. */
async function enrolment({ t }: Visit, { otpauth_url: address, secret }: Enrolment): Promise<Html> {
  const { toString: qrCode } = await import("qrcode");
  const picture = new Html(await qrCode(address, { type: "svg", margin: 2 }));
  return html`<p>${t.scan}</p><div class="qr" role="img" aria-label="${t.scan}">${picture}</div>
<p>${t.secretKey}: <span class="secret">${secret}</span></p>
${form(
  "/account/two-factor/confirm#factor",
  { otpauth_url: address, secret },
  html`${field({ name: "code", id: "first-code", label: t.firstCode, autocomplete: "one-time-code", inputmode: "numeric", autofocus: true })}
${button(t.confirm)}`,
)}`;
}

/** Shows the account page with the outcome of an API call. */
async function done(
  visit: Visit,
  section: Section,
  reply: Reply,
  text: string,
  extra?: (body: unknown) => Html,
): Promise<PageAnswer> {
  if (reply.status === 401) return SIGN_IN;
  if (reply.error) return showAccount(visit, refusedOutcome(section, visit, reply), reply.status);
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
export const changePassword = async (visit: Visit): Promise<PageAnswer> => {
  const body = { password: sent(visit, "password"), current_password: sent(visit, "current_password") || null };
  const reply = await visit.call("PATCH", "/users/me", body);
  if (reply.error?.code !== "password_incorrect") return done(visit, "password", reply, visit.t.passwordChanged);
  const refused = { ...refusedOutcome("password", visit, reply), refused: new Set(["current_password"]) };
  return showAccount(visit, refused, reply.status);
};

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

/** Longest enrolment address in characters; a QR code holds little more. */
const MOST_ADDRESS = 2_000;

/** `POST /account/two-factor/confirm`: after a wrong code it shows the same QR code, so that nobody has to scan again. */
export const confirmFactor = async (visit: Visit): Promise<PageAnswer> => {
  const reply = await visit.call("POST", "/auth/2fa/confirm", { code: sent(visit, "code") });
  if (reply.error?.code !== "two_factor_code_invalid")
    return done(visit, "factor", reply, visit.t.enabledNow, (body) => codesList(visit, body));
  const address = sent(visit, "otpauth_url");
  if (!address.startsWith("otpauth://") || address.length > MOST_ADDRESS) return done(visit, "factor", reply, "");
  const extra = await enrolment(visit, { otpauth_url: address, secret: sent(visit, "secret") });
  return showAccount(visit, { ...refusedOutcome("factor", visit, reply), extra }, reply.status);
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

/** `POST /account/keys/create`: resubmitting the form creates no second key, because the key's value is shown only once. */
export const createKey = async (visit: Visit): Promise<PageAnswer> => {
  const { form: fields, zone } = visit;
  const until = sent(visit, "expires_on");
  const offered = scopeGroups(heldBy((await visit.call("GET", "/meta/me")).body));
  const body = {
    name: sent(visit, "name"),
    scopes: chosenScopes(offered, fields.getAll("scope"), fields.getAll("scope_group")),
    // The key is valid through that day, in the organisation's zone. The API rejects an invalid date.
    ...(until && { expires_at: isDate(until) ? midnight(addDaysWithin(until, 1), zone) : until }),
  };
  const reply = await visit.call("POST", "/api-keys", body, sent(visit, "once") || undefined);
  const isRepeat = reply.error?.code === "idempotency_conflict" && reply.error.details["id"] !== undefined;
  if (isRepeat) return showAccount(visit, { section: "keys", text: visit.t.keyMadeBefore }, reply.status);
  return done(
    visit,
    "keys",
    reply,
    visit.t.keyMade,
    (made) => html`<p class="secret">${(made as { secret: string }).secret}</p>`,
  );
};

/** `POST /account/apps/disconnect` */
export const disconnectApp = async (visit: Visit): Promise<PageAnswer> =>
  done(
    visit,
    "apps",
    await visit.call("DELETE", `/oauth/connections/${encodeURIComponent(sent(visit, "id"))}`),
    consentTexts[visit.locale].disconnected,
  );

/** `POST /account/keys/revoke` */
export const revokeKey = async (visit: Visit): Promise<PageAnswer> =>
  done(visit, "keys", await visit.call("POST", `/api-keys/${encodeURIComponent(sent(visit, "id"))}/revoke`), visit.t.revoked);
