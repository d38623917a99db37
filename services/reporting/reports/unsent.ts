import { queryOne } from "../../../core/database/query.ts";
import { conflict } from "../../../core/declare/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { ReportRow } from "../models.ts";

/** A mail of the report that a recipient has, or may have: the others failed or were refused. */
const LEFT = statement(
  "select 1 from report_mails where organisation_id = $1 and report_id = $2 and status in ('sending', 'sent', 'unknown') limit 1",
);

/**
 * Requires that no recipient has a report. What a client has received keeps its text and stays, also if the mails to others failed and the
 * report does not count as sent.
 * @param read `peek` before the request has a transaction
 * @throws 409 `errors.reporting.already_sent`
 */
export async function requireUnsent({ id, sent_at }: Pick<ReportRow, "id" | "sent_at">, read = queryOne): Promise<void> {
  if (sent_at !== null || (await read(LEFT, [request().organisation.id, id]))) throw conflict("errors.reporting.already_sent");
}
