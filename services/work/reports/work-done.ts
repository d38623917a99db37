import { addDays } from "../../../core/calendar/calendar.ts";
import { dayInWords } from "../../../core/calendar/in-words.ts";
import { queryAll } from "../../../core/database/query.ts";
import {
  cutRows,
  type GatheredFor,
  type GatherSection,
  MOST_ROWS,
  type ReportSectionData,
  type ReportTable,
} from "../../../core/declare/report-sections.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { statement } from "../../../core/sql/statement.ts";
import { CLIENT_THROUGH_TASK } from "../clients-of-work.ts";
import { onOrAfter, onOrBefore } from "../days.ts";
import { column, HEADINGS, LABELS } from "./work-words.ts";

/** Tasks of client `$2`, by themselves or through their project; with `$3` only those that clients see (work chapter §3.6). */
const OF_CLIENT = `t.organisation_id = $1 and (t.company_id = $2 or t.company_id is null and t.project_id in (select vp.id from projects vp
    where vp.organisation_id = $1 and vp.company_id = $2)) and (t.visible_to_client or not $3::boolean)`;
/** The name of a task's project, if that is the client's. */
const PROJECT = "left join projects p on p.organisation_id = t.organisation_id and p.id = t.project_id and p.company_id = $2";
/** The first instant of a day in the organisation's zone. */
const dawn = (day: string, zone: string): string => `(${day}::date::timestamp at time zone ${zone})`;
const within = (start: string, afterEnd: string, zone: string): string =>
  `(t.completed_at >= ${dawn(start, zone)} and t.completed_at < ${dawn(afterEnd, zone)})`;

const FINISHED = statement(`select t.title, p.name as project, to_char(t.completed_at at time zone $6, 'YYYY-MM-DD') as day
  from tasks t ${PROJECT} where ${OF_CLIENT} and ${within("$4", "$5", "$6")} order by t.completed_at desc, t.id limit ${MOST_ROWS}`);
const COUNTS = statement(`select count(*) filter (where ${within("$4", "$5", "$8")})::float8 as now,
    count(*) filter (where ${within("$6", "$7", "$8")})::float8 as before,
    count(*) filter (where t.completed_at < ${dawn("$7", "$8")}) > 0 as has_before
  from tasks t where ${OF_CLIENT} and t.completed_at < ${dawn("greatest($5::date, $7::date)", "$8")}`);
const NEXT = statement(`select t.title, p.name as project, t.due_date::text as day, (count(*) over ())::float8 as total
  from tasks t ${PROJECT} where ${OF_CLIENT} and t.completed_at is null and t.due_date is not null
  order by t.due_date, t.title, t.id limit ${MOST_ROWS}`);
const minutesIn = (from: string, to: string): string =>
  `coalesce(sum(t.minutes) filter (where t.work_date between ${from}::date and ${to}::date), 0)::float8`;
const HOURS = statement(`select p.name as project, ${minutesIn("$3", "$4")} as now, ${minutesIn("$5", "$6")} as before
  from time_entries t ${PROJECT}
  where t.organisation_id = $1 and t.ended_at is not null and ${CLIENT_THROUGH_TASK} = $2
    and ${onOrAfter("t", "least($3::date, $5::date)")} and ${onOrBefore("t", "greatest($4::date, $6::date)")}
  group by p.id, p.name order by now desc, p.name`);

interface TaskRow {
  title: string;
  project: string | null;
  day: string;
}
interface Counts {
  now: number;
  before: number;
  has_before: boolean;
}
interface ProjectHours {
  project: string | null;
  now: number;
  before: number;
}

const hoursOf = (minutes: number): number => minutes / 60;

/** A table of tasks; without a column of projects if none has one. */
function tasksTable(
  rows: readonly TaskRow[],
  day: "finished" | "due",
  total: number,
  locale: GatheredFor["locale"],
): ReportTable {
  const hasProjects = rows.some(({ project }) => project !== null);
  return {
    columns: [column("task", "text"), ...(hasProjects ? [column("project", "text")] : []), column(day, "text")],
    rows: rows.map((row) => [row.title, ...(hasProjects ? [row.project] : []), dayInWords(locale, row.day)]),
    ...cutRows(rows.length, total),
  };
}

/** The hours by project as a part; none without hours. */
function hoursPart(rows: readonly ProjectHours[], locale: GatheredFor["locale"]): NonNullable<ReportSectionData["parts"]> {
  const written = rows.filter(({ now }) => now > 0);
  if (written.length === 0) return [];
  const table = {
    columns: [column("project", "text"), column("hours", "decimal")],
    rows: written.slice(0, MOST_ROWS).map(({ project, now }) => [project ?? HEADINGS.without_project[locale], hoursOf(now)]),
    ...cutRows(MOST_ROWS, written.length),
  };
  return [{ name: HEADINGS.hours[locale], totals: [], table }];
}

const sumOf = (rows: readonly ProjectHours[], of: "now" | "before"): number => rows.reduce((sum, row) => sum + row[of], 0);

/**
 * The finished tasks of a client, the hours of its work and its next tasks, in a fixed number of statements. A client's report has only
 * tasks that the portal shows, and no hours: client logins see none (work chapter §3.6, §4). Null if nothing was finished and no hours were
 * written. An earlier count is missing if no task was finished before.
 */
export const gatherWorkDone: GatherSection = async ({ company_id: companyId, audience, span, compared, locale }) => {
  const { id, enabledModules } = request().organisation;
  const zone = organisationZone();
  const place = [id, companyId, audience === "client"];
  const [from, after] = [span.start, addDays(span.end, 1)];
  const [finished, [counts], next, hours = []] = (await queryAll(
    [FINISHED, [...place, from, after, zone]],
    [COUNTS, [...place, from, after, compared.start, addDays(compared.end, 1), zone]],
    [NEXT, place],
    ...(audience === "internal" && enabledModules.includes("time")
      ? [[HOURS, [id, companyId, span.start, span.end, compared.start, compared.end]] as const]
      : []),
  )) as unknown as [TaskRow[], [Counts], (TaskRow & { total: number })[], ProjectHours[] | undefined];
  const [now, before] = [sumOf(hours, "now"), sumOf(hours, "before")];
  if (counts.now === 0 && now === 0) return null;
  const isLogged = now > 0 || before > 0;
  const parts = [
    ...hoursPart(hours, locale),
    ...(next[0] ? [{ name: HEADINGS.next[locale], totals: [], table: tasksTable(next, "due", next[0].total, locale) }] : []),
  ];
  return {
    role: "done",
    totals: [
      { key: "tasks", label: LABELS.tasks, kind: "count", value: counts.now, before: counts.has_before ? counts.before : null },
      ...(isLogged
        ? [
            {
              key: "hours",
              label: LABELS.hours,
              kind: "decimal" as const,
              value: hoursOf(now),
              before: before > 0 ? hoursOf(before) : null,
            },
          ]
        : []),
    ],
    ...(finished.length > 0 && { table: tasksTable(finished, "finished", counts.now, locale) }),
    ...(parts.length > 0 && { parts }),
  };
};
