import { queryOne } from "../../../core/database/query.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { ReportRow } from "../models.ts";

/** Statuses of a mail that its recipient has, or may have: the others failed or were refused. */
const MAY_HAVE = "('sending', 'sent', 'unknown')";
const LEFT = statement(
  `select 1 from report_mails where organisation_id = $1 and report_id = $2 and status in ${MAY_HAVE} limit 1`,
);

/** SQL condition: some recipients have, or may have, the document of report `r`, and the send to all is not finished. */
export const IS_PARTLY_SENT = `(r.status = 'ready' and exists (select 1 from report_mails m where m.organisation_id = r.organisation_id
    and m.report_id = r.id and m.document_id = r.pdf_file_id and m.status in ${MAY_HAVE}))`;

/**
 * Requires that no recipient has a report. What a client has received keeps its text and stays, also if the mails to others failed and the
 * report does not count as sent.
 * @param read `peek` before the request has a transaction
 * @throws 409 `errors.reporting.already_sent`
 */
export async function requireUnsent({ id, sent_at }: Pick<ReportRow, "id" | "sent_at">, read = queryOne): Promise<void> {
  if (sent_at !== null || (await read(LEFT, [request().organisation.id, id]))) throw conflict("errors.reporting.already_sent");
}
