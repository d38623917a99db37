import type { Step } from "../step.ts";

/**
 * Every connection that is deleted leaves its grant to the job of migration 0090, whatever deletes it. Before, the service revoked the grants
 * of those it deleted itself after the commit, and a node that died in between left them valid (workspace §2.2).
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create or replace trigger grant_ended after delete on workspace_connections for each row execute function workspace_grant_ended();
      comment on function workspace_grant_ended is 'Keeps the grant of a connection that has ended until a job has revoked it';`);
  },
};

export default step;
