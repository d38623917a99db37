import type { Step } from "../step.ts";

/** Each job asks for its own turn in its ordered queue (`jobs.begin`), so nothing reads the turns of many. */
const step: Step = {
  async up({ sql }) {
    await sql("drop function jobs.turns(uuid[])");
  },
};

export default step;
