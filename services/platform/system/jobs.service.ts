import type { Service } from "moleculer";
import { CLEARING_TIMEOUT, clearOldEverywhere } from "../../../core/clearing/clear.ts";
import { runtime } from "../../../core/config/runtime.ts";
import { queryUnbound } from "../../../core/database/connection/database.ts";
import { permissions, systemRoles, WILDCARD } from "../../../core/declare/permissions.ts";
import { nudgeOutbox } from "../../../core/jobs/outbox.ts";
import { heartbeat } from "../../../core/jobs/store.ts";
import { statement } from "../../../core/sql/statement.ts";
import { recordDueActs } from "../../../mixins/outside-acts.ts";
import { service } from "../../../mixins/resource.ts";
import { failedInOrder, failedJobs, goneNodes, oldDefinitions, oldKeys, oldMoments, relayedEvents } from "./clearing.due.ts";

const ACTS = statement("select schedule_due_acts() as organisations");
const FOLD = statement("select fold_counts() as changes");
const EXPIRE = statement("select jobs.expire_trials() as ended");
const SHIP = statement("select jobs.ship_permissions($1, $2) as granted");

/** Grants permissions that are new in this version, once, to the system roles that include them by default. Returns their keys. */
async function shipPermissions(): Promise<string[]> {
  const defaults = systemRoles().map(({ key, grants }) => [key, grants.filter((grant) => grant !== WILDCARD)]);
  const values = [permissions().map(({ key }) => key), JSON.stringify(Object.fromEntries(defaults))];
  const [row] = await queryUnbound<{ granted: string[] }>(SHIP, values);
  return row?.granted ?? [];
}

/** Kantoor's own scheduled jobs (conventions §20). */
export default service("jobs", {
  actions: {},
  jobs: {
    "jobs.heartbeat": {
      about: "Shows that jobs run",
      per: "installation",
      schedule: "* * * * *",
      handler: (run) => heartbeat(run.node),
    },
    "jobs.retention": {
      about: "Removes old dead letters, remembered answers, and events and moments that are over",
      per: "installation",
      schedule: "45 3 * * *",
      timeout: CLEARING_TIMEOUT,
      handler: (run) =>
        clearOldEverywhere(run, oldKeys, relayedEvents, failedInOrder, failedJobs, oldMoments, oldDefinitions, goneNodes),
    },
    "jobs.acts": {
      about: "Looks for organisations with acts outside of the service that are not recorded",
      per: "installation",
      schedule: "* * * * *",
      async handler() {
        const [row] = await queryUnbound<{ organisations: number }>(ACTS);
        if (row?.organisations) nudgeOutbox();
      },
    },
    "jobs.record-acts": {
      about: "Records what requests of nodes that died have done outside of the service",
      concurrency: 4,
      timeout: 300_000,
      dedupe: "end",
      retry: { attempts: 1 },
      handler: recordDueActs,
    },
    "jobs.counts": {
      about: "Adds up what was added to large lists and removed from them",
      per: "installation",
      schedule: "* * * * *",
      async handler() {
        await queryUnbound(FOLD);
      },
    },
    "jobs.trial-expiry": {
      about: "Ends trials whose time is up",
      per: "installation",
      schedule: "30 3 * * *",
      when: () => runtime().config.posture === "hosted",
      async handler(run) {
        const [row] = await queryUnbound<{ ended: number }>(EXPIRE);
        if (row?.ended) run.logger.info({ event: "system.trials_ended" }, `${row.ended} trials ended`);
      },
    },
  },

  async started(this: Service) {
    try {
      const granted = await shipPermissions();
      if (granted.length > 0)
        this.logger.info(
          { event: "system.permissions_granted" },
          `New permissions were granted to their roles: ${granted.join(", ")}`,
        );
    } catch (error) {
      this.logger.error(
        { event: "system.permissions_not_granted", error: (error as Error).message },
        "new permissions could not be granted",
      );
    }
  },
});
