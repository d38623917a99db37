import { service } from "../../../mixins/resource.ts";
import { nearDeadlines } from "./deadlines.due.ts";
import { remindAll } from "./reminders.ts";

export default service("tasks.deadlines", {
  actions: {},
  jobs: {
    "tasks.remind": {
      about: "Reminds the starred assignees of open tasks of a due date that is near or has passed",
      schedule: "30 5 * * *",
      due: nearDeadlines,
      // A notice is for one day exactly: no midnight is between 05:30 and 05:55.
      spread: 25,
      timeout: 300_000,
      handler: remindAll,
    },
  },
});
