import type { Step } from "../step.ts";

/** The boundary one period after a date of `s`, as core/calendar/periods.ts computes it. */
const after = (date: string) => `(case s.anchor
      when 'month_end' then date_trunc('month', ${date} + make_interval(months => s.months)) + interval '1 month - 1 day'
      else ${date} + make_interval(months => s.months) end)::date`;

/**
 * The last boundary of an agreement whose cycle has ended: its unbilled periods go back from there. Null while a next boundary is set.
 *
 * Agreements that ended before this step get the boundary at which the cycle stopped, where their rows show it: they count periods from the
 * next date that a person set last, else from the newest period on a document, else from the start. Agreements whose next date a person
 * cleared, whose end moved later, or whose periods changed after the activation stay null.
 */
const step: Step = {
  async up({ sql }) {
    await sql("alter table subscriptions add column last_boundary date");
    await sql(`
      with recursive ended as (
        select t.organisation_id, t.id, t.start_date, t.anchor, least(t.end_date, current_date) as until,
            case t.interval when 'monthly' then 1 when 'quarterly' then 3 else 12 end * t.interval_count as months,
            (select l.payload -> 'changes' -> 'next_invoice_date' from activity l
              where l.organisation_id = t.organisation_id and l.entity_type = 'subscription' and l.entity_id = t.id
                and l.action = 'updated' and l.payload -> 'changes' ? 'next_invoice_date'
              order by l.created_at desc, l.id desc limit 1) as set_last,
            (select max(p.period_end) from (
                select c.period_end from period_claims c
                  where c.organisation_id = t.organisation_id and c.source = 'subscription' and c.source_id = t.id
                union all
                select i.period_end from invoices i where i.organisation_id = t.organisation_id and i.subscription_id = t.id) p
              where p.period_end <= least(t.end_date, current_date)) as billed
          from subscriptions t
         where t.activated_at is not null and t.next_invoice_date is null and t.end_date is not null
           and not exists (select from activity l
             where l.organisation_id = t.organisation_id and l.entity_type = 'subscription' and l.entity_id = t.id
               and l.action = 'updated' and l.created_at > t.activated_at
               and (l.payload -> 'changes' ?| array['start_date', 'interval', 'interval_count', 'anchor']
                 or l.payload #>> '{changes,end_date,to}' > l.payload #>> '{changes,end_date,from}'
                 or (l.payload #>> '{changes,end_date,from}' is not null and l.payload #>> '{changes,end_date,to}' is null)))
      ), boundaries as (
        select s.organisation_id, s.id, s.anchor, s.months, s.until, f.boundary
          from ended s
          cross join lateral (select case
            when s.set_last is not null then (s.set_last ->> 'to')::date
            when s.billed is not null then s.billed
            when ${after("s.start_date")} <= s.until then ${after("s.start_date")} end as boundary) f
         where f.boundary <= current_date
        union all
        select s.organisation_id, s.id, s.anchor, s.months, s.until, ${after("s.boundary")}
          from boundaries s where ${after("s.boundary")} <= s.until
      ), last as (select organisation_id, id, max(boundary) as boundary from boundaries group by organisation_id, id)
      update subscriptions t set last_boundary = l.boundary from last l where t.organisation_id = l.organisation_id and t.id = l.id`);
  },
};

export default step;
