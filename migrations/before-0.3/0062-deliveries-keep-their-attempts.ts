import type { Step } from "../step.ts";

/**
 * Webhook deliveries keep every attempt, a replay adds to them, and they outlive their endpoint (platform §5.9). Attempts made before this
 * step are counted and not described.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table webhook_deliveries
        -- In order: at, response_status, response_body and error of each.
        add column attempt_log jsonb not null default '[]',
        -- Attempts made before the last replay: the waits between attempts are counted from there.
        add column round_began int not null default 0,
        drop constraint webhook_deliveries_endpoint_fkey;
    `);
  },
};

export default step;
