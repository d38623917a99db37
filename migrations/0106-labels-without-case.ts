import type { Step } from "./step.ts";

/** Labels whose names differ only in case are one name. Of stored ones, all but the oldest get the beginning of their id behind it. */
const step: Step = {
  async up({ sql }) {
    await sql(`
      update task_labels l set name = left(l.name, 88) || ' (' || left(l.id::text, 8) || ')',
          version = l.version + 1, updated_at = statement_timestamp()
        from (select id, row_number() over (partition by organisation_id, lower(name collate "und-x-icu") order by created_at, id) as nth
          from task_labels) o
        where o.id = l.id and o.nth > 1;
      alter table task_labels drop constraint task_labels_name_key;
      create unique index task_labels_name_key on task_labels (organisation_id, lower(name collate "und-x-icu"));`);
  },
};

export default step;
