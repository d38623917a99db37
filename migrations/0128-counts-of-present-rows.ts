import { COUNTED } from "./0127-kept-counts.ts";
import { countsPresentRows, type Step } from "./step.ts";

/** The rows that were there before their lists were counted: one statement per table, which holds no lock that a reader or writer waits for. */
const step: Step = {
  async up({ sql }) {
    for (const [table, counted] of Object.entries(COUNTED)) await sql(countsPresentRows(table, counted));
  },
};

export default step;
