import { queryAll } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { entryRate, RATE_COLUMNS, RATE_JOINS, type Rates } from "../calculation/entry-rate.ts";
import { worthOf } from "../calculation/hours.ts";
import { ofClient, overHoursToInvoice, PERSON_NAME, until } from "../documents/claims/hours-to-invoice.ts";
import type { UnbilledRead } from "./report-schemas.ts";

/** Maximum listed entries (money §8); sums cover all of them. */
const LISTED = 500;

const asked = `${ofClient("$2::uuid")} and ($3::uuid is null or t.project_id = $3) and ${until("$4")}`;

const ENTRIES = overHoursToInvoice(
  ({
    where,
    project,
  }) => `select g.id, g.description, g.started_at, g.minutes, g.project_id, coalesce(rp.name, '') as project_name,
      coalesce(${PERSON_NAME}, '') as user_name, ${RATE_COLUMNS}
    from (select t.id, t.description, t.started_at, t.minutes, t.project_id, t.user_id from time_entries t
      where ${where} and ${asked} order by t.started_at, t.id limit ${LISTED}) g
    left join projects rp on rp.organisation_id = $1 and rp.id = g.project_id and ${project}
    left join accounts ra on ra.id = g.user_id ${RATE_JOINS} order by g.started_at, g.id`,
  "$5",
);
const SUMS = overHoursToInvoice(
  ({ where }) => `select g.count, g.minutes, ${RATE_COLUMNS}
    from (select t.user_id, count(*)::int as count, sum(t.minutes)::float8 as minutes from time_entries t
      where ${where} and ${asked} group by 1) g ${RATE_JOINS}`,
  "$5",
);
const RATE = statement("select default_hourly_rate as rate from invoicing_settings where organisation_id = $1");

interface Entry extends Rates {
  id: string;
  description: string | null;
  started_at: string;
  minutes: number;
  project_id: string | null;
  project_name: string;
  user_name: string;
}
type Sum = Rates & { count: number; minutes: number };

/** The filters of a client's hours. */
export interface UnbilledAsked {
  company_id: string;
  project_id?: string | undefined;
  /** The last day, by `work_date`. */
  until?: string | undefined;
}

/**
 * The uninvoiced hours of a client (money §8): the oldest 500, and sums over all of them. Always three statements; empty for a client the
 * caller does not see.
 */
export async function unbilledHours({ company_id, project_id, ...asked }: UnbilledAsked): Promise<Static<typeof UnbilledRead>> {
  const { id, currency } = request().organisation;
  const values = [id, company_id, project_id ?? null, asked.until ?? null];
  const [entries, sums, rates] = (await queryAll(ENTRIES(values), SUMS(values), [RATE, [id]])) as unknown as [
    Entry[],
    Sum[],
    { rate: string | null }[],
  ];
  const total_count = sums.reduce((total, { count }) => total + count, 0);
  return {
    entries: entries.map(({ own_rate, default_rate, invoicing_rate, ...entry }) => ({
      ...entry,
      rate: entryRate({ own_rate, default_rate, invoicing_rate }),
    })),
    total_count,
    total_minutes: sums.reduce((total, { minutes }) => total + minutes, 0),
    total_amount: worthOf(
      sums.map((sum) => ({ minutes: sum.minutes, rate: entryRate(sum) })),
      currency,
    ),
    hourly_rate: rates[0]?.rate ?? null,
    truncated: total_count > entries.length,
  };
}
