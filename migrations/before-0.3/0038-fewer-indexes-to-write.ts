import type { Step } from "../step.ts";

/**
 * Indexes that nothing reads and every write fills: the samples of a search without its text, for nodes from before the step
 * `searches-walk-indexes`; the outbox by record, where the relay goes by its order and jobs by its id; and the trail by id alone. The trail
 * keeps its unique key: making that one primary would rebuild it while writes wait.
 */
const step: Step = {
  async up({ sql }) {
    await sql("drop index companies_sample, contacts_sample, outbox_organisation_id_entity_type_entity_id_id_idx");
    await sql("alter table activity drop constraint activity_pkey");
  },
};

export default step;
