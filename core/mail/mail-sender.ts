import { isEmbedded } from "../config/config.ts";
import { runtime } from "../config/runtime.ts";
import { queryOne } from "../database/query.ts";
import { unsealed } from "../database/sealed.ts";
import { type Row, statement } from "../database/statement.ts";
import type { MailKindName } from "../declare/messages.ts";
import { request } from "../request/context.ts";
import { addressOf, HOSTNAME } from "../request/organisation-address.ts";
import { EmailSettings, type EmailSettingsRow } from "./email-settings.ts";
import { opensAccount } from "./mail-kinds.ts";
import { activeTransport, instanceTransport, type MailTransport } from "./mail-transport.ts";

/** What an organisation's mails look like. */
export interface Branding {
  name: string;
  logoUrl: string | null;
  /** `#rgb` or `#rrggbb`. */
  color: string | null;
}

/** The running organisation as a sender of mail. */
export interface Sender {
  branding: Branding;
  /** Its own address, without a slash at the end: the base of every link. */
  address: string;
  /** The stored settings, undefined when there are none. */
  settings: EmailSettingsRow | undefined;
  hasSecret: boolean;
  /** What sends now; null is nothing. */
  transport: MailTransport | null;
  /** Whether the operator's transport is there for it. */
  instanceAvailable: boolean;
}

const SENDER = statement(`select o.slug, o.name, o.brand_name, o.logo_url, o.primary_color, o.instance_mail,
    ${HOSTNAME},
    (select to_jsonb(s) from email_settings s where s.organisation_id = o.id) as settings
  from organisations o where o.id = $1`);

/**
 * Reads how the running organisation sends mail, in one statement.
 * @param read `peek` where something slow follows and no connection may be held
 */
export async function loadSender(read: typeof queryOne = queryOne): Promise<Sender> {
  const row = (await read(SENDER, [request().organisation.id])) as Row;
  const settings = (row["settings"] as EmailSettingsRow | null) ?? undefined;
  const secret = settings ? unsealed(EmailSettings, settings, "secret") : null;
  const lent = row["instance_mail"] === true ? instanceTransport(runtime().config) : null;
  return {
    branding: {
      name: (row["brand_name"] ?? row["name"]) as string,
      logoUrl: row["logo_url"] as string | null,
      color: row["primary_color"] as string | null,
    },
    address: addressOf(row["slug"] as string, row["hostname"] as string | null),
    settings,
    hasSecret: secret !== null,
    transport: activeTransport(settings, secret, lent),
    instanceAvailable: lent !== null,
  };
}

/**
 * What sends a mail of this kind. The operator of the relay can read what passes it, and a link that opens an account opens it in every
 * organisation: where organisations are strangers to each other (hosted), such mail leaves by the operator's transport only (access §14:
 * "whatever one organisation may change on a shared account, it changes for every other").
 */
export function transportOf({ transport }: Pick<Sender, "transport">, kind: MailKindName): MailTransport | null {
  const { config } = runtime();
  return config.posture === "hosted" && opensAccount(kind) ? instanceTransport(config) : transport;
}

/** Whether mail that nothing sends is kept for the instance administrator (conventions §19). */
export const keepsMail = (): boolean => isEmbedded(runtime().config);
