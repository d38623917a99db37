import { service } from "../../../../mixins/resource.ts";
import { warnOfBudgets } from "./budget-warnings.ts";
import { watchedBudgets } from "./budgets.due.ts";

export default service("projects.budget-warnings", {
  actions: {},
  jobs: {
    "projects.warn-of-budgets": {
      about: "Notifies the people on a project when its budget is three quarters or completely spent",
      module: "projects",
      schedule: "45 5 * * *",
      due: watchedBudgets,
      spread: 14,
      handler: (run) => run.write(warnOfBudgets),
    },
  },
});
