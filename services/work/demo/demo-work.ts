import { addDays, eachDay, type IsoDate, instantIn, isoWeekday, utcInstant } from "../../../core/calendar/calendar.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { noRows, type RowsByTable, writeRows } from "../../../core/database/rows-at-once.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { bodyOf } from "../interactions/interaction-body.ts";
import { seedKinds } from "../interactions/kinds.ts";
import { seedStatuses } from "../statuses/status-rows.ts";
import { seedEntryTypes } from "../time/types/entry-types.ts";
import { addMail } from "./demo-mail.ts";
import { DEMO_CHECKLIST, DEMO_COMMENTS, DEMO_MOMENTS, DEMO_PROJECTS, DEMO_WORK } from "./demo-plan.ts";

/** Half a year, in days. */
const DAYS = 182;
/** A person has no entries on every n-th working day. */
const FORGOTTEN = 19;
/** Age in days beyond which entries are approved, and billable ones invoiced. */
const AGE = { approved: 21, invoiced: 60 } as const;
/** The entries of a working day: start, minutes. */
const STRETCHES = [
  ["08:30", 105],
  ["10:30", 90],
  ["13:00", 120],
  ["15:15", 105],
] as const;

const BUSY = statement("select 1 from projects where organisation_id = $1 limit 1");
const COMPANIES = statement(`select c.id, (select a.account_id from company_assignees a
    where a.organisation_id = $1 and a.company_id = c.id and a.is_primary) as starred
  from companies c where c.organisation_id = $1 and c.status in ('active', 'onboarding') order by c.client_number limit $2`);
const PEOPLE =
  statement(`select a.id, coalesce(nullif(a.full_name, ''), a.email) as name from memberships m join accounts a on a.id = m.account_id
  where m.organisation_id = $1 and a.email <> $2 order by a.email limit 12`);

/** The tables to fill, in foreign key order. */
const TABLES = [
  "projects",
  "project_assignees",
  "task_labels",
  "tasks",
  "task_assignees",
  "task_label_links",
  "task_blockers",
  "task_checklists",
  "task_checklist_items",
  "task_comments",
  "task_schedules",
  "interactions",
  "time_entries",
] as const;

interface Person {
  id: string;
  name: string;
}
interface Client {
  id: string;
  starred: string | null;
}

/** The demo data of one organisation while it is assembled. */
interface Demo {
  people: readonly Person[];
  clients: readonly Client[];
  today: IsoDate;
  zone: string;
  /** The next id of a kind of record (`demoIds`). */
  ids: (kind: string) => string;
  rows: RowsByTable<(typeof TABLES)[number]>;
}

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
/** A project, its client and its tasks. */
interface Work {
  id: string;
  companyId: string;
  billable: boolean;
  isOpen: boolean;
  tasks: string[];
}

const LABELS = [
  ["Spoed", "red"],
  ["Wacht op klant", "amber"],
  ["Idee", "sky"],
] as const;

/** Adds a task with its roster and, depending on its number, a label, a checklist, comments or a planned block. */
function addTask(
  { rows, people, today, zone, ids }: Demo,
  work: Work,
  title: string,
  n: number,
  labels: readonly string[],
): void {
  const id = ids("tasks");
  const person = at(people, n * 5 + 1);
  const isDone = !work.isOpen || n % 5 < 2;
  const due = addDays(today, (n % 40) - 12);
  const made = `${addDays(today, -100 + (n % 90))}T09:00:00Z`;
  rows.tasks.push({
    id,
    company_id: work.companyId,
    project_id: work.id,
    status: isDone ? "done" : n % 5 === 2 ? "in_progress" : "open",
    priority: at(["normal", "high", "normal", "low"], n),
    title,
    description: n % 3 === 0 ? "Zie de **afspraken** in het verslag van de kick-off." : null,
    due_date: n % 4 === 3 ? null : due,
    allocated_minutes: n % 3 === 1 ? 240 : null,
    position: 1024 * (n + 1),
    visible_to_client: n % 6 === 0,
    completed_at: isDone ? `${addDays(today, -1 - (n % 60))}T15:00:00Z` : null,
    created_at: made,
  });
  work.tasks.push(id);
  rows.task_assignees.push({ task_id: id, account_id: person.id, is_primary: true });
  if (n % 3 === 0) rows.task_assignees.push({ task_id: id, account_id: at(people, n * 5 + 2).id, is_primary: false });
  if (n % 4 === 1) rows.task_label_links.push({ task_id: id, label_id: at(labels, n) });
  if (n % 4 === 0) {
    const checklist = ids("tasks/checklists");
    rows.task_checklists.push({ id: checklist, task_id: id, title: "Voor het klaar is", position: 0 });
    for (const [position, item] of DEMO_CHECKLIST.entries())
      rows.task_checklist_items.push({
        id: ids("tasks/checklists/items"),
        checklist_id: checklist,
        title: item,
        done: isDone || position < n % 3,
        position,
      });
  }
  for (let m = 0; m < n % 3; m++) {
    const author = at(people, n + m * 3);
    const body = at(DEMO_COMMENTS, n + m);
    rows.task_comments.push({
      id: ids("tasks/comments"),
      task_id: id,
      author_account_id: author.id,
      author_name: author.name,
      body,
      created_at: `${addDays(today, -20 + m)}T1${m}:30:00Z`,
    });
  }
  if (!isDone && n % 6 === 3) {
    const day = addDays(today, 1 + (n % 5));
    const [starts_at, ends_at] = [instantIn(zone, day, "09:30"), instantIn(zone, day, "11:00")];
    rows.task_schedules.push({ id: ids("tasks/schedules"), task_id: id, user_id: person.id, starts_at, ends_at });
  }
}

/** Adds the projects with their tasks, one client each. */
function addProjects(demo: Demo): Work[] {
  const { rows, people, clients, today, ids } = demo;
  const labels = LABELS.map(([name, color], position) => {
    const id = ids("tasks/labels");
    rows.task_labels.push({ id, name, color, position });
    return id;
  });
  let n = 0;
  return DEMO_PROJECTS.map(({ name, status, budget, billable, color, tasks }, nth) => {
    const client = at(clients, nth);
    const isOpen = status === "active" || status === "on_hold";
    const work: Work = { id: ids("projects"), companyId: client.id, billable, isOpen, tasks: [] };
    rows.projects.push({
      id: work.id,
      company_id: client.id,
      name,
      status,
      budget_hours: budget?.[0] ?? null,
      budget_period: budget?.[1] ?? "total",
      billable_default: billable,
      color,
      start_date: addDays(today, -170 + nth * 3),
      end_date: isOpen ? null : addDays(today, -20),
      created_at: `${addDays(today, -171 + nth * 3)}T09:00:00Z`,
    });
    rows.project_assignees.push({ project_id: work.id, account_id: client.starred ?? at(people, nth).id, is_primary: true });
    const second = at(people, nth + 4).id;
    if (second !== client.starred) rows.project_assignees.push({ project_id: work.id, account_id: second, is_primary: false });
    for (const title of tasks) addTask(demo, work, title, n++, labels);
    // The last task of a project, which opens or delivers, waits for the two before it.
    const [texts, checks, last] = work.tasks.slice(-3) as [string, string, string];
    for (const blocker_id of [texts, checks]) rows.task_blockers.push({ task_id: last, blocker_id });
    return work;
  });
}

/** Adds time entries for every working day except the forgotten ones. */
function addHours({ rows, people, today, zone, ids }: Demo, works: readonly Work[]): void {
  for (const [nth, person] of people.entries())
    for (const [index, day] of eachDay(addDays(today, -DAYS), addDays(today, -1)).entries()) {
      if (isoWeekday(day) > 5 || (index * 7 + nth * 5) % FORGOTTEN === 0) continue;
      const age = DAYS - index;
      for (const [part, [time, minutes]] of STRETCHES.entries()) {
        const n = index * 4 + part + nth * 3;
        if (n % 11 === 0) continue;
        const work = at(works, nth + (n % 4) * 5);
        const started = utcInstant(instantIn(zone, day, time));
        const billable = work.billable && n % 6 > 0;
        rows.time_entries.push({
          id: ids("time/entries"),
          user_id: person.id,
          work_date: day,
          started_at: started,
          ended_at: utcInstant(Date.parse(started) + minutes * 60_000),
          minutes,
          billable,
          company_id: work.companyId,
          project_id: work.id,
          task_id: n % 3 === 0 ? null : at(work.tasks, n),
          entry_type_key: "work",
          description: at(DEMO_WORK, n),
          approved_at: age > AGE.approved ? `${addDays(day, 7)}T09:00:00Z` : null,
          approved_by_user_id: age > AGE.approved ? at(people, 0).id : null,
          invoiced_at: age > AGE.invoiced && billable ? `${addDays(day, 31)}T09:00:00Z` : null,
        });
      }
    }
}

/** Adds one to four contact moments per client. */
function addMoments({ rows, people, clients, today, ids }: Demo, works: readonly Work[]): void {
  for (const [nth, { id: company_id }] of clients.entries())
    for (let n = 0; n < 1 + (nth % 4); n++) {
      const [kind, subject, text] = at(DEMO_MOMENTS, nth + n);
      const id = ids("interactions");
      rows.interactions.push({
        id,
        kind,
        direction: kind === "call" ? "inbound" : "none",
        occurred_at: `${addDays(today, -(4 + nth * 5 + n * 19))}T1${n}:15:00Z`,
        owner_account_id: at(people, nth + n).id,
        company_id,
        project_id: works.find(({ companyId }) => companyId === company_id)?.id ?? null,
        conversation_id: id,
        subject,
        ...bodyOf(text),
      });
    }
}

/**
 * Fills the demo organisation with projects in every status, tasks with comments and checklists, contact moments, and half a year of time
 * entries, in a few statements. Does nothing if it already has projects.
 */
export async function fillWork({ organisation, owner }: Omit<DemoOrganisation, "colleagues" | "client">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const clients = await query<Client>(COMPANIES, [organisation.id, DEMO_PROJECTS.length]);
      const people = await query<Person>(PEOPLE, [organisation.id, owner]);
      if (clients.length === 0 || people.length === 0) return;
      seedStatuses();
      seedEntryTypes();
      seedKinds();
      const rows = noRows(TABLES);
      const demo: Demo = {
        people,
        clients,
        today: organisationToday(),
        zone: organisationZone(),
        ids: demoIds(organisation),
        rows,
      };
      const works = addProjects(demo);
      addHours(demo, works);
      addMoments(demo, works);
      writeRows(rows);
      await addMail(
        owner,
        clients.map(({ id }) => id),
        demo.today,
      );
    },
  );
}
