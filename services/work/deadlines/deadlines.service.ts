import { service } from "../../../mixins/resource.ts";
import { remindAll } from "./reminders.ts";

export default service("tasks.deadlines", {
  actions: {},
  jobs: {
    "tasks.remind": {
      about: "Reminds the starred assignees of open tasks of a due date that is near or has passed",
      schedule: "30 5 * * *",
      worksOn: ["tasks"],
      timeout: 300_000,
      handler: remindAll,
    },
  },
});
