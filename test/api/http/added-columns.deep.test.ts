import { expect } from "chai";
import pg from "pg";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { isOpen, isWrite, needsSession, type Operation } from "../../support/fixture/fixture-operations.ts";
import { keyOf, type Rows, startWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Answer } from "../../support/http.ts";
import { holdSchedules, settled } from "../../support/jobs.ts";
import type { Caller, Tenant } from "../../support/service.ts";

/** Connections by purpose; the last three have their writes counted. */
const CONNECTIONS = { read: 12, write: 4, post: 6, patch: 6, delete: 4 };
/** Answers to wait for between two tables, so that each change meets everything that goes on. */
const BETWEEN = 40;

const RAN = statement("insert into proof_ran (organisation_id, event_id, company_id) values ($1, $2, $3)");
const COMPANY = statement("select * from companies where organisation_id = $1 and id = $2");
const ticks = { ran: 0 };
const failed: string[] = [];

/** Work in parallel with the requests: a subscriber that reads and writes, and a schedule for every table. */
const follower = actor("proof.follower", {
  actions: {},
  subscribe: {
    async "company.created"(event, run) {
      if (run.attempt > 1) failed.push(`${run.name} of ${event.entityId}`);
      // Rows deleted meanwhile are read all the same.
      await run.read(() => queryOne(COMPANY, [run.organisation.id, event.entityId]));
      await run.write(async () => enqueue(RAN, [run.organisation.id, event.id, event.entityId]));
    },
  },
  jobs: {
    "proof.tick": {
      about: "Reads in every organisation",
      schedule: "0 0 1 1 *",
      everywhere: "a test",
      async handler(run) {
        if (run.attempt > 1) failed.push(run.name);
        await run.read(() => queryOne(COMPANY, [run.organisation.id, run.organisation.id]));
        ticks.ran += 1;
      },
    },
  },
});

describe("a column added to every table while the service runs", function () {
  this.timeout(480_000);
  let world: World;
  let tenant: Tenant;
  let owner: Caller;
  let going = true;
  let answers = 0;
  const wrong: string[] = [];
  const [created, changed, deleted] = [new Map<string, string>(), new Map<string, number>(), new Set<string>()];

  const sql = async (text: string, ...values: unknown[]) => (await world.service.sql.query(text, values)).rows;

  before(async () => {
    // How long the browser takes on a busy machine says nothing of columns.
    world = await startWorld({ SERVICE_PDF_TIMEOUT_MS: "120000" }, [follower], "run");
    await sql(`create table proof_ran (organisation_id uuid not null, event_id uuid not null, company_id uuid not null);
      grant insert on proof_ran to kantoor_app`);
    tenant = await world.service.tenant();
    owner = tenant.owner;
  });
  after(() => world.stop());

  /** Notes an answer; a server error is what must not happen. */
  const note = (what: string, answer: Answer, ...statuses: number[]): Answer => {
    answers += 1;
    const fits = statuses.length === 0 ? answer.status < 500 : statuses.includes(answer.status);
    if (!fits) wrong.push(`${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer;
  };
  const isCallable = (operation: Operation) => !isOpen(operation) && !needsSession(operation);

  const reading = async (rowsOf: ReadonlyMap<Operation, Rows>, number: number) => {
    const operations = [...rowsOf];
    for (let turn = number * 7; going; turn++) {
      const [operation, rows] = operations[turn % operations.length] as [Operation, Rows];
      note(operation.label, await world.call(operation, keyOf(owner, tenant), { rows }));
    }
  };

  /** Calls the writes in turn. In its own organisation: their preparation moves its access revision all the time. */
  const writing = async (operations: readonly Operation[], own: Tenant, number: number) => {
    const maker = new pg.Client({ connectionString: world.service.database.owner });
    await maker.connect();
    for (let turn = number * 7; going; turn++) {
      const operation = operations[turn % operations.length] as Operation;
      // Of its own each time: one may remove the company of the place.
      const place = { ...(await world.place(own)), sql: maker };
      const sent = { rows: await world.rows(operation, place), body: await world.body(operation, place) };
      note(operation.label, await world.call(operation, keyOf(own.owner, own), sent));
    }
    await maker.end();
  };

  const posting = async (number: number) => {
    for (let turn = 0; going; turn++) {
      const name = `posted ${number} ${turn}`;
      const headers: Record<string, string> = turn % 2 === 0 ? {} : { "Idempotency-Key": name };
      const { status, body } = note("POST", await owner.post("/companies", { name }, { headers }), 201);
      if (status === 201) created.set(body.id, name);
    }
  };

  const patching = async () => {
    const { id } = await tenant.company();
    changed.set(id, 0);
    for (let turn = 1; going; turn++) {
      const { status } = note("PATCH", await owner.patch(`/companies/${id}`, { notes: `turn ${turn}` }), 200);
      if (status === 200) changed.set(id, (changed.get(id) as number) + 1);
    }
  };

  const deleting = async (number: number) => {
    for (let turn = 0; going; turn++) {
      const { body } = note("POST", await owner.post("/companies/groups", { name: `gone ${number} ${turn}` }), 201);
      const { status } = note("DELETE", await owner.delete(`/companies/groups/${body.id}`), 204);
      if (status === 204) deleted.add(body.id);
    }
  };

  /** Adds the column, table by table, under way. */
  const altering = async (): Promise<string[]> => {
    const tables = await sql(
      "select schemaname || '.' || tablename as name from pg_tables where schemaname in ('public', 'jobs') and tableowner = current_user order by 1",
    );
    for (const { name } of tables) {
      await sql(`alter table ${name} add column added_later text`);
      await sql("update jobs.agenda_jobs set next_run_at = now() where name = 'proof.tick' and type = 'single'");
      const met = answers + BETWEEN;
      while (answers < met) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return tables.map(({ name }) => name);
  };

  it("fails no request of 32 mixed connections, and counts each write once", async () => {
    // It schedules polls of minutes ahead, for which the end would have to wait.
    await holdSchedules(world.service, "workspace.mail.look");
    const place = await world.place(tenant);
    const reads = world.operations.filter((operation) => !isWrite(operation) && isCallable(operation));
    const writes = world.operations.filter((operation) => isWrite(operation) && isCallable(operation));
    const rows = new Map<Operation, Rows>();
    for (const operation of reads) rows.set(operation, await world.rows(operation, place));
    const others: Tenant[] = [];
    while (others.length < CONNECTIONS.write) others.push(await world.service.tenant());
    const several = (count: number, work: (number: number) => Promise<void>) => Array.from({ length: count }, (_, n) => work(n));
    const connections = [
      ...several(CONNECTIONS.read, (number) => reading(rows, number)),
      ...several(CONNECTIONS.write, (number) => writing(writes, others[number] as Tenant, number)),
      ...several(CONNECTIONS.post, posting),
      ...several(CONNECTIONS.patch, patching),
      ...several(CONNECTIONS.delete, deleting),
    ];
    // A connection that breaks off would leave the others without end.
    for (const connection of connections) connection.catch((error: Error) => wrong.push(error.message));
    const altered = await altering();
    going = false;
    await Promise.allSettled(connections);
    expect(wrong.slice(0, 20).join("\n"), `${wrong.length} of ${answers}`).to.equal("");
    await settled(world.service);
    expect(altered).to.include.members(["public.companies", "public.organisations", "jobs.agenda_jobs", "jobs.ordered"]);
    expect(failed, "jobs that needed another attempt").to.deep.equal([]);
    expect(ticks.ran).to.be.greaterThan(1);

    const once = await sql(
      `select c.id, c.name, c.version, (select count(*) from activity a where a.entity_id = c.id and a.action = 'created')::int as trail,
         (select count(*) from proof_ran r where r.company_id = c.id)::int as ran from companies c where c.name like 'posted %'`,
    );
    expect(once).to.have.length(created.size);
    for (const row of once) expect(row).to.deep.equal({ id: row.id, name: created.get(row.id), version: 1, trail: 1, ran: 1 });
    const versions = await sql("select id, version - 1 as turns from companies where id = any($1)", [...changed.keys()]);
    expect(new Map(versions.map(({ id, turns }) => [id, turns]))).to.deep.equal(changed);
    const gone = await sql(
      `select entity_id, count(*)::int as lines from activity where entity_type = 'company_group' and action = 'deleted' and entity_id = any($1) group by 1`,
      [...deleted],
    );
    expect(gone.every(({ lines }) => lines === 1)).to.equal(true);
    expect(gone).to.have.length(deleted.size);
    expect(await sql("select 1 from company_groups where id = any($1)", [...deleted])).to.have.length(0);
    expect(await sql("select name from jobs.agenda_jobs where failed_at is not null")).to.deep.equal([]);
  });
});
