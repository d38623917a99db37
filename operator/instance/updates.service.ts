import { runtime } from "../../core/config/runtime.ts";
import { installationFigures } from "../../mixins/ops/installation-figures.ts";
import { service } from "../../mixins/resource.ts";
import { appliedSteps } from "../backup/catalogue.ts";
import { instanceAction, requireUnlimited } from "./action.ts";
import { UpdatesRead } from "./schemas/updates.ts";

/** Which version runs where, and how far the schema is. */
export default service("instance.updates", {
  actions: {
    read: instanceAction({
      rest: "GET /instance/updates",
      summary: "Show the versions of the nodes and the steps of the schema",
      description: "The service does not update itself: docs/operating/upgrade.md says how you do it.",
      needs: "updates",
      returns: UpdatesRead,
      async handler({ client, caller, broker }) {
        requireUnlimited(caller);
        const { version, gitSha: revision, migrations: known } = runtime();
        const applied = await appliedSteps(client);
        const nodes = (await installationFigures(broker)).nodes.map((node) => ({
          id: node.id,
          version: "version" in node ? node.version : null,
          revision: "version" in node ? (node.revision ?? null) : null,
        }));
        const pending = known.filter((step) => !applied.includes(step));
        const unknown = applied.filter((step) => !known.includes(step));
        const isSame = nodes.every((node) => node.version === version && node.revision === revision);
        return {
          version,
          revision,
          steps_applied: applied,
          steps_pending: pending,
          steps_unknown: unknown,
          nodes,
          is_uniform: isSame && pending.length === 0 && unknown.length === 0,
        };
      },
    }),
  },
});
