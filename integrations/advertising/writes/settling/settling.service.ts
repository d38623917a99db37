import { job } from "../../../../core/jobs/jobs.ts";
import { service } from "../../../../mixins/resource.ts";
import { SETTLE } from "../gate/intents.ts";
import { unsettledWrites } from "./intents.due.ts";
import { settleAccount, settleWaiting } from "./settling.ts";

const TIMEOUT = 300_000;

/** Settles writes with an unknown outcome (marketing-ads §3.10). */
export default service("ads.settling", {
  actions: {},
  jobs: {
    [SETTLE]: job<{ account_id: string }>({
      about: "Reads the outcome of unresolved writes from the provider",
      module: "ads_platform",
      timeout: TIMEOUT,
      handler: (run) => settleAccount(run, run.payload.account_id),
    }),
    "ads.settle.sweep": {
      about: "Finds accounts with unresolved writes",
      module: "ads_platform",
      schedule: "23 * * * *",
      due: unsettledWrites,
      handler: settleWaiting,
    },
  },
});
