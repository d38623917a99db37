import type { Step } from "../step.ts";

/** When a report's last run began its work; between `run_started_at` and then it waited for others. */
const step: Step = {
  async up({ sql }) {
    await sql("alter table reports add column run_begun_at timestamptz");
    // Running ones count as before.
    await sql("update reports set run_begun_at = run_started_at where status = 'generating'");
  },
};

export default step;
