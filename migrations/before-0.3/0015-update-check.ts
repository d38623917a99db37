import type { Step } from "../step.ts";

/** The result of the last check for a newer version (platform chapter §8). */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      alter table installation add column latest_version text, add column latest_release_url text, add column latest_checked_at timestamptz;
      grant update (latest_version, latest_release_url, latest_checked_at) on installation to ${application};
    `);
  },
};
export default step;
