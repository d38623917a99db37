import type { Tenant } from "../../../support/service.ts";
import { type Hours, ok } from "./hours.ts";

/** Numbers of a seed, the same in every run. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A zone's clock at an instant, `YYYY-MM-DDTHH:MM:SS`: by the formatter of the runtime, without the service. */
export function wallOf(zone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat("sv", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  return (at) => format.format(at).replace(" ", "T");
}

/** The references of an entry, as sent: omitted ones are omitted. */
export interface Sent {
  company_id?: string | null;
  project_id?: string | null;
  task_id?: string | null;
}

/** An entry as an independent reading of the rules has it. */
export interface Expected {
  user_id: string;
  work_date: string;
  minutes: number;
  billable: boolean;
  company_id: string | null;
  project_id: string | null;
  task_id: string | null;
}

interface Project {
  id: string;
  company_id: string | null;
  billable: boolean;
  period: "total" | "monthly" | "weekly" | "daily";
}

/** An organisation in a zone with clients, projects and tasks of every kind. */
export interface World {
  tenant: Tenant;
  hours: Hours;
  clients: string[];
  projects: Project[];
  tasks: { id: string; company_id: string | null; project_id: string | null }[];
}

/** An organisation in a zone, with projects of every period and one without a client, and tasks that refer to all, one or none of them. */
export async function openWorld(hours: Hours, zone: string): Promise<World> {
  const { tenant } = hours;
  await ok(tenant.owner.patch("/meta/tenant", { timezone: zone }));
  await hours.defaultRate(60);
  const clients: string[] = [];
  for (let n = 0; n < 3; n++) clients.push((await tenant.company()).id);
  const [one = "", two = "", three = ""] = clients;
  const projects: Project[] = [];
  for (const [company_id, period, billable] of [
    [one, "total", true],
    [one, "monthly", false],
    [two, "weekly", true],
    [three, "daily", true],
    [null, "monthly", true],
  ] as const) {
    const values = { company_id, budget_period: period, billable_default: billable, budget_hours: 100 };
    projects.push({ id: await hours.project(values), company_id, period, billable });
  }
  const tasks: World["tasks"] = [];
  for (const [project, company_id] of [
    [projects[0], null],
    [projects[1], one],
    [projects[2], three],
    [projects[4], two],
    [undefined, two],
    [undefined, null],
  ] as const) {
    const project_id = project?.id ?? null;
    tasks.push({ id: await hours.task({ project_id, company_id }), project_id, company_id });
  }
  return { tenant, hours, clients, projects, tasks };
}

/** The references of an entry, by the rule: sent ones win, a task sets its project, a project its client, else the task. */
export function placeOf({ projects, tasks }: World, sent: Sent): Required<Sent> & { billable: boolean } {
  const task = tasks.find(({ id }) => id === sent.task_id);
  const project_id = "project_id" in sent ? (sent.project_id ?? null) : (task?.project_id ?? null);
  const project = projects.find(({ id }) => id === project_id);
  const derived = project?.company_id ?? task?.company_id ?? null;
  const company_id = "company_id" in sent ? (sent.company_id ?? null) : derived;
  return { company_id, project_id, task_id: sent.task_id ?? null, billable: project?.billable ?? true };
}

/** Something random to log hours on; nulls are sent on purpose. */
export function anyPlace(world: World, random: () => number, withNulls: boolean): Sent {
  const some = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const company_id = some(world.clients);
  const project_id = some(world.projects).id;
  const task_id = some(world.tasks).id;
  const kinds: Sent[] = [
    ...[{}, { company_id }, { project_id }, { task_id }, { task_id }, { project_id, task_id }, { company_id, project_id }],
    ...[
      { company_id, task_id },
      { company_id, project_id, task_id },
    ],
    ...(withNulls
      ? [
          { task_id, project_id: null },
          { project_id, company_id: null },
        ]
      : []),
  ];
  return some(kinds);
}
