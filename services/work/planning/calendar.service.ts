import { calendarText, feedWindow } from "../../../core/calendar/calendar-text.ts";
import { query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { download } from "../../../core/declare/makers/download.ts";
import { holds } from "../../../core/declare/permissions.ts";
import { madeFile } from "../../../core/files/file-answer.ts";
import { type CalendarReader, calendarLinks } from "../../../core/http/calendar-links.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import { answer, optional, Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { ON_ROSTER, OPEN } from "../open-tasks.ts";
import { TaskCalendarToken } from "../task-models.ts";
import { tasksOfClient, workOfStaff } from "../visibility.ts";
import { blockEvent, type DueTask, dueEvent, type PlannedBlock } from "./calendar-events.ts";
import { windowInstants } from "./planned-blocks.ts";

const PATH = "/tasks/calendar.ics";
const TITLES: Readonly<Record<string, string>> = { nl: "Taken", en: "Tasks" };
const TaskCalendarLink = answer(
  "TaskCalendarToken",
  { token: Type.String(), url: Type.String() },
  {
    token: "The secret in the link. No other answer contains it; a new one replaces it",
    url: "Address to subscribe to in a calendar program",
  },
);

const links = calendarLinks("task_calendar_tokens", PATH);

const seen = (clients: boolean) => `($5::uuid[] is null or ${clients ? tasksOfClient("$5::uuid[]") : workOfStaff("$5::uuid[]")})`;
const read = (clients: boolean) => ({
  blocks: statement(`select s.id, t.title, s.note, s.starts_at, s.ends_at, greatest(s.updated_at, t.updated_at) as updated_at
    from task_schedules s join tasks t on t.organisation_id = s.organisation_id and t.id = s.task_id
    where s.organisation_id = $1 and s.user_id = $2 and s.starts_at >= $3::timestamptz and s.starts_at < $4::timestamptz
      and ${seen(clients)} order by s.starts_at, s.id`),
  due: statement(`select t.id, t.title, t.due_date, t.updated_at
    from tasks t where t.organisation_id = $1 and t.id = any(array(${ON_ROSTER.ids("$2")})) and ${OPEN}
      and t.due_date between $3::date and $4::date and ${seen(clients)} order by t.due_date, t.id`),
});
const READ = { staff: read(false), client: read(true) };

/** A person's feed: the person's planned blocks and, by due date, assigned open tasks, as far as the person can still read them. */
async function feedOf({ user_id, grants, locale: chosen, selection, is_client }: CalendarReader): Promise<string> {
  const { organisation } = request();
  const zone = organisationZone();
  const window = feedWindow(organisationToday());
  const { start, end } = windowInstants(window.from, window.to, zone);
  const { blocks, due } = is_client ? READ.client : READ.staff;
  const [planned, tasks] = await Promise.all([
    holds(grants, "tasks.schedule.read") ? query<PlannedBlock>(blocks, [organisation.id, user_id, start, end, selection]) : [],
    holds(grants, "tasks.task.read") ? query<DueTask>(due, [organisation.id, user_id, window.from, window.to, selection]) : [],
  ]);
  const name = TITLES[chosen ?? organisation.locale] ?? "Tasks";
  return calendarText([...planned.map(blockEvent), ...tasks.map(dueEvent)], { name, product: "Tasks", zone, ...window });
}

export default resource("tasks.calendar", {
  model: TaskCalendarToken,
  actions: {
    createToken: action({
      rest: "POST /tasks/calendar-token",
      summary: "Make the link of the calendar of your planned work, or replace it",
      description:
        "The only answer that ever contains the link; a replaced link stops working at once. A service account has none: 403.",
      permission: "tasks.schedule.read",
      oneTime: true,
      returns: TaskCalendarLink,
      handler: () => links.make(),
    }),

    removeToken: action({
      rest: "DELETE /tasks/calendar-token",
      summary: "Revoke the link of the calendar of your planned work",
      permission: "tasks.schedule.read",
      handler: () => links.revoke(),
    }),

    feed: download({
      rest: `GET ${PATH}`,
      summary: "Your planned blocks and due tasks to subscribe to (iCalendar)",
      description: "Blocks at their times, open tasks on their due date. An unknown, replaced or revoked link is 404.",
      open: "the link's token is the credential",
      needs: "nothing",
      query: { token: optional(Type.String({ default: "" })) },
      returnsFile: "text/calendar",
      errors: ["not_found"],
      async handler(ctx) {
        const bytes = await feedOf(await links.readerOf(ctx.params.token ?? ""));
        return madeFile({ name: "tasks.ics", type: "text/calendar", bytes }, { inline: true });
      },
    }),
  },
});
