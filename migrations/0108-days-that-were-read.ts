import type { Step } from "./step.ts";

/** Days that a nightly read covers, and days that Search Console is late. */
const [NIGHT, LATE] = [7, 3];

/**
 * The days of a link that its source was read for, with or without a row (marketing-ads §1): a day that was never read is not a day without
 * visitors. Of existing links these are the days with a row and those of the last successful run, as far as they are the same in every time
 * zone. The nightly job reads the others again.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table marketing_links add column read_days datemultirange not null default '{}';
      comment on column marketing_links.read_days is 'The days that the source was read for, with or without a row';

      with stored as (
        select d.organisation_id, d.link_id, range_agg(daterange(d.day, d.day, '[]')) as days
          from marketing_days d group by d.organisation_id, d.link_id),
      synced as (
        select l.organisation_id, l.id, (l.last_synced_at at time zone 'UTC')::date as day, l.source from marketing_links l
         where l.last_synced_at is not null and l.source in ('ga4', 'gsc', 'gads', 'seranking')),
      known as (
        select l.organisation_id, l.id, coalesce(s.days, '{}') + case when y.day is null then '{}'
            else datemultirange(daterange(y.day + 1 - ${NIGHT}, y.day - 2 - case y.source when 'gsc' then ${LATE} else 0 end, '[]')) end as days
          from marketing_links l
          left join stored s on s.organisation_id = l.organisation_id and s.link_id = l.id
          left join synced y on y.organisation_id = l.organisation_id and y.id = l.id)
      update marketing_links l set read_days = k.days from known k
        where k.organisation_id = l.organisation_id and k.id = l.id and k.days <> '{}';

      -- A backfill reads further back now.
      update marketing_links set backfill_done = false, version = version + 1, updated_at = statement_timestamp()
        where backfill_done and source in ('ga4', 'gsc', 'gads', 'seranking');`);
  },
};

export default step;
