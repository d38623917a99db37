import { ownPath } from "../../../core/http/own-path.ts";
import { button, field, form, notice } from "../../../core/pages/elements.ts";
import { type Html, html } from "../../../core/pages/html.ts";
import { refusalOf } from "./layout.ts";
import { refusalText } from "./texts.ts";
import type { PageAnswer, Visit } from "./visit.ts";

type Method = "totp" | "backup" | "sms";

const HOME = "/account";

const after = ({ query, form: sent }: Visit): string => ownPath(sent.get("next") ?? query.get("next"), HOME);

/** The sign-in methods of an organisation. */
interface Ways {
  /** Whether password sign-in is on. */
  password: boolean;
  /** The name of its identity provider, for the button; null without one. */
  provider: string | null;
}

/** Loads the methods from the API. On an error it still shows the form, whose submission then explains the refusal. */
async function waysIn(visit: Visit): Promise<Ways> {
  const { error, body } = await visit.call("GET", "/meta/modules");
  if (error) return { password: true, provider: null };
  const { local_login_enabled: password, oidc_name: provider } = body as {
    local_login_enabled: boolean;
    oidc_name: string | null;
  };
  return { password, provider };
}

/** Links to the organisation's identity provider. A form would not work: browsers apply `form-action` to the redirect after it. */
const providerLink = (visit: Visit, name: string, isOnly: boolean): Html =>
  html`<p><a class="${isOnly ? "button" : "button plain"}" href="/api/v1/auth/oidc/login?${new URLSearchParams({ next: after(visit) }).toString()}">${visit.t.signInWith} ${name}</a></p>`;

/** The sign-in form, with the previous error. */
async function signInPage(visit: Visit, status = 200, wrong: string | null = null): Promise<PageAnswer> {
  const { t, form: sent } = visit;
  const { password, provider } = await waysIn(visit);
  const body = html`<section><h1>${t.signIn}</h1>
${notice(wrong, true)}
${
  password &&
  form(
    "/login",
    { next: after(visit) },
    html`${field({ name: "username", label: t.email, type: "email", autocomplete: "username", value: sent.get("username"), autofocus: true, invalid: wrong !== null })}
${field({ name: "password", label: t.password, type: "password", autocomplete: "current-password", invalid: wrong !== null })}
${button(t.signIn)}`,
  )
}
${provider !== null && providerLink(visit, provider, !password)}</section>
${password && html`<p><a href="/forgot-password">${t.forgotLink}</a></p>`}`;
  return { status, title: t.signIn, body };
}

/** `GET /login` */
export function showSignIn(visit: Visit): Promise<PageAnswer> {
  const why = visit.query.get("error");
  return signInPage(visit, 200, why === null ? null : refusalText(visit.locale, why));
}

/** `POST /login` */
export async function signIn(visit: Visit): Promise<PageAnswer> {
  const { form: sent } = visit;
  const credentials = new URLSearchParams({ username: sent.get("username") ?? "", password: sent.get("password") ?? "" });
  const reply = await visit.call("POST", "/auth/login", credentials);
  if (reply.error) return signInPage(visit, reply.status, refusalOf(visit, reply));
  const { challenge_token: token, methods } = (reply.body ?? {}) as { challenge_token?: string; methods?: Method[] };
  if (token) return codePage(visit, { token, methods: methods ?? [], method: "totp" });
  return { location: after(visit), cookies: reply.cookies };
}

interface Challenge {
  token: string;
  methods: readonly Method[];
  method: Method;
  /** The masked phone number of the text message. */
  sentTo?: string;
}

/** The form for a code, with buttons for the other methods. */
function codePage(
  visit: Visit,
  { token, methods, method, sentTo }: Challenge,
  status = 200,
  wrong: string | null = null,
): PageAnswer {
  const { t } = visit;
  const labels = { totp: t.appCode, backup: t.backupCode, sms: t.smsCode };
  const others = { totp: t.useApp, backup: t.useBackup, sms: t.useSms };
  const carried = { challenge_token: token, methods: methods.join(","), next: after(visit) };
  const numeric = method === "backup" ? {} : { inputmode: "numeric" };
  const body = html`<section><h1>${t.secondStep}</h1>
${notice(wrong, true)}
${notice(sentTo && `${t.smsSentTo} ${sentTo}.`)}
${form(
  "/login/code",
  { ...carried, method },
  html`${field({ name: "code", label: labels[method], autocomplete: "one-time-code", autofocus: true, invalid: wrong !== null, ...numeric })}
${button(t.confirm)}`,
)}</section>
${methods
  .filter((other) => other !== method)
  .map((other) => form("/login/method", { ...carried, method: other }, button(others[other], true)))}`;
  return { status, title: t.secondStep, body };
}

function challengeIn({ form: sent }: Visit): Challenge {
  const known: readonly Method[] = ["totp", "backup", "sms"];
  const methods = known.filter((method) => (sent.get("methods") ?? "").split(",").includes(method));
  const method = known.find((one) => one === sent.get("method")) ?? "totp";
  return { token: sent.get("challenge_token") ?? "", methods, method };
}

/** `POST /login/code` */
export async function finishSignIn(visit: Visit): Promise<PageAnswer> {
  const challenge = challengeIn(visit);
  const { token, method } = challenge;
  const code = visit.form.get("code")?.trim() ?? "";
  const reply = await visit.call("POST", "/auth/2fa/verify", { challenge_token: token, code, method });
  if (!reply.error) return { location: after(visit), cookies: reply.cookies };
  const wrong = refusalOf(visit, reply);
  return reply.status === 401 ? signInPage(visit, 401, wrong) : codePage(visit, challenge, reply.status, wrong);
}

/** `POST /login/method`: switches to another kind of code; sends a text message first if that is the method. */
export async function chooseMethod(visit: Visit): Promise<PageAnswer> {
  const challenge = challengeIn(visit);
  if (challenge.method !== "sms") return codePage(visit, challenge);
  const reply = await visit.call("POST", "/auth/2fa/challenge/sms", { challenge_token: challenge.token });
  if (reply.status === 401) return signInPage(visit, 401, refusalOf(visit, reply));
  if (reply.error) return codePage(visit, { ...challenge, method: "totp" }, reply.status, refusalOf(visit, reply));
  return codePage(visit, { ...challenge, sentTo: (reply.body as { phone_masked: string }).phone_masked });
}

/** `POST /logout` */
export async function signOut(visit: Visit): Promise<PageAnswer> {
  const { cookies } = await visit.call("POST", "/auth/logout");
  return { location: "/login", cookies, forgets: true };
}
