import type { Step } from "./step.ts";

/** When public DNS is to be asked about a domain; null while no look-up is due. These rows are a queue: one job per organisation drains it. */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table domains add column dns_look_at timestamptz;
      create index domains_dns_look on domains (organisation_id, dns_look_at) where dns_look_at is not null;
    `);
  },
};

export default step;
