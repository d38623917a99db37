import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { query } from "../../../../core/database/query.ts";
import { schedule } from "../../../../core/jobs/jobs.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";

export const TURN_JOB = "invoicing.instalment";

/** A turn whose day has come. */
export type DueTurn = { instalment_id: string };

const DUE = statement(`select i.id, i.quote_id from quote_instalments i
    join quotes q on q.organisation_id = i.organisation_id and q.id = i.quote_id and q.status = 'accepted'
  where i.organisation_id = $1 and i.invoice_id is null and i.due_on <= $2 order by i.due_on, i.id`);

/** Schedules a job for each due turn of an accepted quote, those of one quote in the order of their days. */
export async function scheduleTurns(today: IsoDate): Promise<void> {
  const due = await query<{ id: string; quote_id: string }>(DUE, [request().organisation.id, today]);
  for (const { id: instalment_id, quote_id } of due) schedule(TURN_JOB, { instalment_id } satisfies DueTurn, { key: quote_id });
}
