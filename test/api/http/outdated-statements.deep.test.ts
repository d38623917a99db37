import { expect } from "chai";
import pg from "pg";
import { queryUnbound } from "../../../core/database/connection/database.ts";
import { bringUpToDate, lend } from "../../../core/database/connection/prepared.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { PostgresTable } from "../../../core/jobs/queue/postgres.ts";
import { request } from "../../../core/request/context.ts";
import { answer, list, text } from "../../../core/schema/schema.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

const ROWS = statement("select * from proof_rows");
const SHAPES = statement("select * from proof_shapes");
const ADD = statement("insert into proof_rows (note) values ($1)");
const ANYTHING = statement("select 1");
const UNSUPPORTED = statement("select proof_unsupported()");

let runs = 0;
/** What happens in the middle of a request, between two messages of its transaction. */
let meanwhile: () => Promise<unknown> = async () => {};
/** A request's wait between two messages that it sends without an answer to the first. */
let between: () => Promise<unknown> = async () => {};

const write = (path: string, handler: () => Promise<void>) =>
  action({
    rest: `POST /proof/${path}`,
    summary: "Writes a row",
    permission: "companies.company.write",
    returns: null,
    handler: async () => {
      runs += 1;
      await handler();
    },
  });

/** Writes, lets the table change, and reads it. */
const readLate = async () => {
  enqueue(ADD, ["late"]);
  await query(ANYTHING);
  await meanwhile();
  await query(SHAPES);
};

const proof = actor("proof.outdated", {
  actions: {
    read: action({
      rest: "GET /proof/rows",
      summary: "Reads the rows",
      permission: "companies.company.read",
      returns: list(answer("ProofRow", { note: text(255) })),
      handler: () => query(ROWS),
    }),
    overtaken: write("overtaken", async () => {
      enqueue(ADD, ["overtaken"]);
      const read = query(SHAPES);
      await between();
      await Promise.all([read, query(ANYTHING), meanwhile()]);
    }),
    early: write("early", async () => {
      enqueue(ADD, ["early"]);
      await query(SHAPES);
    }),
    late: write("late", readLate),
    committed: write("committed", async () => {
      await inOwnTransaction(async () => enqueue(ADD, ["own"]));
      await readLate();
    }),
    swallowed: write("swallowed", async () => {
      await readLate().catch(() => {});
    }),
    unsupported: write("unsupported", async () => {
      enqueue(ADD, ["unsupported"]);
      await query(UNSUPPORTED);
    }),
    endless: write("endless", async () => {
      enqueue(ADD, ["endless"]);
      await query(ANYTHING);
      request().outdated = true;
      throw new Error("as if it changed again and again");
    }),
  },
});

describe("a table that changes under prepared statements", () => {
  let service: TestService;
  let tenant: Tenant;
  let columns = 0;
  const sql = async (command: string) => (await service.sql.query(command)).rows;
  const notes = async () => (await sql("select note from proof_rows order by note")).map(({ note }) => note);
  const change = (table: string) => sql(`alter table ${table} add column c${++columns} int default ${columns}`);

  before(async () => {
    // With one connection every request meets the statements that the one before prepared.
    service = await startService({ SERVICE_DATABASE_POOL: "1" }, [proof]);
    await jobsOf(service.node.broker).stop();
    await sql(`create table proof_rows (note text, number int default 7); create table proof_shapes (id int); insert into proof_shapes values (1);
      grant select, insert on proof_rows, proof_shapes to kantoor_app;
      create function proof_unsupported() returns int language plpgsql as
        $$ begin raise exception 'no' using errcode = 'feature_not_supported'; end $$;
      create sequence proof_calls;
      grant usage on proof_calls to kantoor_app;
      create function proof_late() returns setof proof_shapes language plpgsql as
        $$ begin if nextval('proof_calls') = 1 then raise exception 'no' using errcode = 'invalid_function_definition'; end if; end $$`);
    tenant = await service.tenant();
  });
  after(() => service.stop());
  beforeEach(async () => {
    meanwhile = between = async () => {};
    await tenant.owner.post("/proof/late");
    await tenant.owner.get("/proof/rows");
    await sql("truncate proof_rows");
    runs = 0;
  });
  const post = async (path: string) => (await tenant.owner.post(`/proof/${path}`)).status;

  it("a read is made once more, and shows the new column", async () => {
    await sql("insert into proof_rows (note) values ('there')");
    await change("proof_rows");
    const { status, body } = await tenant.owner.get("/proof/rows");
    expect(status).to.equal(200);
    expect(body[0]).to.include({ note: "there", [`c${columns}`]: columns });
  });

  it("forgets the old description", async () => {
    await sql("insert into proof_rows (note) values ('there')");
    const before = (await tenant.owner.get("/proof/rows")).body;
    await sql("alter table proof_rows rename column number to renamed");
    const { number, ...rest } = before[0];
    for (let read = 0; read < 3; read++)
      expect((await tenant.owner.get("/proof/rows")).body).to.deep.equal([{ ...rest, renamed: number }]);
  });

  it("a read outside of every organisation as well", async () => {
    const installation = statement("select * from installation");
    await queryUnbound(installation);
    await sql("alter table installation add column proof int default 5");
    expect(await queryUnbound(installation)).to.have.nested.property("[0].proof", 5);
  });

  it("a function that gives rows of the table and was overtaken is called once more", async () => {
    // As an SQL function fails whose table changes between the moments its declaration and its body are looked at.
    expect(await queryUnbound(statement("select * from proof_late()"))).to.deep.equal([]);
    expect((await sql("select last_value::int as calls from proof_calls"))[0].calls).to.equal(2);
  });

  it("the message that opens a transaction is sent once more, without a second run of its action", async () => {
    await change("proof_shapes");
    expect(await post("early")).to.equal(204);
    expect([runs, await notes()]).to.deep.equal([1, ["early"]]);
  });

  it("not after another message is on its way behind it: then the request runs again", async () => {
    await sql("begin");
    await change("proof_shapes");
    const waiting = "select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))";
    between = async () => runs > 1 || until(async () => (await sql(waiting)).length > 0);
    meanwhile = () => sql(runs === 1 ? "commit" : "select 1");
    expect(await post("overtaken")).to.equal(204);
    expect([runs, await notes()]).to.deep.equal([2, ["overtaken"]]);
  });

  it("later in a transaction the request runs again, and writes once", async () => {
    meanwhile = () => change("proof_shapes");
    expect(await post("late")).to.equal(204);
    expect([runs, await notes()]).to.deep.equal([2, ["late"]]);
  });

  it("the request runs again although its action made nothing of the failure", async () => {
    meanwhile = () => (runs === 1 ? change("proof_shapes") : Promise.resolve());
    expect(await post("swallowed")).to.equal(204);
    expect([runs, await notes()]).to.deep.equal([2, ["late"]]);
  });

  it("a request that has committed something does not run again", async () => {
    meanwhile = () => change("proof_shapes");
    expect(await post("committed")).to.equal(500);
    expect([runs, await notes()]).to.deep.equal([1, ["own"]]);
  });

  it("runs again once", async () => {
    expect(await post("endless")).to.equal(500);
    expect([runs, await notes()]).to.deep.equal([2, []]);
  });

  it("does not run again for what PostgreSQL does not support", async () => {
    expect(await post("unsupported")).to.equal(500);
    expect([runs, await notes()]).to.deep.equal([1, []]);
  });

  it("rows of another shape than was described are never taken for it", async () => {
    await sql("insert into proof_rows (note) values ('there')");
    const before = (await tenant.owner.get("/proof/rows")).body;
    // A pooler's possible effect: the same name on another connection, prepared when the table had other columns.
    const prepareAnew = async ({ name }: Statement, other: string) => {
      await queryUnbound(statement(`deallocate "${name}"`));
      await queryUnbound(statement(`prepare "${name}" as ${other}`));
    };
    await prepareAnew(ROWS, "select 1 as note");
    const { status, body } = await tenant.owner.get("/proof/rows");
    expect([status, body]).to.deep.equal([200, before]);
  });

  it("Agenda's table is read once more on each of its connections", async () => {
    const table = new PostgresTable(service.database.application, () => {});
    try {
      const look = () => Promise.all(Array.from({ length: 5 }, () => table.repository.queryJobs({})));
      const before = await look();
      for (let round = 0; round < 3; round++) {
        await change("jobs.agenda_jobs");
        expect(await look()).to.deep.equal(before);
      }
    } finally {
      await table.disconnect();
    }
  });

  describe("on several connections", () => {
    let clients: (pg.PoolClient & pg.Client)[] = [];
    let tries = 0;

    beforeEach(async () => {
      clients = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const client = new pg.Client({ connectionString: service.database.application, pipeline: true } as pg.ClientConfig);
          await client.connect();
          return Object.assign(client, { release: () => {} }) as unknown as pg.PoolClient & pg.Client;
        }),
      );
      for (const client of clients) await lookOn([client]);
      tries = 0;
    });
    afterEach(() => Promise.all(clients.map((client) => client.end())));

    /** Reads on these connections, one for each try. @param between runs once the first connection is in use */
    const lookOn = (taken: pg.PoolClient[], between?: () => Promise<unknown>) => {
      const left = [...taken];
      const take = async (anew: boolean) => {
        const client = left.shift() as pg.PoolClient;
        bringUpToDate(client, anew);
        if (!anew) await between?.();
        return client;
      };
      const look = (client: pg.PoolClient) => {
        tries += 1;
        return client.query({ ...ROWS });
      };
      return lend(take, () => false, look);
    };

    it("what one finds out the others need not", async () => {
      await change("proof_rows");
      for (const client of clients) await lookOn([client, client]);
      expect(tries).to.equal(clients.length + 1);
    });

    it("a second try rests on nothing that was prepared before", async () => {
      const [one, other] = clients as [pg.PoolClient, pg.PoolClient];
      await change("proof_rows");
      const { fields } = await lookOn([one, other], async () => {
        await lookOn([other, other]);
        await change("proof_rows");
      });
      expect(fields.at(-1)?.name).to.equal(`c${columns}`);
    });
  });
});
