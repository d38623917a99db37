import { queryOne } from "../../../core/database/query.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { ReportRow } from "../models.ts";

/** Whether report `r` has left: it was sent, or a recipient may have its mail; other mails failed or were refused. */
export const HAS_LEFT = `(r.sent_at is not null or exists (select from report_mails m where m.organisation_id = r.organisation_id
    and m.report_id = r.id and m.status in ('sending', 'sent', 'unknown')))`;
const LEFT = statement(`select 1 from reports r where r.organisation_id = $1 and r.id = $2 and ${HAS_LEFT}`);

/**
 * Whether a report has left, also if the mails to others failed and it does not count as sent: it never changes again.
 * @param read `queryOutside` before the request has a transaction
 */
export const hasLeft = async ({ id }: Pick<ReportRow, "id">, read = queryOne): Promise<boolean> =>
  (await read(LEFT, [request().organisation.id, id])) !== undefined;

/**
 * Requires that a report has not left.
 * @param read `queryOutside` before the request has a transaction
 * @throws 409 `errors.reporting.already_sent`
 */
export async function requireUnsent(report: Pick<ReportRow, "id">, read = queryOne): Promise<void> {
  if (await hasLeft(report, read)) throw conflict("errors.reporting.already_sent");
}
