import { addDays } from "../../../../core/calendar/calendar.ts";
import { service } from "../../../../mixins/resource.ts";
import { remindedPeople, remindedWeek } from "../timesheet-reminder.ts";
import { peopleOf, remind } from "./reminded-people.ts";

export default service("time.timesheet-reminders", {
  actions: {},

  jobs: {
    "time.remind-timesheets": {
      about: "Reminds people without hours last week, unless they were away",
      module: "time",
      schedule: "0 7 * * 1",
      everywhere: "people without any hours are those it looks for, once a week",
      spread: 55,
      async handler(run) {
        const week = remindedWeek(run.today());
        const found = await run.read(() => peopleOf(week));
        const idle = remindedPeople(found.map((person) => ({ ...person, fully_absent: false }))).map(({ user_id }) => user_id);
        if (idle.length === 0) return;
        const window = { date_from: week, date_to: addDays(week, 6) };
        const absent = new Set(await run.call<string[]>("leave.team.absent", { user_ids: idle, ...window }));
        const away = found.map((person) => ({ ...person, fully_absent: absent.has(person.user_id) }));
        const people = remindedPeople(away).map(({ user_id }) => user_id);
        await run.write(() => remind(people, week));
      },
    },
  },
});
