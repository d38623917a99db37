import { zoneOr } from "../../core/calendar/zones.ts";
import { DEFAULT_ZONE } from "../../core/config/defaults.ts";
import type { Step, StepContext } from "../step.ts";
import { offsetRanges } from "./0041-hours-settled/offsets.ts";

/** Gives entries without a day the date of their start where their organisation is, by the runtime's zone database. */
async function settleDays({ sql }: StepContext): Promise<void> {
  const { rows } = await sql(`select o.timezone as zone, floor(extract(epoch from min(t.started_at)) * 1000)::text as first,
      ceil(extract(epoch from max(t.started_at)) * 1000)::text as last
    from time_entries t join organisations o on o.id = t.organisation_id where t.work_date is null group by 1`);
  for (const { zone, first, last } of rows as { zone: string; first: string; last: string }[]) {
    const ranges = offsetRanges(zoneOr(zone, DEFAULT_ZONE), Number(first), Number(last));
    await sql(
      `update time_entries t set work_date = ((t.started_at at time zone 'UTC') + make_interval(secs => r.seconds))::date
         from organisations o, unnest($2::timestamptz[], $3::timestamptz[], $4::int[]) r(from_, until, seconds)
        where o.timezone = $1 and t.organisation_id = o.id and t.work_date is null
          and t.started_at >= r.from_ and t.started_at < r.until`,
      [zone, ranges.map(({ from }) => from), ranges.map(({ until }) => until), ranges.map(({ seconds }) => seconds)],
    );
  }
}

/**
 * Stores what older entries belong to, as a new entry has it: the project of its task, the client of that project, else of the task. What
 * an issued document bills stays as it was billed (work §4.1).
 */
async function settlePlaces({ sql }: StepContext): Promise<void> {
  await sql(`
    with lacking as (
      select t.id, t.organisation_id, coalesce(t.project_id, k.project_id) as project_id,
             coalesce(t.company_id, p.company_id, k.company_id) as company_id
        from time_entries t
        left join tasks k on k.organisation_id = t.organisation_id and k.id = t.task_id
        left join projects p on p.organisation_id = t.organisation_id and p.id = coalesce(t.project_id, k.project_id)
       where (t.project_id is null and k.project_id is not null)
          or (t.company_id is null and coalesce(p.company_id, k.company_id) is not null))
    update time_entries t set project_id = l.project_id, company_id = l.company_id, version = t.version + 1,
           updated_at = statement_timestamp()
      from lacking l
     where t.organisation_id = l.organisation_id and t.id = l.id and not exists (
       select 1 from time_entry_claims c join invoices i on i.organisation_id = c.organisation_id and i.id = c.invoice_id
        where c.organisation_id = t.organisation_id and c.time_entry_id = t.id and i.status <> 'draft');
  `);
}

/** The indexes that only sums by day read: by start as before, with the day added. */
async function indexDays({ sql }: StepContext): Promise<void> {
  await sql(`
    drop index time_entries_by_start, time_entries_of_company, time_entries_of_project, time_entries_of_task;
    create index time_entries_by_start on time_entries (organisation_id, started_at, id)
      include (work_date, user_id, company_id, minutes, billable, ended_at, approved_at, invoiced_at);
    create index time_entries_of_company on time_entries (organisation_id, company_id, started_at, id)
      include (work_date, minutes, billable, ended_at) where company_id is not null;
    create index time_entries_of_project on time_entries (organisation_id, project_id, started_at, id)
      include (work_date, minutes, billable, approved_at, ended_at) where project_id is not null;
    create index time_entries_of_task on time_entries (organisation_id, task_id, started_at, id)
      include (work_date, minutes, billable, ended_at) where task_id is not null;
    alter table time_entries alter column work_date set not null;
  `);
}

/** Sets the existing entries' days and references. Instants stay unchanged. */
const step: Step = {
  async up(context) {
    await settleDays(context);
    await settlePlaces(context);
    await indexDays(context);
  },
};

export default step;
