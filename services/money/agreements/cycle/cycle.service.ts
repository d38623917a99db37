import { service } from "../../../../mixins/resource.ts";
import { dueAgreements } from "./cycle.due.ts";
import { runCycle } from "./cycle.ts";

export default service("subscriptions.cycle", {
  actions: {},
  jobs: {
    "subscriptions.bill": {
      about: "Reports the ended periods of agreements, and moves each to its next boundary",
      schedule: "30 5 * * *",
      due: dueAgreements,
      // The documents that follow are mailed at 06:15.
      spread: 15,
      module: "subscriptions",
      timeout: 300_000,
      handler: runCycle,
    },
  },
});
