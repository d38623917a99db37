import { type Step, tenantTable } from "./step.ts";

/** Beats that change between down and up, each with the next such beat of its monitor: an outage lasts from a down to the next up. */
const TURNS = `select b.*, lead(b.at) over (partition by b.organisation_id, b.monitor_id order by b.at) as next_at
  from (select organisation_id, monitor_id, status, at,
          lag(status) over (partition by organisation_id, monitor_id order by at, status desc) as before
        from uptime_heartbeats where status in ('up', 'down')) b
 where b.status is distinct from b.before and (b.before is not null or b.status = 'down')`;

/**
 * The outages of monitors, and what was announced of each monitor, so that the end of an outage is announced once. The outages among the
 * stored heartbeats are entered; the down of an open one was announced by the version before.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create table uptime_incidents (
        id uuid primary key default gen_random_uuid(),
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        monitor_id uuid not null,
        started_at timestamptz not null,
        -- Null while the outage lasts.
        ended_at timestamptz check (ended_at >= started_at),
        unique (organisation_id, id),
        constraint uptime_incidents_key unique (organisation_id, monitor_id, started_at),
        constraint uptime_incidents_monitor_fkey foreign key (organisation_id, monitor_id)
          references uptime_monitors (organisation_id, id) on delete cascade
      );
      create index on uptime_incidents (organisation_id, monitor_id, started_at desc, id);
      create index on uptime_incidents (organisation_id, updated_at);

      alter table uptime_monitors
        -- Since when it has been down without an up; null outside of an outage.
        add column outage_since timestamptz,
        -- The newest changes between down and up, at most six, oldest first.
        add column turns timestamptz[] not null default '{}',
        add column flapping boolean not null default false,
        add column announced text not null default 'up' check (announced in ('up', 'down', 'flapping'));

      insert into uptime_incidents (organisation_id, monitor_id, started_at, ended_at)
        select organisation_id, monitor_id, at, next_at from (${TURNS}) t where t.status = 'down';
      update uptime_monitors m set outage_since = i.started_at, announced = 'down' from uptime_incidents i
        where i.organisation_id = m.organisation_id and i.monitor_id = m.id and i.ended_at is null;
    `);
    await sql(tenantTable("uptime_incidents", application));
  },
};

export default step;
