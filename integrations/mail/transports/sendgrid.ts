import { runtime } from "../../../core/config/runtime.ts";
import type { MailFile } from "../../../core/mail/mail-now.ts";
import { provider } from "../../../core/outbound/provider/provider.ts";
import { bodyOf, post, refusedBy } from "./api.ts";
import { type Deliver, generalHeaders, named } from "./transport.ts";

const sendgrid = provider({ kind: "sendgrid", baseUrl: () => runtime().config.mailSendgridApiUrl });

/**
 * SendGrid's `POST /mail/send` (Twilio SendGrid v3). Plain text must come first. Tracking is disabled: it would route every link, with its
 * secret, through another site.
 */
export const deliverBySendgrid: Deliver = async (transport, mail, secrets, signal) => {
  const key = transport.secret as string;
  const attached = ({ name, type, base64 }: MailFile) => ({ filename: name, type, content: base64 });
  const attachments = [
    ...mail.files.map((file) => ({ ...attached(file), disposition: "attachment" })),
    ...mail.pictures.map((file) => ({ ...attached(file), disposition: "inline", content_id: file.name })),
  ];
  const answer = await post(sendgrid, {
    account: mail.account,
    path: "/mail/send",
    headers: { Authorization: `Bearer ${key}` },
    json: {
      personalizations: [{ to: mail.to.map(named) }],
      from: named(mail.from),
      ...(mail.replyTo !== null && { reply_to: { email: mail.replyTo } }),
      subject: mail.subject,
      content: [
        { type: "text/plain", value: mail.text },
        { type: "text/html", value: mail.html },
      ],
      ...(attachments.length > 0 && { attachments }),
      headers: { "Message-ID": `<${mail.messageId}>`, ...generalHeaders(mail) },
      tracking_settings: { click_tracking: { enable: false, enable_text: false }, open_tracking: { enable: false } },
    },
    secrets: [...secrets, key],
    signal,
  });
  if (answer.status === 202) return [];
  const { errors } = (bodyOf(answer) ?? {}) as { errors?: { message?: unknown; field?: unknown }[] };
  const said = Array.isArray(errors)
    ? errors.map(({ field, message }) => [field, message].filter(Boolean).join(": ")).join("; ")
    : "";
  throw refusedBy("SendGrid", answer.status, said, [...secrets, key]);
};
