import type { Step } from "../step.ts";

/** When a provider was last called with a key, of all nodes: for providers that limit calls by the second. */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create unlogged table provider_paces (
        bucket text primary key,
        -- When the latest calls were let through, the oldest first; as many as the provider takes in a second.
        slots timestamptz[] not null
      );
      grant select, insert, update, delete on provider_paces to ${application};
    `);
  },
};

export default step;
