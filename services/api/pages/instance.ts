import { ownPath } from "../../../core/http/own-path.ts";
import { button, field, form, notice } from "../../../core/pages/elements.ts";
import { html } from "../../../core/pages/html.ts";
import { refusalOf } from "./layout.ts";
import type { Page, PageAnswer, Visit } from "./visit.ts";

/** Where a sign-in leads, unless the visitor came from elsewhere on this host. */
const HOME = "/ops";

const after = ({ query, form: sent }: Visit): string => ownPath(sent.get("next") ?? query.get("next"), HOME);

/** The form for address and password, with the previous error. */
function signInPage(visit: Visit, status = 200, wrong: string | null = null): PageAnswer {
  const { t, form: sent } = visit;
  const body = html`<section><h1>${t.signIn}</h1>
${notice(wrong, true)}
${form(
  "/login",
  { next: after(visit) },
  html`${field({ name: "email", label: t.email, type: "email", autocomplete: "username", value: sent.get("email"), autofocus: true, invalid: wrong !== null })}
${field({ name: "password", label: t.password, type: "password", autocomplete: "current-password", invalid: wrong !== null })}
${button(t.signIn)}`,
)}</section>`;
  return { status, title: t.signIn, body };
}

/** The form for the code, which also enrols the app and asks for another password where that is due. */
function codePage(visit: Visit, carried: Record<string, string>, status = 200, wrong: string | null = null): PageAnswer {
  const { t } = visit;
  const { secret = "", new_password_required: required } = carried;
  const body = html`<section><h1>${t.secondStep}</h1>
${notice(wrong, true)}
${secret !== "" && html`<p>${t.enterKey}</p><p>${t.secretKey}: <span class="secret">${secret}</span></p>`}
${form(
  "/login/code",
  { ...carried, next: after(visit) },
  html`${field({ name: "code", label: t.appCode, autocomplete: "one-time-code", inputmode: "numeric", autofocus: true, invalid: wrong !== null })}
${
  required === "yes" &&
  html`${field({ name: "new_password", label: t.newPassword, type: "password", autocomplete: "new-password", invalid: wrong !== null })}
<p>${t.passwordRule}</p>`
}
${button(t.confirm)}`,
)}</section>`;
  return { status, title: t.secondStep, body };
}

async function signIn(visit: Visit): Promise<PageAnswer> {
  const { form: sent } = visit;
  const credentials = { email: sent.get("email") ?? "", password: sent.get("password") ?? "" };
  const reply = await visit.call("POST", "/instance/auth/login", credentials);
  if (reply.error) return signInPage(visit, reply.status, refusalOf(visit, reply));
  const begun = reply.body as {
    challenge_token: string;
    new_password_required: boolean;
    enrolment: { secret: string } | null;
  };
  return codePage(visit, {
    challenge_token: begun.challenge_token,
    secret: begun.enrolment?.secret ?? "",
    new_password_required: begun.new_password_required ? "yes" : "",
  });
}

async function finishSignIn(visit: Visit): Promise<PageAnswer> {
  const { form: sent } = visit;
  const carried = Object.fromEntries(
    ["challenge_token", "secret", "new_password_required"].map((name) => [name, sent.get(name) ?? ""]),
  );
  const password = sent.get("new_password") ?? "";
  const reply = await visit.call("POST", "/instance/auth/verify", {
    challenge_token: carried["challenge_token"] ?? "",
    code: sent.get("code")?.trim() ?? "",
    ...(password !== "" && { new_password: password }),
  });
  if (!reply.error) return { location: after(visit), cookies: reply.cookies };
  const wrong = refusalOf(visit, reply);
  return reply.status === 401 ? signInPage(visit, 401, wrong) : codePage(visit, carried, reply.status, wrong);
}

async function signOut(visit: Visit): Promise<PageAnswer> {
  const { cookies } = await visit.call("POST", "/instance/auth/logout");
  return { location: "/login", cookies };
}

/** The pages on the host of the instance administrators, by method and path: their sign-in, for what the host serves to browsers. */
export const instancePages: Readonly<Record<string, Page>> = {
  "GET /login": (visit) => signInPage(visit),
  "POST /login": signIn,
  "POST /login/code": finishSignIn,
  "POST /logout": signOut,
};
