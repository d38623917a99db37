import { query } from "../../core/database/query.ts";
import { notFound } from "../../core/errors/errors.ts";
import { keepsMail } from "../../core/mail/mail-sender.ts";
import { type OrganisationRow, organisationOf } from "../../core/organisation/organisation.ts";
import { request } from "../../core/request/context.ts";
import { systemRequest } from "../../core/request/system.ts";
import { statement } from "../../core/sql/statement.ts";
import { inTenancy } from "../../mixins/tenancy.ts";
import { compose } from "./compose.ts";
import { loadForMail, partsOf, type StoredMail } from "./outgoing.ts";

/** A mail stored instead of sent (conventions §19). */
export interface KeptMail {
  id: string;
  organisation: string;
  kind: string;
  to: { address: string; name: string | null };
  created_at: string;
}

/** A stored mail with its texts; its link works. */
export interface KeptMessage extends KeptMail {
  subject: string;
  text: string;
  html: string;
}

const KEPT = statement("select mail, organisation from kept_mails($1, $2)");

/** The kept mails visible to the request's session; the database checks that it belongs to an instance administrator. */
const load = (id: string | null) =>
  query<{ mail: StoredMail; organisation: OrganisationRow }>(KEPT, [request().principal?.credential.id, id]);

const described = ({ mail, organisation }: { mail: StoredMail; organisation: OrganisationRow }): KeptMail => ({
  id: mail.id,
  organisation: organisation.slug,
  kind: mail.kind,
  to: { address: mail.to_address, name: mail.to_name },
  created_at: mail.created_at,
});

/** Kept mail of the last 24 hours, of every organisation, newest first, at most 200. 404 outside embedded mode, which keeps none. */
export async function keptMails(): Promise<KeptMail[]> {
  if (!keepsMail()) throw notFound();
  return (await load(null)).map(described);
}

/** One kept mail as it would have been sent. It is composed now, because its secret is never stored. @throws 404 */
export async function keptMail(id: string): Promise<KeptMessage> {
  const [found] = keepsMail() ? await load(id) : [];
  if (!found) throw notFound();
  const organisation = organisationOf(found.organisation);
  const { kind, locale } = found.mail;
  const { sender, override } = await inTenancy(
    () => systemRequest("mail.kept", organisation, "read"),
    () => loadForMail(kind, locale),
  );
  return { ...described(found), ...(await compose(partsOf(found.mail), sender, organisation, override)) };
}
