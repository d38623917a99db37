import type { Step } from "./step.ts";

/**
 * Indexes that nothing reads and every write fills: the samples of a search without its text, for nodes from before the step
 * `searches-walk-indexes`, and one of the two keys of the trail, whose lines nothing looks up by their id alone.
 */
const step: Step = {
  async up({ sql }) {
    await sql("drop index if exists companies_sample, contacts_sample");
    await sql(`
      alter table activity drop constraint activity_pkey, drop constraint activity_organisation_id_id_key,
        add constraint activity_pkey primary key (organisation_id, id);
    `);
  },
};

export default step;
