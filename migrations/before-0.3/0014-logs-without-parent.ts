import type { Step } from "../step.ts";

/**
 * Trail and outbox get a row with nearly every write. Each foreign key to `organisations` locked that one row in each of these
 * transactions: a fifth of PostgreSQL's time on a PATCH, and a queue of lockers under load. That the organisation exists is certain
 * without it: row-level security lets only rows of the organisation in that the transaction has entered.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`alter table activity drop constraint activity_organisation_id_fkey`);
    await sql(`alter table outbox drop constraint outbox_organisation_id_fkey`);
  },
};
export default step;
