import { toString as qrCode } from "qrcode";
import { button, field, form } from "../../../../core/pages/elements.ts";
import { Html, html } from "../../../../core/pages/html.ts";
import type { Visit } from "../visit.ts";

/** A second factor awaiting its first code. */
export interface Enrolment {
  otpauth_url: string;
  secret: string;
}

/** The QR code, the key to type instead, and the form for the first code. */
export async function enrolment({ t }: Visit, { otpauth_url: address, secret }: Enrolment): Promise<Html> {
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
