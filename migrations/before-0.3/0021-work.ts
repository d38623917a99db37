import type { Step, StepContext } from "../step.ts";
import { interactionTables } from "./0021-work/interactions.ts";
import { projectTables } from "./0021-work/projects.ts";
import { taskTables } from "./0021-work/tasks.ts";
import { timeTables } from "./0021-work/time.ts";

/**
 * A row that changes without being written by its own action, because what it refers to is gone, is a changed row all the same: its version
 * and `updated_at` move (conventions §10).
 */
async function countChanges({ sql }: StepContext): Promise<void> {
  await sql(`
    create function count_change_of_row() returns trigger language plpgsql as $$
    begin
      new.version := old.version + 1;
      new.updated_at := statement_timestamp();
      return new;
    end $$;
    ${["projects", "tasks", "interactions", "time_entries", "task_schedules"]
      .map(
        (table) => `
    create trigger change_counted before update on ${table} for each row
      when (new.version = old.version) execute function count_change_of_row();`,
      )
      .join("")}
  `);
}

/** Projects, tasks and what hangs on them, contact moments, and hours; each in a file of this step's folder. */
const step: Step = {
  async up(context) {
    await projectTables(context);
    await taskTables(context);
    await interactionTables(context);
    await timeTables(context);
    await countChanges(context);
  },
};

export default step;
