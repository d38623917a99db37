import type pg from "pg";
import { events } from "../../core/declare/events.ts";
import { jobsOf } from "../../mixins/jobs.ts";
import type { TestService } from "./service.ts";

/** How much is still to come, and whether some of it comes by itself within five minutes and nothing before it. */
const PENDING = `select outbox + normal + ordered as pending, outbox + ordered + due = 0 and soon > 0 as later from
  (select (select count(*) from outbox where relayed_at is null)::int as outbox,
     count(*)::int as normal,
     count(*) filter (where next_run_at <= now() or locked_at is not null)::int as due,
     count(*) filter (where next_run_at between now() and now() + interval '5 minutes')::int as soon,
     (select count(*) from jobs.ordered where dead_at is null)::int as ordered
   from jobs.agenda_jobs where type = 'normal' and (next_run_at is not null or locked_at is not null))`;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `condition` gives something true, and gives that. @throws Error after `timeout` ms */
export async function until<T>(condition: () => Promise<T> | T, timeout = 45_000): Promise<NonNullable<T>> {
  // Not the clock that a test may have set.
  for (const deadline = performance.now() + timeout; ; await pause(10)) {
    const met = await condition();
    if (met) return met as NonNullable<T>;
    if (performance.now() > deadline) throw new Error(`not met within ${timeout} ms: ${condition}`);
  }
}

/** What is still to come, by name and moment: for the message of a wait that ends without it. */
const WAITING = `select 'outbox ' || event as name, null::text as at, null::text as locked from outbox where relayed_at is null
  union all select name, next_run_at::text, locked_at::text from jobs.agenda_jobs
    where type = 'normal' and (next_run_at is not null or locked_at is not null)
  union all select 'ordered ' || name, null, null from jobs.ordered where dead_at is null limit 20`;

/**
 * Waits until no job waits or runs, far ones included; dead letters do not count.
 * @throws Error that names those left, once none ended for 45 s and none is to begin within five minutes
 */
export async function settled({ sql }: Pick<TestService, "sql">): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let since = performance.now(); ; await pause(10)) {
    const { pending, later } = (await sql.query(PENDING)).rows[0];
    if (pending === 0) return;
    if (later || pending < least) [least, since] = [pending, performance.now()];
    if (performance.now() - since > 45_000) throw new Error(`jobs are left: ${JSON.stringify((await sql.query(WAITING)).rows)}`);
  }
}

/** Keeps every event in the outbox from now on, as for a subscriber that is away; without one events vanish within a second. */
export async function keepEvents({ sql }: Pick<TestService, "sql">): Promise<void> {
  const names = Object.keys(events());
  await sql.query(
    "insert into jobs.definitions (name, service, event) select e || ' > away', 'away', e from unnest($1::text[]) e on conflict do nothing",
    [names],
  );
}

/** Keeps schedules from striking on a clock that jumps: it would bring every moment of the years between. @param names as SQL's LIKE */
export async function holdSchedules({ node, sql }: Pick<TestService, "node" | "sql">, names: string): Promise<void> {
  await jobsOf(node.broker).ready();
  // One that runs writes down at its end what it was: it is held after that.
  await until(async () => {
    await sql.query(
      "update jobs.agenda_jobs set disabled = true where name like $1 and type = 'single' and locked_at is null and not disabled",
      [names],
    );
    const left = "select 1 from jobs.agenda_jobs where name like $1 and type = 'single' and not disabled";
    return (await sql.query(left, [names])).rowCount === 0;
  });
}

/**
 * Lets the moment of a schedule come now, and waits until it has; one that is held is held again afterwards. The engine must be ready
 * (`jobsOf(broker).ready()`).
 */
export async function strike({ sql }: { sql: Pick<pg.ClientBase, "query"> }, name: string, timeout?: number): Promise<void> {
  await sql.query("delete from jobs.occurrences");
  // The end of a run of its own would write its next moment over this one.
  const { id, held } = await until(async () => {
    const { rows } = await sql.query(
      "update jobs.agenda_jobs set next_run_at = now(), disabled = false where name = $1 and type = 'single' and locked_at is null returning id, old.disabled as held",
      [name],
    );
    return rows[0];
  }, timeout);
  const wakes = JSON.stringify({ node: "the test", wakes: [[name, 0]] });
  await sql.query("select pg_notify('kantoor_jobs', $1)", [wakes]);
  const rested = "select 1 from jobs.agenda_jobs where id = $1 and next_run_at > now() and locked_at is null";
  await until(async () => (await sql.query(rested, [id])).rowCount === 1, timeout);
  if (held) await sql.query("update jobs.agenda_jobs set disabled = true where id = $1", [id]);
}

/** Lets the moment of a schedule come now, and waits for all it leads to. The engine must be ready. */
export async function fire(service: Pick<TestService, "sql">, name: string): Promise<void> {
  await strike(service, name);
  await settled(service);
}
