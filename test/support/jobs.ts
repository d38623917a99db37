import type pg from "pg";
import { events } from "../../core/declare/catalogue/catalogue.ts";
import { jobsOf } from "../../mixins/jobs.ts";
import { sharedSince } from "./run/shared.ts";
import type { TestService } from "./service.ts";

/** Work of the subscriber of `keepEvents`, which does not exist: it waits for ever, also for the files after the one that keeps events. */
const KEPT = "% > away";
/** Whether work counts, by SQL of its organisation's id; `$1` is `sharedSince`. */
const counts = (organisation: string): string =>
  `not exists (select 1 from organisations n where n.id = ${organisation} and n.created_at < $1::timestamptz)`;

const OUTBOX = `outbox o where o.relayed_at is null and ${counts("o.organisation_id")}`;
const ORDERED = `jobs.ordered o where o.dead_at is null and o.name not like '${KEPT}' and ${counts("(o.data ->> 'organisation')::uuid")}`;
const QUEUED = `jobs.agenda_jobs o where o.type = 'normal' and o.name not like '${KEPT}' and (o.next_run_at is not null or o.locked_at is not null)
  and ${counts("(o.data ->> 'organisation')::uuid")}`;

/** The amount of pending work, and whether nothing is due now but some within five minutes. */
const PENDING = `select outbox + normal + ordered as pending, outbox + ordered + due = 0 and soon > 0 as later from
  (select (select count(*) from ${OUTBOX})::int as outbox,
     count(*)::int as normal,
     count(*) filter (where next_run_at <= now() or locked_at is not null)::int as due,
     count(*) filter (where next_run_at between now() and now() + interval '5 minutes')::int as soon,
     (select count(*) from ${ORDERED})::int as ordered
   from ${QUEUED})`;

/** Longest wait in milliseconds: it ends what hangs, and must not fail what is only slow. */
const LONGEST = 180_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `condition` returns a truthy value, and returns it. @throws Error after `timeout` ms */
export async function until<T>(condition: () => Promise<T> | T, timeout = LONGEST): Promise<NonNullable<T>> {
  // Not `Date.now`, which a test may have set.
  for (const deadline = performance.now() + timeout; ; await pause(10)) {
    const met = await condition();
    if (met) return met as NonNullable<T>;
    if (performance.now() > deadline) throw new Error(`not met within ${timeout} ms: ${condition}`);
  }
}

/** Pending work by name and time, for the error message of a wait that times out. */
const WAITING = `select 'outbox ' || o.event as name, null::text as at, null::text as locked from ${OUTBOX}
  union all select o.name, o.next_run_at::text, o.locked_at::text from ${QUEUED}
  union all select 'ordered ' || o.name, null, null from ${ORDERED} limit 20`;

/** Notifies the workers of everything that is due, as they would find it when they poll: for work that a test wrote itself. */
const NOTIFY_DUE = `select pg_notify('kantoor_jobs', json_build_object('node', 'the test', 'relay', true, 'wakes', (
  select coalesce(json_agg(json_build_array(name, 0)), '[]') from
    (select distinct name from jobs.agenda_jobs where next_run_at <= now() and locked_at is null limit 100) due))::text)`;
/** How often a wait notifies them, in milliseconds. */
const NOTIFIED = 500;

/**
 * Waits until no job is waiting or running, including jobs due much later; dead letters and the work of earlier files do not count.
 * @throws Error naming the jobs left, once none ended for three minutes and none is due within five minutes
 */
export async function settled({ sql }: Pick<TestService, "sql">): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let notified = performance.now();
  for (let since = performance.now(); ; await pause(10)) {
    const { pending, later } = (await sql.query(PENDING, [sharedSince()])).rows[0];
    if (pending === 0) return;
    if (performance.now() - notified > NOTIFIED) {
      await sql.query(NOTIFY_DUE);
      notified = performance.now();
    }
    if (later || pending < least) [least, since] = [pending, performance.now()];
    if (performance.now() - since > LONGEST)
      throw new Error(`jobs are left: ${JSON.stringify((await sql.query(WAITING, [sharedSince()])).rows)}`);
  }
}

/** Keeps every event in the outbox from now on, as if a subscriber were down; without one, events disappear within a second. */
export async function keepEvents({ sql }: Pick<TestService, "sql">): Promise<void> {
  const names = Object.keys(events());
  await sql.query(
    "insert into jobs.definitions (name, service, event) select e || ' > away', 'away', e from unnest($1::text[]) e on conflict do nothing",
    [names],
  );
}

/** The trigger of `holdTimesOfDay` and `holdWorkspace`, which no migration makes. */
export const HOLD_TRIGGER = "hold_new";

/**
 * Disables schedules of a new database as their rows are inserted; `strike` and `fire` still run them. Those of test actors (`proof.`) are
 * left alone.
 * @param which condition on the row `new`
 */
async function holdNew(sql: Pick<pg.ClientBase, "query">, which: string): Promise<void> {
  await sql.query(`create function jobs.hold_new() returns trigger language plpgsql as
      $$ begin new.disabled = true; return new; end $$;
    create trigger ${HOLD_TRIGGER} before insert on jobs.agenda_jobs for each row
      when (new.type = 'single' and new.name not like 'proof.%' and ${which}) execute function jobs.hold_new()`);
}

/** Disables the schedules that name a minute or an hour of the day: the nightly ones would run inside whatever test is running then. */
export const holdTimesOfDay = (sql: Pick<pg.ClientBase, "query">) => holdNew(sql, "new.repeat_interval ~ '^[0-9]'");

/** Disables the schedules of Workspace: their polls refresh tokens, which a test may count. */
export const holdWorkspace = (sql: Pick<pg.ClientBase, "query">) => holdNew(sql, "new.name like 'workspace.%'");

/**
 * Disables schedules while a test moves the clock; otherwise a jump would run all those of the years between.
 * @param names as SQL's LIKE
 */
export async function holdSchedules({ node, sql }: Pick<TestService, "node" | "sql">, names: string): Promise<void> {
  await jobsOf(node.broker).ready();
  // A running job overwrites its row when it ends, so disable it after that.
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
 * Runs a schedule now and waits until it has ended; a disabled schedule is disabled again afterwards. The engine must be ready
 * (`jobsOf(broker).ready()`).
 */
export async function strike({ sql }: { sql: Pick<pg.ClientBase, "query"> }, name: string, timeout?: number): Promise<void> {
  await sql.query("delete from jobs.occurrences");
  // Wait for a run in progress: when it ends, it would overwrite the time set here.
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

/** Runs a schedule now and waits for all jobs it causes. The engine must be ready. */
export async function fire(service: Pick<TestService, "sql">, name: string): Promise<void> {
  await strike(service, name);
  await settled(service);
}
