import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startEmbedded } from "../core/embedded/server.ts";
import { migrate, roleOf } from "../migrations/run.ts";

const { values: options } = parseArgs({
  options: { rows: { type: "string", default: "10000000" }, only: { type: "string", default: "" } },
});
const rows = Number(options.rows);
const MONTHS = 12;

/** A table of the product, filled with a year of rows. `of` is SQL of its columns, from the row's instant `at`. */
interface Grown {
  share: number;
  columns: string;
  of: string;
  keys: string[];
  one: string;
  reads: Record<string, string>;
}

const grown: Record<string, Grown> = {
  activity: {
    share: 1,
    columns: "id, organisation_id, entity_type, entity_id, action, payload, actor_account_id, actor_name, created_at, request_id",
    of: `uuidv7(at - clock_timestamp()), md5('o' || n % 100)::uuid, 'task', md5('e' || n % 100 || '.' || (random() * 5000)::int)::uuid, 'updated',
      '{"changes": {"status": {"from": "open", "to": "done"}, "due_date": {"from": "2026-01-01", "to": "2026-02-01"}}}'::jsonb,
      md5('p' || (random() * 500)::int)::uuid, 'A person of the organisation', at, md5(n::text)`,
    keys: ["unique (organisation_id, id, created_at)"],
    one: "insert into activity (id, organisation_id, entity_type, entity_id, action) values (gen_random_uuid(), $1, 'task', $2, 'updated')",
    reads: {
      "trail of a record": `select * from activity where organisation_id = $1 and entity_type = 'task' and entity_id = $2
        order by created_at desc, id desc limit 20`,
    },
  },
  webhook_deliveries: {
    share: 0.3,
    columns: `id, organisation_id, created_at, updated_at, endpoint_id, event_id, event, entity_type, entity_id, payload, status, attempts,
      next_attempt_at, last_attempt_at, response_status, response_body, attempt_log`,
    of: `uuidv7(at - clock_timestamp()), md5('o' || n % 100)::uuid, at, at, md5('w' || n % 100 || '.' || n % 3)::uuid, gen_random_uuid(), 'task.updated',
      'task', md5('e' || n % 100 || '.' || (random() * 5000)::int)::uuid,
      '{"changes": {"status": {"from": "open", "to": "done"}, "due_date": {"from": "2026-01-01", "to": "2026-02-01"}}}'::jsonb,
      'delivered', 1, null, at, 200, 'ok', '[{"at": "2026-01-01T00:00:00Z", "status": 200, "ms": 120}]'::jsonb`,
    keys: [
      "primary key (id, created_at)",
      "unique (organisation_id, id, created_at)",
      "unique (organisation_id, endpoint_id, event_id, created_at)",
    ],
    one: `insert into webhook_deliveries (id, organisation_id, endpoint_id, event_id, event, entity_type, entity_id, payload)
      values (gen_random_uuid(), $1, md5('w' || (random() * 99)::int)::uuid, gen_random_uuid(), 'task.updated', 'task', $2, '{}') on conflict do nothing`,
    reads: {
      "page of deliveries":
        "select * from webhook_deliveries where organisation_id = $1 order by created_at desc, id desc limit 50",
      "due of an endpoint": `select * from webhook_deliveries where organisation_id = $1 and endpoint_id = $2 and status = 'pending'
        and next_attempt_at <= statement_timestamp() order by seq limit 64`,
    },
  },
  idempotency_keys: {
    share: 0.3,
    columns: "organisation_id, principal_id, path, key, body_hash, status, body, created_at",
    of: `md5('o' || n % 100)::uuid, md5('p' || (random() * 500)::int)::uuid, '/api/v1/tasks', 'key-' || n, sha256(n::text::bytea), 201,
      repeat('{"id": "value", "title": "a task"}', 20), at`,
    keys: ["primary key (organisation_id, principal_id, path, key, created_at)"],
    one: `insert into idempotency_keys (organisation_id, principal_id, path, key, body_hash)
      values ($1, $2, '/api/v1/tasks', gen_random_uuid()::text, sha256('a'::bytea)) on conflict do nothing`,
    reads: {
      "look-up of a key": `select * from idempotency_keys where organisation_id = $1 and principal_id = $2 and path = '/api/v1/tasks' and key = 'key-77'`,
    },
  },
};

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-partitions-"));
const server = await startEmbedded({ dataDir });
await migrate(server.url("owner"), roleOf(server.url("application")));
const client = new pg.Client({ connectionString: server.url("superuser") });
await client.connect();
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const run = (text: string) => client.query(text);
const row = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows[0] ?? {};

/** Runs a part, and reports its seconds and the bytes of WAL. */
async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  await client.query("checkpoint");
  const { lsn } = await row("select pg_current_wal_lsn() as lsn");
  const began = performance.now();
  const more = await work();
  const seconds = (performance.now() - began) / 1000;
  const { mb } = await row("select round(pg_wal_lsn_diff(pg_current_wal_lsn(), $1) / 1048576.0, 1) as mb", [lsn]);
  say(
    `  ${what}: ${seconds.toFixed(2)} s, WAL ${mb} MB${typeof more === "string" ? `, ${more}` : ""} (load ${loadavg()[0]?.toFixed(1)})`,
  );
}

const month = (m: number): string => `('2025-01-01'::timestamptz + interval '${m} months')`;

async function fill(table: string, { columns, of }: Grown, total: number): Promise<void> {
  const each = Math.round(total / MONTHS);
  for (let m = 0; m < MONTHS; m++)
    await client.query(`insert into ${table} (${columns}) select ${of} from (
      select i + ${m * each} as n, ${month(m)} + i * interval '28 days' / ${each} as at from generate_series(1, ${each}) i) s`);
}

/** Many runs of one prepared statement on the server: ms each, without the protocol. */
async function many(text: string, times: number): Promise<string> {
  await client.query("set plan_cache_mode = force_generic_plan; set search_path = measured, public");
  await client.query(`prepare one (uuid, uuid) as ${text}`);
  const began = performance.now();
  for (let i = 0; i < times; i += 1000) {
    await client.query(`do $$ declare n int; begin for n in 1..1000 loop
      execute format('execute one(%L, %L)', md5('o' || n % 100), md5('e' || n % 100 || '.' || n)); end loop; end $$`);
  }
  const each = (performance.now() - began) / times;
  const { rows: plan } = await client.query(
    "explain (analyze, buffers, format json) execute one(md5('o7')::uuid, md5('e7.7')::uuid)",
  );
  await client.query("deallocate one; reset search_path");
  const { Plan, "Planning Time": planning } = plan[0]["QUERY PLAN"][0];
  return `${each.toFixed(3)} ms each, ${Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]} buffers, planning ${planning} ms`;
}

const sizeOf = (table: string) =>
  row(`select pg_size_pretty(sum(pg_total_relation_size(i.oid))) as size from pg_class i
    where i.oid = '${table}'::regclass or i.oid in (select relid from pg_partition_tree('${table}'))`);

for (const [name, table] of Object.entries(grown)) {
  if (!name.includes(options.only)) continue;
  const total = Math.round(rows * table.share);
  for (const kind of ["plain", "parts"]) {
    say(`${name}, ${kind}, ${total} rows`);
    const measured = `measured.${name}`;
    await client.query("drop schema if exists measured cascade; create schema measured");
    if (kind === "plain") await client.query(`create table ${measured} (like public.${name} including all)`);
    else {
      await client.query(`create table ${measured} (like public.${name} including defaults including constraints including identity)
        partition by range (created_at)`);
      for (const key of table.keys) await client.query(`alter table ${measured} add ${key}`);
      const { rows: indexes } = await client.query(
        "select pg_get_indexdef(indexrelid) as sql from pg_index where indrelid = $1::regclass and not indisunique",
        [`public.${name}`],
      );
      for (const { sql } of indexes) await client.query(sql.replace(/ public\./, " measured."));
      for (let m = 0; m < MONTHS; m++)
        await client.query(
          `create table ${measured}_${m} partition of ${measured} for values from (${month(m)}) to (${month(m + 1)})`,
        );
      await client.query(`create table ${measured}_rest partition of ${measured} default`);
    }
    await timed("fill", () => fill(measured, table, total));
    await timed("vacuum analyze", () => run(`vacuum (analyze) ${measured}`));
    say(`  size ${(await sizeOf(measured)).size}`);
    for (const [what, text] of Object.entries(table.reads)) await timed(what, () => many(text, 20_000));
    await timed("20,000 single inserts", () => many(table.one, 20_000));
    if (kind === "parts") {
      await timed("drop a month", () => run(`drop table ${measured}_0`));
      continue;
    }
    await timed("delete a month in one statement", async () => {
      const { rowCount } = await client.query(`delete from ${measured} where created_at < ${month(1)}`);
      return `${rowCount} rows`;
    });
    await timed("vacuum after it", () => run(`vacuum ${measured}`));
    await client.query(`create index concurrently on ${measured} (created_at)`);
    await timed("delete a month in batches of 5,000 by an index of the instant", async () => {
      let longest = 0;
      let taken = 0;
      for (let found = 1; found > 0; ) {
        const began = performance.now();
        const { rowCount } = await client.query(`delete from ${measured} t where ctid = any(array(
          select ctid from ${measured} where created_at < ${month(2)} order by created_at limit 5000 for update skip locked))`);
        found = rowCount ?? 0;
        taken += found;
        longest = Math.max(longest, performance.now() - began);
      }
      return `${taken} rows, longest statement ${longest.toFixed(0)} ms`;
    });
    await client.query("select pg_stat_force_next_flush()");
    const { dead } = await row("select n_dead_tup as dead from pg_stat_all_tables where relid = $1::regclass", [measured]);
    say(`  dead rows after it ${dead}`);
    await timed("vacuum after it", () => run(`vacuum ${measured}`));
    say(`  size ${(await sizeOf(measured)).size}`);
    for (const [what, text] of Object.entries(table.reads)) await timed(`${what}, after the deletions`, () => many(text, 20_000));
  }
}
await client.end();
await server.stop({ force: true });
await rm(dataDir, { recursive: true, force: true });
