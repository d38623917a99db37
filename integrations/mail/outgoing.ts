import { localeOf } from "../../core/config/defaults.ts";
import { runtime } from "../../core/config/runtime.ts";
import type { RowOf } from "../../core/database/model.ts";
import { queryOne } from "../../core/database/query.ts";
import type { MailKindName } from "../../core/declare/messages.ts";
import { type Mail, mailToken } from "../../core/mail/mail.ts";
import type { MailFile } from "../../core/mail/mail-now.ts";
import { loadSender, type Sender } from "../../core/mail/mail-sender.ts";
import type { MailTransport } from "../../core/mail/mail-transport.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";
import type { Composed, MailParts, Override } from "./compose.ts";
import { oneLine } from "./template.ts";
import type { OutgoingMail } from "./transports/transport.ts";

/** A stored mail. */
export type StoredMail = RowOf<typeof Mail>;

const OVERRIDE = statement("select subject, body from email_templates where organisation_id = $1 and kind = $2 and locale = $3");

/** The running organisation's own text of a kind in a recipient's language; undefined if it has none. */
export const loadOverride = (kind: MailKindName, locale: string | null, read = queryOne): Promise<Override | undefined> => {
  const { id, locale: own } = request().organisation;
  return read<Override>(OVERRIDE, [id, kind, localeOf(locale, own)]);
};

/** A stored mail with its link's secret, which exists only from now until delivery. */
export const partsOf = ({ id, kind, to_name: name, locale, link, variables }: StoredMail): MailParts => ({
  kind,
  name,
  locale,
  link,
  variables,
  token: link?.includes("{token}") ? mailToken(id) : "",
});

/** Loads the sender and wording for a mail of the running organisation, in two statements. */
export async function loadForMail(
  kind: MailKindName,
  locale: string | null,
): Promise<{ sender: Sender; override: Override | undefined }> {
  const [sender, override] = await Promise.all([loadSender(), loadOverride(kind, locale)]);
  return { sender, override };
}

/** The finished mail: the same Message-ID in every attempt, header values on one line. */
export function outgoing(
  mail: Pick<StoredMail, "id" | "to_address" | "to_name" | "reply_to">,
  composed: Composed,
  { branding }: Sender,
  transport: MailTransport,
  organisationId: string,
  {
    also = [],
    fromName = null,
    files = [],
    pictures = [],
    unsubscribe = null,
  }: {
    also?: readonly string[] | undefined;
    fromName?: string | null;
    files?: readonly MailFile[];
    pictures?: readonly MailFile[];
    unsubscribe?: string | null;
  } = {},
): OutgoingMail {
  const line = (text: string | null): string | null => (text === null ? null : oneLine(text) || null);
  return {
    ...composed,
    id: mail.id,
    account: transport.owner === "instance" ? "instance" : organisationId,
    messageId: `${mail.id}@${runtime().config.baseDomain}`,
    from: { address: transport.fromAddress, name: line(fromName) ?? line(transport.fromName ?? branding.name) },
    to: [{ address: mail.to_address, name: line(mail.to_name) }, ...also.map((address) => ({ address, name: null }))],
    replyTo: mail.reply_to ?? transport.replyTo,
    unsubscribe,
    files,
    pictures,
  };
}
