import { runtime } from "../../../core/config/runtime.ts";
import type { MailFile } from "../../../core/mail/mail-now.ts";
import { provider } from "../../../core/outbound/provider/provider.ts";
import { bodyOf, post, refusedBy } from "./api.ts";
import { type Deliver, generalHeaders, type Mailbox } from "./transport.ts";

const smtp2go = provider({ kind: "smtp2go", baseUrl: () => runtime().config.mailSmtp2goApiUrl });

/** Formats `"Name" <address>` (RFC 5322 §3.4), quoted so that a name cannot add another mailbox. */
const mailbox = ({ address, name }: Mailbox): string =>
  name ? `"${name.replace(/["\\]/g, (character) => `\\${character}`)}" <${address}>` : address;

const blob = ({ name, type, base64 }: MailFile) => ({ filename: name, fileblob: base64, mimetype: type });

/** SMTP2GO's `POST /email/send` (developers.smtp2go.com, "Send an Email"): a 200 response counts the accepted recipients. */
export const deliverBySmtp2go: Deliver = async (transport, mail, secrets, signal) => {
  const key = transport.secret as string;
  const answer = await post(smtp2go, {
    account: mail.account,
    path: "/email/send",
    headers: { "X-Smtp2go-Api-Key": key },
    json: {
      sender: mailbox(mail.from),
      to: mail.to.map(mailbox),
      subject: mail.subject,
      text_body: mail.text,
      html_body: mail.html,
      ...(mail.files.length > 0 && { attachments: mail.files.map(blob) }),
      // Referenced as `cid:` with the file's name.
      ...(mail.pictures.length > 0 && { inlines: mail.pictures.map(blob) }),
      custom_headers: [
        { header: "Message-ID", value: `<${mail.messageId}>` },
        ...Object.entries(generalHeaders(mail)).map(([header, value]) => ({ header, value })),
        ...(mail.replyTo === null ? [] : [{ header: "Reply-To", value: mail.replyTo }]),
      ],
    },
    secrets: [...secrets, key],
    signal,
  });
  const { data } = (bodyOf(answer) ?? {}) as {
    data?: { succeeded?: unknown; failures?: unknown; error?: unknown; error_code?: unknown };
  };
  const failures = (Array.isArray(data?.failures) ? data.failures : []).filter((part) => typeof part === "string");
  if (answer.status === 200 && Number(data?.succeeded) >= 1) {
    const said = failures.join(" ").toLowerCase();
    return mail.to.flatMap(({ address }) => (said.includes(address.toLowerCase()) ? address : []));
  }
  const said = [data?.error_code, data?.error, ...failures];
  throw refusedBy("SMTP2GO", answer.status, said.filter((part) => typeof part === "string").join(" "), [...secrets, key]);
};
