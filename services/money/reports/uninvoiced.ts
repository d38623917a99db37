import { queryAll } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import type { Bound } from "../../../core/sql/statement.ts";
import { entryRate, RATE_COLUMNS, RATE_JOINS, type Rates } from "../calculation/entry-rate.ts";
import { worthOf } from "../calculation/hours.ts";
import { CLIENT_OF_ENTRY } from "../documents/claims/billable.ts";
import { overHoursToInvoice, PERSON_NAME, type SeenHours } from "../documents/claims/hours-to-invoice.ts";
import type { UninvoicedGrouping, UninvoicedReport } from "./report-schemas.ts";
import { groupedHours, isPeriod, periodKey } from "./uninvoiced-groups.ts";

/** The key and label of a grouping, from alias `g`. */
interface Grouping {
  readonly key: string;
  readonly label: string;
  /** The number of the first free parameter. */
  readonly next: number;
}

const joins = ({ project }: SeenHours) => `left join companies rc on rc.organisation_id = $1 and rc.id = g.company_id
  left join projects rp on rp.organisation_id = $1 and rp.id = g.project_id and ${project}
  left join accounts ra on ra.id = g.user_id`;
const NAMES = { company: "nullif(rc.name, '')", project: "nullif(rp.name, '')", user: PERSON_NAME };
const hours = ({
  where,
}: SeenHours) => `select t.id, t.user_id, t.project_id, t.work_date, t.started_at, t.minutes, t.description,
  ${CLIENT_OF_ENTRY} as company_id from time_entries t where ${where}`;

/** `$2` is the period. */
const period: Grouping = {
  key: "date_trunc($2::text, g.work_date::timestamp)::date::text",
  label: "null::text",
  next: 3,
};
const entity = (name: keyof typeof NAMES): Grouping => ({ key: `coalesce(g.${name}_id::text, '')`, label: NAMES[name], next: 2 });

/** Minutes by group and worker: periods oldest first, other groups by name, unnamed ones last. */
const sums = ({ key, label, next }: Grouping) =>
  overHoursToInvoice(
    (seen) => `select g.key, g.label, g.count, g.minutes, ${RATE_COLUMNS} from (
      select ${key} as key, ${label} as label, g.user_id, count(*)::int as count, sum(g.minutes)::float8 as minutes
        from (${hours(seen)}) g ${joins(seen)} group by 1, 2, 3) g ${RATE_JOINS}
      order by g.label collate kantoor_text nulls last, g.key, g.user_id`,
    `$${next}`,
  );
const entries = ({ key, label, next }: Grouping) =>
  overHoursToInvoice(
    (
      seen,
    ) => `select g.id, ${key} as key, g.work_date::text as entry_date, g.started_at, g.minutes, g.description, g.company_id, rc.name as company_name, g.project_id,
        rp.name as project_name, ${PERSON_NAME} as user_name, ${RATE_COLUMNS}
      from (${hours(seen)}) g ${joins(seen)} ${RATE_JOINS}
      order by ${label} collate kantoor_text nulls last, key, g.started_at, g.id limit $${next}`,
    `$${next + 1}`,
  );
const compiled = (grouping: Grouping) => ({ sums: sums(grouping), entries: entries(grouping) });

const PERIOD = compiled(period);
const ENTITIES = { company: compiled(entity("company")), project: compiled(entity("project")), user: compiled(entity("user")) };

interface Sum extends Rates {
  key: string;
  label: string | null;
  count: number;
  minutes: number;
}
interface Entry extends Rates {
  id: string;
  key: string;
  entry_date: string;
  started_at: string;
  minutes: number;
  description: string | null;
  company_id: string | null;
  company_name: string | null;
  project_id: string | null;
  project_name: string | null;
  user_name: string | null;
}

/** The uninvoiced hours of all clients the caller sees, by group (money §8): sums cover everything, listed or not. Two statements. */
export async function uninvoicedHours(group: UninvoicedGrouping, limit: number): Promise<Static<typeof UninvoicedReport>> {
  const { id, currency } = request().organisation;
  const statements = isPeriod(group) ? PERIOD : ENTITIES[group];
  const values = [id, ...(isPeriod(group) ? [group] : [])];
  const reads: Bound[] = [statements.sums(values), statements.entries([...values, limit])];
  const [sums, found] = (await queryAll(...reads)) as unknown as [Sum[], Entry[]];
  const keyOf = (key: string) => (isPeriod(group) ? periodKey(group, key) : key);
  const { groups, total } = groupedHours(
    sums.map((sum) => ({ ...sum, key: keyOf(sum.key), rate: entryRate(sum) })),
    currency,
  );
  return {
    group,
    groups,
    entries: found.map(({ key, own_rate, default_rate, invoicing_rate, ...entry }) => {
      const rate = entryRate({ own_rate, default_rate, invoicing_rate });
      return {
        ...entry,
        group_key: keyOf(key),
        rate,
        amount: worthOf([{ minutes: entry.minutes, rate }], currency),
      };
    }),
    total_count: total.count,
    total_minutes: total.minutes,
    total_amount: total.amount,
    truncated: total.count > found.length,
  };
}
