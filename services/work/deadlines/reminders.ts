import { query } from "../../../core/database/query.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { emitAll } from "../../../core/jobs/outbox.ts";
import { statement } from "../../../core/sql/statement.ts";
import { OPEN } from "../open-tasks.ts";
import { DUE_SOON_DAYS, deadlineReminder } from "../tasks/due-dates.ts";

/** Tasks whose reminders are marked and emitted in one transaction. */
const AT_ONCE = 500;

/** Days of notice before a due date, by account id; the empty key holds the default for everyone else. */
export type NoticeDays = Readonly<Record<string, number>>;

/**
 * Open tasks whose starred assignee is due a reminder today and has not had it. `$3` and `$4` are accounts and their days of notice, `$5`
 * the default. The lock waits for a change of a task under way, and reads the task again: one that is finished or postponed meanwhile is
 * left out, and one that is so later retires the reminder.
 */
const DUE = statement(`select t.id, t.title, t.due_date, a.account_id as assignee
  from tasks t join task_assignees a on a.organisation_id = t.organisation_id and a.task_id = t.id and a.is_primary
  left join unnest($3::uuid[], $4::int[]) d(account_id, days) on d.account_id = a.account_id
 where t.organisation_id = $1 and (t.due_date < $2::date or t.due_date = $2::date + coalesce(d.days, $5::int)) and ${OPEN}
   and not exists (select 1 from task_reminders r where r.organisation_id = t.organisation_id and r.task_id = t.id
     and r.due_date = t.due_date and r.kind = case when t.due_date < $2::date then 'overdue' else 'due_soon' end)
 order by t.due_date, t.id limit $6 for share of t`);
/** If two nodes run this at once, the second waits for the first and marks nothing. */
const MARK = statement(`insert into task_reminders (organisation_id, task_id, kind, due_date)
  select $1, m.task_id, m.kind, m.due_date from unnest($2::uuid[], $3::text[], $4::date[]) m(task_id, kind, due_date)
  on conflict do nothing returning task_id`);

interface DueTask {
  id: string;
  title: string;
  due_date: string;
  assignee: string;
}

/** Marks and emits one batch of due reminders. @returns the number of tasks read */
async function remind(today: string, organisationId: string, notice: NoticeDays): Promise<number> {
  const { "": others = DUE_SOON_DAYS, ...chosen } = notice;
  const due = await query<DueTask>(DUE, [organisationId, today, Object.keys(chosen), Object.values(chosen), others, AT_ONCE]);
  if (due.length === 0) return 0;
  const reminders = due.flatMap((task) => {
    const reminder = deadlineReminder(task.due_date, chosen[task.assignee] ?? others, today);
    return reminder ? [{ task, reminder }] : [];
  });
  const marked = await query<{ task_id: string }>(MARK, [
    organisationId,
    reminders.map(({ task }) => task.id),
    reminders.map(({ reminder }) => reminder.event.replace("task.", "")),
    reminders.map(({ reminder }) => reminder.due_date),
  ]);
  const news = new Set(marked.map(({ task_id }) => task_id));
  const announced = reminders.filter(({ task }) => news.has(task.id));
  emitAll(
    "task.overdue",
    "task",
    announced.flatMap(({ task: { id, title, assignee }, reminder: { event, due_date } }) =>
      event === "task.overdue" ? [{ entityId: id, payload: { task_id: id, title, due_date, recipients: [assignee] } }] : [],
    ),
  );
  emitAll(
    "task.due_soon",
    "task",
    announced.flatMap(({ task: { id, title, assignee }, reminder }) =>
      reminder.event === "task.due_soon"
        ? [
            {
              entityId: id,
              payload: {
                task_id: id,
                title,
                due_date: reminder.due_date,
                days_left: reminder.days_left,
                recipients: [assignee],
              },
            },
          ]
        : [],
    ),
  );
  return due.length;
}

/** Reminds the starred assignees of tasks due for a reminder today, in bounded transactions. */
export async function remindAll(
  run: Pick<OrganisationRun, "organisation" | "today" | "write" | "call" | "signal">,
): Promise<void> {
  const today = run.today();
  const notice = await run.call<NoticeDays>("notifications.preferences.dueSoonDays", {});
  while (!run.signal.aborted && (await run.write(() => remind(today, run.organisation.id, notice))) === AT_ONCE);
}
