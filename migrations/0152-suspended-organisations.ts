import type { Step } from "./step.ts";

/**
 * Why and since when an organisation is suspended, and when a deleted one is purged. The state itself is the organisation's status, which
 * earlier versions know: an organisation that waits for its purge is suspended.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create table organisation_suspensions (
        organisation uuid primary key references organisations (id) on delete cascade,
        -- When the operator suspended it; null if it is suspended only because it is to be deleted.
        suspended_at timestamptz,
        reason text check (reason <> ''),
        -- When it is purged; null unless its deletion was requested.
        purge_at timestamptz,
        purge_reason text check (purge_reason <> ''),
        check (suspended_at is not null or purge_at is not null)
      );
      create index organisation_suspensions_purge on organisation_suspensions (purge_at) where purge_at is not null;
      -- Those that an operator suspended by hand, so that a deletion that is cancelled leaves them suspended.
      insert into organisation_suspensions (organisation, suspended_at) select id, updated_at from organisations where status = 'suspended';
    `);
  },
};

export default step;
