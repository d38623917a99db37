import { type Step, tenantTable } from "./step.ts";

/** The tasks that a task waits for. A series of them never comes back to its beginning: the service checks that under a lock. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`create table task_blockers (
        organisation_id uuid not null references organisations (id), task_id uuid not null, blocker_id uuid not null,
        created_at timestamptz not null default statement_timestamp(),
        primary key (organisation_id, task_id, blocker_id),
        constraint task_blockers_other_task check (task_id <> blocker_id),
        foreign key (organisation_id, task_id) references tasks (organisation_id, id) on delete cascade,
        foreign key (organisation_id, blocker_id) references tasks (organisation_id, id) on delete cascade);
        create index on task_blockers (organisation_id, blocker_id, task_id);
        create trigger link_lost_by_deletion after delete on task_blockers referencing old table as gone for each statement
          when (current_setting('app.whole_organisation', true) is distinct from 'on' and pg_trigger_depth() > 0)
          execute function link_lost_by_deletion('tasks', 'task_id');`);
    await sql(tenantTable("task_blockers", application));
  },
};

export default step;
