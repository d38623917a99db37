import { type Step, tenantTable } from "../step.ts";

/** The months that were touched, as rows of three arrays. */
const TOUCHED = "unnest(organisations, links, months) t (organisation_id, link_id, month)";
const DAYS_OF_MONTH = `d.organisation_id = t.organisation_id and d.link_id = t.link_id and d.day >= t.month
      and d.day < (t.month + interval '1 month')::date`;

/** What sums depend on, of the days in a transition table. */
const figuresOf = (written: string) => `select w.organisation_id, w.link_id, w.day, w.source, w.metrics::text from ${written} w`;

/** The sums of the months in `touched`, a list of `t`. Figures that are no number count nowhere. */
const sumsOf = (touched: string) => `
    insert into marketing_months (organisation_id, link_id, month, sums, days, weighted, weights)
    select t.organisation_id, t.link_id, t.month, s.sums, s.days, s.weighted, s.weights
      from ${touched}
      cross join lateral (
        select coalesce(jsonb_object_agg(f.metric, f.total) filter (where f.metric is not null), '{}') as sums,
            coalesce(jsonb_object_agg(f.metric, f.days) filter (where f.metric is not null), '{}') as days,
            coalesce(jsonb_object_agg(f.metric, f.weighted) filter (where f.weighted is not null), '{}') as weighted,
            coalesce(jsonb_object_agg(f.metric, f.weights) filter (where f.weights is not null), '{}') as weights
          from (
            select e.key as metric, sum(e.value::numeric) as total, count(e.value) as days, sum(e.value::numeric * w.value) as weighted,
                sum(w.value) as weights
              from marketing_days d
              left join lateral jsonb_each(case jsonb_typeof(d.metrics) when 'object' then d.metrics end) e
                on jsonb_typeof(e.value) = 'number'
              left join (values ('ga4', 'engagementRate', 'sessions'), ('gsc', 'ctr', 'impressions'), ('gsc', 'position', 'impressions'))
                k (source, metric, weight) on k.source = d.source and k.metric = e.key
              left join lateral (
                select case jsonb_typeof(d.metrics -> k.weight) when 'number' then (d.metrics -> k.weight)::numeric end as value) w on true
             where ${DAYS_OF_MONTH}
             group by e.key) f
        having count(*) > 0) s
    on conflict (organisation_id, link_id, month) do update
      set sums = excluded.sums, days = excluded.days, weighted = excluded.weighted, weights = excluded.weights`;

/**
 * Sums of the stored days by link and calendar month, so that a year of many clients reads months in place of days. Triggers of the days
 * compute a month again whenever one of its days is stored, changed or deleted, in the same transaction (marketing-ads §2.8).
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      -- One row per link and month with a stored day; each column holds exact numbers by metric.
      create table marketing_months (
        organisation_id uuid not null references organisations (id),
        link_id uuid not null,
        -- The first day of the month.
        month date not null check (extract(day from month) = 1),
        sums jsonb not null,
        -- How many days have the metric.
        days jsonb not null,
        -- Of metrics that are a weighted mean: the sum of value times weight, and of the weights of the days with the metric.
        weighted jsonb not null,
        weights jsonb not null,
        primary key (organisation_id, link_id, month),
        foreign key (organisation_id, link_id) references marketing_links (organisation_id, id) on delete cascade
      );`);
    await sql(tenantTable("marketing_months", application));
    await sql(`
      create function sum_marketing_months() returns trigger language plpgsql as $$
      declare
        organisations uuid[];
        links uuid[];
        months date[];
      begin
        if tg_op = 'INSERT' then
          select array_agg(t.organisation_id), array_agg(t.link_id), array_agg(t.month) into organisations, links, months
            from (select distinct d.organisation_id, d.link_id, date_trunc('month', d.day::timestamp)::date as month from added d) t;
        elsif tg_op = 'DELETE' then
          select array_agg(t.organisation_id), array_agg(t.link_id), array_agg(t.month) into organisations, links, months
            from (select distinct d.organisation_id, d.link_id, date_trunc('month', d.day::timestamp)::date as month from gone d) t;
        else
          -- A day that is stored again with the figures it had changes no sum.
          select array_agg(t.organisation_id), array_agg(t.link_id), array_agg(t.month) into organisations, links, months
            from (select distinct d.organisation_id, d.link_id, date_trunc('month', d.day::timestamp)::date as month
              from ((${figuresOf("gone")} except all ${figuresOf("added")}) union all (${figuresOf("added")} except all ${figuresOf("gone")})) d) t;
        end if;
        if links is null then return null; end if;
        -- Of two transactions that store days of a link, the later one waits here and then sees the days of the earlier one.
        perform from marketing_links l where (l.organisation_id, l.id) in (select t.organisation_id, t.link_id from ${TOUCHED})
          order by l.organisation_id, l.id for no key update;
        delete from marketing_months m using ${TOUCHED}
          where m.organisation_id = t.organisation_id and m.link_id = t.link_id and m.month = t.month
            and not exists (select from marketing_days d where ${DAYS_OF_MONTH});
        ${sumsOf(TOUCHED)};
        return null;
      end $$;
      comment on function sum_marketing_months is 'Computes the months again whose days were written';
      create trigger months_added after insert on marketing_days referencing new table as added
        for each statement execute function sum_marketing_months();
      create trigger months_changed after update on marketing_days referencing old table as gone new table as added
        for each statement execute function sum_marketing_months();
      create trigger months_gone after delete on marketing_days referencing old table as gone
        for each statement execute function sum_marketing_months();`);
    // Creating the triggers locked the table against writes, so no day is stored between them and the sums.
    await sql(
      sumsOf(`(select distinct d.organisation_id, d.link_id, date_trunc('month', d.day::timestamp)::date as month
        from marketing_days d) t`),
    );
  },
};

export default step;
