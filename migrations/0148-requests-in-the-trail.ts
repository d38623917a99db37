import type { Step } from "./step.ts";

/** Lines of the trail and of the access audit name their request, so that an operator finds them by `X-Request-Id`. */
const step: Step = {
  async up({ sql }) {
    await sql("alter table activity add column request_id text");
    await sql("alter table access_audit add column request_id text");
  },
};

export default step;
