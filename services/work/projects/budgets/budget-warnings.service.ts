import { service } from "../../../../mixins/resource.ts";
import { warnOfBudgets } from "./budget-warnings.ts";

export default service("projects.budget-warnings", {
  actions: {},
  jobs: {
    "projects.warn-of-budgets": {
      about: "Tells the people on a project that its budget is three quarters or all spent",
      module: "projects",
      schedule: "45 5 * * *",
      handler: (run) => run.write(warnOfBudgets),
    },
  },
});
