import type { IsoDate } from "../../../../core/calendar/calendar.ts";
import { query } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { UNCONVERTED } from "../conversion.ts";
import { issuedDocuments, reporter, SETTLEMENTS } from "../seen.ts";
import type { OpenAmount } from "./buckets.ts";

/**
 * Documents with what was open on a day, as common tables: later payments, credit notes and cancellations do not count. A payment that is
 * dated before its document counts from the document's date.
 * @param on the parameter with the day
 * @param more further columns of alias `t`
 * @param which a condition on alias `t`
 */
export const openOn = (on: string, more: string, which?: string): string =>
  `${issuedDocuments(`coalesce(t.due_date, t.issue_date) as due_date, ${more}`, which)}, ${SETTLEMENTS},
  settled as (select id, sum(amount) as amount from settlements where day <= ${on}::date group by id),
  opened as (select d.*, d.total - coalesce(s.amount, 0) as open from documents d left join settled s on s.id = d.id
    where d.issue_date <= ${on}::date and (d.cancelled_on is null or d.cancelled_on > ${on}::date)
      and d.total <> coalesce(s.amount, 0))`;

/** `$4` and `$5`: the day, and the organisation's currency. */
const OPEN = statement(`with ${openOn("$4", `coalesce(t.exchange_rate, 1) as factor, ${UNCONVERTED("$5")} as unconverted`)}
  select o.company_id, c.name, o.currency, o.due_date::text as due_date, round(sum(o.open), 2)::text as amount,
    round(coalesce(sum(o.open * o.factor) filter (where not o.unconverted), 0), 2)::text as converted,
    count(*)::int as documents, count(*) filter (where o.unconverted)::int as unconverted
  from opened o join companies c on c.organisation_id = $1 and c.id = o.company_id
  group by o.company_id, c.name, o.currency, o.due_date order by c.name, o.company_id, o.currency, o.due_date`);

/** What the clients that the caller sees owed on a day, by due date. One statement. */
export const openAmounts = (on: IsoDate): Promise<OpenAmount[]> =>
  query<OpenAmount>(OPEN, [...reporter(), on, request().organisation.currency]);
