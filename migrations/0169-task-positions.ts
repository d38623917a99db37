import type { Step } from "./step.ts";

/**
 * The position of a new task (work chapter §3.2). A function of its own, because each statement in it sees what was committed before it: a
 * statement that takes the lock and reads in one could get the lock of a transaction that has just ended, and not see its task.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`create function next_task_position(step int) returns double precision language plpgsql volatile set search_path = public as $$
      declare fraction double precision := 0;
      begin
        if not pg_try_advisory_xact_lock(hashtextextended('task positions ' || current_organisation(), 0)) then
          fraction := trunc((random() * step / 2 * 1e6)::numeric) / 1e6;
        end if;
        return (select coalesce(max(position), 0) + step + fraction from tasks where organisation_id = current_organisation());
      end $$;`);
  },
};

export default step;
