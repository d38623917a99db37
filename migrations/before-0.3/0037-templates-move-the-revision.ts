import type { Step } from "../step.ts";

/** Every new client reads which statuses of clients have task templates: nodes cache it by the access revision. */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create trigger access_changed after insert or delete or update of trigger, trigger_status, active on task_templates
        for each row execute function bump_access_of_row();
    `);
  },
};

export default step;
