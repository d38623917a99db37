import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { schedule } from "../../../core/jobs/jobs.ts";
import { Claims } from "../../../core/jobs/queue/claims.ts";
import { PostgresTable } from "../../../core/jobs/queue/postgres.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { strike, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const about = "Does what the test says";
const never = "0 0 1 1 *";
const later = () => ({ runAt: new Date(Date.now() + 86_400_000) });

const proof = actor("proof.awaited", {
  actions: {
    ask: action({
      rest: "POST /proof/awaited",
      summary: "Schedules a job",
      permission: "companies.company.write",
      returns: null,
      status: 202,
      handler: () => void schedule("proof.child", { kind: "asked" }, { ...later(), dedupe: "child" }),
    }),
  },
  jobs: {
    "proof.tick": {
      about,
      schedule: never,
      everywhere: "a test",
      handler: (run) => run.write(async () => schedule("proof.parent")),
    },
    "proof.parent": {
      about,
      handler: (run) => run.write(async () => schedule("proof.child", { kind: "parent" }, { ...later(), dedupe: "child" })),
    },
    "proof.child": { about, handler: async () => {} },
  },
});

describe("work that a person waits for", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({}, [proof]);
    tenant = await service.tenant();
    await jobsOf(service.node.broker).ready();
  });
  after(() => service.stop());

  const children = async () => {
    const { rows } = await service.sql.query(
      "select data -> 'payload' ->> 'kind' as kind, data ? 'clock' as clock from jobs.agenda_jobs where name = 'proof.child'",
    );
    return rows;
  };

  it("differs from what a clock set off, also through other jobs, and takes over a job that waits already", async () => {
    await strike(service, "proof.tick");
    await until(async () => (await children()).length === 1);
    expect(await children()).to.deep.equal([{ kind: "parent", clock: true }]);
    expect((await tenant.owner.post("/proof/awaited")).status).to.equal(202);
    await until(async () => !(await children())[0].clock);
    expect(await children()).to.deep.equal([{ kind: "parent", clock: false }]);
    await strike(service, "proof.tick");
    await until(
      async () =>
        (
          await service.sql.query(
            "select 1 from jobs.agenda_jobs where name in ('proof.tick', 'proof.parent') and type = 'normal'",
          )
        ).rowCount === 0,
    );
    expect(await children(), "a clock does not take it back").to.deep.equal([{ kind: "parent", clock: false }]);
  });

  describe("next to three thousand due jobs of clocks", () => {
    let table: PostgresTable;
    before(() => {
      table = new PostgresTable(service.database.application, () => {});
    });
    after(() => table.disconnect());

    const put = (kind: string, count: number, minutes: number, isClocks: boolean) =>
      service.sql.query(
        `insert into jobs.agenda_jobs (name, next_run_at, data)
           select 'proof.mixed', now() - make_interval(mins => $3), jsonb_build_object('payload', jsonb_build_object('kind', $1::text))
             || case when $4 then '{"clock": true}'::jsonb else '{}' end from generate_series(1, $2) n`,
        [kind, count, minutes, isClocks],
      );
    /** The kinds of jobs in the order in which a node claims them. */
    async function claimed(claims: number, most: number): Promise<string[]> {
      const made = new Claims();
      const kinds: string[] = [];
      for (let n = 0; n < claims; n++)
        for (const job of await table.claim(
          "proof.mixed",
          new Date(),
          new Date(0),
          "this node",
          most,
          made.isByTime("proof.mixed"),
        ))
          kinds.push((job.data as { payload: { kind: string } }).payload.kind);
      return kinds;
    }
    beforeEach(async () => {
      await service.sql.query("delete from jobs.agenda_jobs where name = 'proof.mixed'");
      await put("clock", 3000, 60, true);
    });

    it("is claimed first, although it is due last", async () => {
      await put("asked", 2, 1, false);
      expect(await claimed(3, 1)).to.deep.equal(["asked", "asked", "clock"]);
      await put("asked", 2, 1, false);
      expect(await claimed(1, 5)).to.deep.equal(["asked", "asked", "clock", "clock", "clock"]);
    });

    it("does not stop them: each fourth claim is theirs", async () => {
      await put("asked", 3000, 1, false);
      expect(await claimed(8, 1)).to.deep.equal([..."aaacaaac"].map((letter) => (letter === "a" ? "asked" : "clock")));
    });
  });
});
