import { namedValues } from "../../core/naming/named-values.ts";
import { choice, nullable, Type } from "../../core/schema/schema.ts";

/** The delivery status of the last invite's mail (conventions §19). Mail is kept for 30 days. */
export const inviteMailFields = {
  invite_email_error: nullable(
    Type.String({
      description:
        "Why the last invite was not handed over, or its last attempt failed: a translation key, or the relay's message. Null otherwise",
    }),
  ),
  invite_email_sent: nullable(
    Type.Boolean({
      description: "Whether the relay accepted the last invite; null while sending, and if no mail was requested",
    }),
  ),
  invite_email_status: nullable(
    choice(namedValues("InviteMailStatus", ["queued", "sent", "failed"]), {
      description:
        "State of the last invite's mail: `queued` while sending, `sent` once the relay accepted it, `failed` after the last attempt; null if no mail was requested",
    }),
  ),
};

/** The same as SQL columns, from the join below. */
export const INVITE_MAIL_COLUMNS = `
  case invited.status when 'kept' then 'errors.email_not_configured' else invited.last_error end as invite_email_error,
  case when invited.status = 'sent' then true when invited.status in ('failed', 'kept') then false end as invite_email_sent,
  case invited.status when 'kept' then 'failed' else invited.status end as invite_email_status`;

/**
 * Joins the last invite mail of account `a` to organisation `$1`.
 * @param when SQL: in the answer of a write, whether that write requested a mail
 */
export const inviteMail = (when = "true"): string => `left join lateral (select i.status, i.last_error, i.updated_at from mails i
    where i.organisation_id = $1 and i.account_id = a.id and i.kind = 'invite' and ${when} order by i.created_at desc, i.id desc limit 1) invited on true`;
