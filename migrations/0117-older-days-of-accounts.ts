import type { Step } from "./step.ts";

/**
 * The backfill of an advertising account reads 800 days instead of 400 (marketing-ads §3.11). Accounts with 400 days go on before them: the
 * night queues them. Two days are read once more, because the stamp is UTC and days are in the account's zone.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      update ads_accounts set backfilled_from = (backfilled_at at time zone 'UTC')::date - 398, backfilled_at = null
        where backfilled_at is not null and active and not is_manager;`);
  },
};

export default step;
