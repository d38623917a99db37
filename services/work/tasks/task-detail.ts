import { jsonArray, projection } from "../../../core/database/projection.ts";
import type { JsonText } from "../../../core/sql/json-text.ts";
import { newestLines, trailProjection } from "../../../core/trail/trail.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { WAITS_OF_TASK } from "../blockers/blocker-rows.ts";
import { checklistsOf } from "../checklists/checklist-rows.ts";
import { commentsOf, seesContacts } from "../comments/comment-rows.ts";
import { seesHours } from "../hour-callers.ts";
import { momentsInTrail } from "../interactions/moments-in-trail.ts";
import { Task } from "../task-models.ts";
import { forStaffAndClients, tasksOfClient, workOfStaff } from "../visibility.ts";
import { HOURS, LABELS, LINKS, NO_HOURS, ROSTER } from "./task-columns.ts";
import { ActivityRead, TaskDetail } from "./task-schemas.ts";

/** Trail lines in the detail of a task. */
const LINES = 50;
const ACTIVITIES = jsonArray(
  trailProjection(ActivityRead, [momentsInTrail]).rows(
    newestLines({ type: "'task'", id: "$2", most: String(LINES) }),
    "$3::uuid[]",
  ),
);

/** Reads a whole task in one statement; a client login gets no trail (work chapter §3.6). */
const detail = (clients: boolean, hours: boolean, readsContacts: boolean) =>
  rowsOf({
    model: Task,
    narrowed: true,
    visible: clients ? tasksOfClient : workOfStaff,
    projection: projection({
      model: Task,
      schema: TaskDetail,
      columns: {
        assignees: "roster.people",
        assignee_user_id: "roster.starred",
        labels: LABELS,
        links: LINKS,
        ...WAITS_OF_TASK.columns,
        checklists: `${jsonArray(checklistsOf("$1", "$2"))}::json`,
        comments: "said.comments",
        comments_truncated: "said.comments_truncated",
        activities: clients ? "'[]'::json" : `${ACTIVITIES}::json`,
        ...(hours ? HOURS.columns : NO_HOURS),
      },
      joins: (sources) =>
        [
          ROSTER,
          WAITS_OF_TASK.joins(sources, clients),
          `cross join lateral (${commentsOf({ organisation: "$1", id: "$2", sources }, { clients, readsContacts })}) said`,
          hours ? HOURS.joins(sources, clients) : "",
        ].join(" "),
    }),
  });

const shown = forStaffAndClients((clients) => {
  const of = (hours: boolean) => ({ withContacts: detail(clients, hours, true), without: detail(clients, hours, false) });
  return { plain: of(false), withHours: of(true) };
});

/** A task with all its parts. @throws 404 if the caller does not see it */
export const taskDetail = (id: string): Promise<JsonText> =>
  shown()[seesHours() ? "withHours" : "plain"][seesContacts() ? "withContacts" : "without"].one(id);
