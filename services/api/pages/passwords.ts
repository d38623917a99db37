import { button, field, form, notice } from "../../../core/pages/elements.ts";
import { html } from "../../../core/pages/html.ts";
import { refusalOf } from "./layout.ts";
import type { PageAnswer, Visit } from "./visit.ts";

/** A page with one message and a link back to sign-in. */
const messagePage = ({ t }: Visit, title: string, text: string, bad = false, status = 200): PageAnswer => ({
  status,
  title,
  body: html`<section><h1>${title}</h1>${notice(text, bad)}<p><a href="/login">${t.back}</a></p></section>`,
});

/** `GET /forgot-password` */
export function showForgot(visit: Visit, status = 200, wrong: string | null = null): PageAnswer {
  const { t } = visit;
  const body = html`<section><h1>${t.forgot}</h1><p>${t.forgotText}</p>
${notice(wrong, true)}
${form(
  "/forgot-password",
  {},
  html`${field({ name: "email", label: t.email, type: "email", autocomplete: "username", value: visit.form.get("email"), autofocus: true, invalid: wrong !== null })}
${button(t.send)}`,
)}</section>
<p><a href="/login">${t.back}</a></p>`;
  return { status, title: t.forgot, body };
}

/** `POST /forgot-password` */
export async function forgot(visit: Visit): Promise<PageAnswer> {
  const reply = await visit.call("POST", "/auth/forgot-password", { email: visit.form.get("email") ?? "" });
  if (reply.error) return showForgot(visit, reply.status, refusalOf(visit, reply));
  return messagePage(visit, visit.t.forgot, visit.t.forgotSent);
}

/** `GET /reset-password` and `GET /accept-invite`: the same form; new members also see a welcome. */
export function showNewPassword(visit: Visit, status = 200, wrong: string | null = null): PageAnswer {
  const { t, path } = visit;
  const isInvite = path === "/accept-invite";
  const title = isInvite ? t.invite : t.reset;
  const token = visit.form.get("token") ?? visit.query.get("token") ?? "";
  const body = html`<section><h1>${title}</h1>${isInvite && html`<p>${t.inviteText}</p>`}
${notice(wrong, true)}
${form(
  path,
  { token },
  html`${field({ name: "password", label: t.newPassword, type: "password", autocomplete: "new-password", hint: t.passwordRule, autofocus: true, invalid: wrong !== null })}
${button(t.save)}`,
)}</section>`;
  return { status, title, body };
}

/** `POST /reset-password` and `POST /accept-invite` */
export async function newPassword(visit: Visit): Promise<PageAnswer> {
  const { t, form: sent } = visit;
  const reply = await visit.call("POST", "/auth/reset-password", {
    token: sent.get("token") ?? "",
    password: sent.get("password") ?? "",
  });
  if (!reply.error) return messagePage(visit, t.signIn, t.resetDone);
  const wrong = refusalOf(visit, reply) as string;
  if (reply.error.code === "reset_password_bad_token") return messagePage(visit, t.failed, wrong, true, reply.status);
  return showNewPassword(visit, reply.status, wrong);
}

/** `GET /verify`: shows a button, so that a mail scanner opening the link does not use it up. */
export function showVerify({ t, query }: Visit): PageAnswer {
  const body = html`<section><h1>${t.verify}</h1><p>${t.verifyText}</p>
${form("/verify", { token: query.get("token") ?? "" }, button(t.confirm))}</section>`;
  return { status: 200, title: t.verify, body };
}

/** `POST /verify` */
export async function verify(visit: Visit): Promise<PageAnswer> {
  const { t } = visit;
  const reply = await visit.call("POST", "/auth/verify", { token: visit.form.get("token") ?? "" });
  if (!reply.error) return messagePage(visit, t.verify, t.verifyDone);
  return messagePage(visit, t.failed, refusalOf(visit, reply) as string, true, reply.status);
}
