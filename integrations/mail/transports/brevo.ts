import { runtime } from "../../../core/config/runtime.ts";
import { provider } from "../../../core/outbound/provider/provider.ts";
import { bodyOf, post, refusedBy } from "./api.ts";
import { type Deliver, generalHeaders, named } from "./transport.ts";

const brevo = provider({ kind: "brevo", baseUrl: () => runtime().config.mailBrevoApiUrl });

/**
 * Brevo's transactional mail, `POST /smtp/email` (developers.brevo.com, "Send a transactional email"). Brevo refuses a key reused within
 * half an hour as `duplicate_parameter`: an earlier attempt was accepted and its response lost.
 */
export const deliverByBrevo: Deliver = async (transport, mail, secrets, signal) => {
  const key = transport.secret as string;
  const answer = await post(brevo, {
    account: mail.account,
    path: "/smtp/email",
    headers: { "api-key": key, accept: "application/json" },
    json: {
      sender: named(mail.from),
      to: mail.to.map(named),
      ...(mail.replyTo !== null && { replyTo: { email: mail.replyTo } }),
      subject: mail.subject,
      textContent: mail.text,
      htmlContent: mail.html,
      ...(mail.files.length > 0 && { attachment: mail.files.map(({ name, base64 }) => ({ name, content: base64 })) }),
      headers: { "Message-ID": `<${mail.messageId}>`, ...generalHeaders(mail), idempotencyKey: mail.id },
    },
    secrets: [...secrets, key],
    signal,
  });
  if (answer.status === 201 || answer.status === 202) return [];
  const { code, message } = (bodyOf(answer) ?? {}) as { code?: unknown; message?: unknown };
  if (code === "duplicate_parameter") return [];
  throw refusedBy("Brevo", answer.status, [code, message].filter((part) => typeof part === "string").join(" "), [
    ...secrets,
    key,
  ]);
};
