import { isEmbedded } from "../config/config.ts";
import { runtime } from "../config/runtime.ts";
import { queryOne } from "../database/query.ts";
import { unsealed } from "../database/sealed.ts";
import type { MailKindName } from "../declare/messages.ts";
import { addressOf, HOSTNAME } from "../organisation/organisation-address.ts";
import { request } from "../request/context.ts";
import { type Row, statement } from "../sql/statement.ts";
import { EmailSettings, type EmailSettingsRow } from "./email-settings.ts";
import { opensAccount } from "./mail-kinds.ts";
import { activeTransport, instanceTransport, type MailTransport } from "./mail-transport.ts";

/** The look of an organisation's mails. */
export interface Branding {
  name: string;
  logoUrl: string | null;
  /** `#rgb` or `#rrggbb`. */
  color: string | null;
}

/** The running organisation as a sender of mail. */
export interface Sender {
  branding: Branding;
  /** Its own address, without a trailing slash: the base of every link. */
  address: string;
  /** The stored settings; undefined without any. */
  settings: EmailSettingsRow | undefined;
  hasSecret: boolean;
  /** The current transport; null without one. */
  transport: MailTransport | null;
  /** Whether the organisation has access to the operator's transport. */
  instanceAvailable: boolean;
}

const SENDER = statement(`select o.slug, o.name, o.brand_name, o.logo_url, o.primary_color, o.instance_mail,
    ${HOSTNAME},
    (select to_jsonb(s) from email_settings s where s.organisation_id = o.id) as settings
  from organisations o where o.id = $1`);

/**
 * Reads the running organisation's mail sender, in one statement.
 * @param read use `queryOutside` before slow work that must not hold a connection
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
 * The transport for a kind of mail. A relay's operator can read its mail, and a link that opens an account opens it in every organisation.
 * So if organisations do not trust each other (hosted), such mail uses the operator's transport only (access §14: "whatever one
 * organisation may change on a shared account, it changes for every other").
 */
export function transportOf({ transport }: Pick<Sender, "transport">, kind: MailKindName): MailTransport | null {
  const { config } = runtime();
  return config.posture === "hosted" && opensAccount(kind) ? instanceTransport(config) : transport;
}

/** Whether unsendable mail is kept for the instance administrator (conventions §19). */
export const keepsMail = (): boolean => isEmbedded(runtime().config);
