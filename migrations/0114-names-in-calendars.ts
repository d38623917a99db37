import type { Step } from "./step.ts";

/**
 * Which records the text of an event in a person's calendar names, so that a rename rewrites it, and what of a change made there was put
 * back. Every calendar is read once more: the stored events lack whether their owner is free, and include declined invitations.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table workspace_calendar_mirrors
        -- Records that its text names, as kind:id; null until it is written again.
        add column names text[],
        -- Of the changed event that was put back last; null once the calendar has the event as written.
        add column restored_hash bytea;
      create index workspace_calendar_mirrors_names on workspace_calendar_mirrors using gin (names);
      update workspace_calendar_mirrors m set names = array['task:' || s.task_id] from task_schedules s
        where m.kind = 'schedule' and s.organisation_id = m.organisation_id and s.id = m.source_id;
      update workspace_calendar_mirrors m set names = array['leave_type:' || r.leave_type_id] from leave_requests r
        where m.kind = 'leave' and r.organisation_id = m.organisation_id and r.id = m.source_id;
      update workspace_calendar_mirrors set names = '{}' where kind = 'availability';

      alter table workspace_calendar_events add column is_free boolean not null default false;
      update workspace_calendars set filled_at = null;
    `);
  },
};

export default step;
