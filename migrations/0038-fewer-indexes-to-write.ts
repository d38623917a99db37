import type { Step } from "./step.ts";

/**
 * Indexes that nothing reads and every write fills: the samples of a search without its text, for nodes from before the step
 * `searches-walk-indexes`; the outbox by record, where the relay goes by its order and jobs by its id; and one of the two keys of the trail,
 * whose lines nothing looks up by their id alone.
 */
const step: Step = {
  async up({ sql }) {
    await sql("drop index companies_sample, contacts_sample, outbox_organisation_id_entity_type_entity_id_id_idx");
    await sql(`
      alter table activity drop constraint activity_pkey, drop constraint activity_organisation_id_id_key,
        add constraint activity_pkey primary key (organisation_id, id);
    `);
  },
};

export default step;
