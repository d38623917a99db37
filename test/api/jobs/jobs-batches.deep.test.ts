import { expect } from "chai";
import pg from "pg";
import sinon from "sinon";
import { newId } from "../../../core/database/model.ts";
import { action } from "../../../core/declare/action.ts";
import { emitAll } from "../../../core/jobs/outbox.ts";
import { input, integer } from "../../../core/schema/schema.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { settled, until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

oneProcess("replaces functions of the process");

const got: { entity: string; n: number }[] = [];

const proof = actor("proof.batches", {
  actions: {
    emit: action({
      rest: "POST /proof/batches",
      summary: "Emits events of many records, several of each",
      permission: "companies.company.write",
      body: input("ProofBatch", { records: integer(1, 1_000), each: integer(1, 10) }),
      returns: null,
      async handler(ctx) {
        const { records, each } = ctx.params.body;
        const ids = Array.from({ length: records }, () => newId());
        for (let n = 0; n < each; n++)
          emitAll(
            "company.assigned",
            "company",
            ids.map((id) => ({ entityId: id, payload: { company_id: id, title: String(n), recipients: [] } })),
          );
      },
    }),
  },
  subscribe: {
    "company.assigned": async (event) => void got.push({ entity: event.entityId, n: Number(event.payload.title) }),
  },
});

describe("many events at once", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_JOBS_POLL_MS: "60000" }, [proof]);
    await jobsOf(service.node.broker).ready();
    tenant = await service.tenant();
    await settled(service);
  });
  after(() => service.stop());
  beforeEach(() => {
    got.length = 0;
  });

  /** Statements this process sends, those of the test itself left out. */
  const statements = async (work: () => Promise<unknown>): Promise<number> => {
    const query = sinon.spy(pg.Client.prototype, "query");
    try {
      await work();
      return query.thisValues.filter((client) => client !== service.sql).length;
    } finally {
      query.restore();
    }
  };

  it("cost at most six statements each, from the outbox to the end", async () => {
    const sent = await statements(async () => {
      await tenant.owner.post("/proof/batches", { records: 500, each: 1 });
      await until(() => got.length === 500);
      await settled(service);
    });
    expect(new Set(got.map(({ entity }) => entity)).size).to.equal(500);
    expect(sent / 500, "claim, organisation, turn and end of each, and what all share").to.be.below(6);
  });

  it("of few records arrive in order, for any number that end together", async () => {
    await tenant.owner.post("/proof/batches", { records: 40, each: 10 });
    await settled(service);
    expect(got.length).to.equal(400);
    const byRecord = Map.groupBy(got, ({ entity }) => entity);
    for (const [entity, events] of byRecord)
      expect(
        events.map(({ n }) => n),
        entity,
      ).to.deep.equal(Array.from({ length: 10 }, (_, n) => n));
    expect((await service.sql.query("select 1 from outbox where event = 'company.assigned'")).rowCount).to.equal(0);
  });

  it("wait while their organisation is suspended, and none of them is lost", async () => {
    const { rows } = await service.sql.query("update organisations set status = 'suspended' where id = $1 returning id", [
      tenant.organisation.id,
    ]);
    expect(rows.length).to.equal(1);
    await service.sql.query(
      `insert into outbox (id, organisation_id, event, entity_type, entity_id, payload)
       select gen_random_uuid(), $1, 'company.assigned', 'company', gen_random_uuid(), '{"title": "0"}' from generate_series(1, 60)`,
      [tenant.organisation.id],
    );
    await service.sql.query("select pg_notify('kantoor_jobs', $1)", [JSON.stringify({ node: "", wakes: [], relay: true })]);
    const postponed =
      "select 1 from jobs.agenda_jobs where type = 'normal' and locked_at is null and next_run_at > now() + interval '1 minute'";
    await until(async () => (await service.sql.query(postponed)).rowCount === 60);
    expect(got).to.deep.equal([]);
    await service.sql.query("update organisations set status = 'active' where id = $1", [tenant.organisation.id]);
    await service.sql.query("update jobs.agenda_jobs set next_run_at = now() where type = 'normal'");
    const wakes = JSON.stringify({ node: "the test", wakes: [["company.assigned > proof.batches", 0]] });
    await service.sql.query("select pg_notify('kantoor_jobs', $1)", [wakes]);
    await settled(service);
    expect(got.length).to.equal(60);
  });
});
