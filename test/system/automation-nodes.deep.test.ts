import { expect } from "chai";
import { addRule, addTask, finished, type Run } from "../api/automation/automation-support.ts";
import { until } from "../support/jobs.ts";
import { requireNats } from "../support/nodes/nats.ts";
import { type Nodes, startNodes } from "../support/nodes/nodes.ts";
import type { Tenant } from "../support/service.ts";

const RULES = 20;
/** Tasks made side by side, each by the other node than the one before. */
const TASKS = 6;
/** Deliveries of one run in addition to its own. */
const COPIES = 6;
/** Tasks created one after another until both nodes have had runs of them. */
const MOST_TASKS = 100;

const making = (title: string, when: string) => ({
  trigger_event: "task.created",
  conditions: { field: "title", op: "eq", value: when },
  actions: [{ action_type: "task.create", config: { title } }],
});
const ENDS_AT_THREE = [
  [0, "succeeded", null],
  [1, "succeeded", null],
  [2, "succeeded", null],
  [3, "skipped", "errors.automation_depth_exceeded"],
];
const shown = (runs: Run[]) => runs.map(({ depth, status, error }) => [depth, status, error]);

describe("rules of automation over two nodes", function () {
  this.timeout(180_000);
  let nodes: Nodes;
  let tenant: Tenant;
  let organisations = 0;
  before(async function () {
    requireNats(this);
    nodes = await startNodes(2, { SERVICE_JOBS_POLL_MS: "200" });
    // A job of the queue keeps the name of its node only until it is over.
    await nodes.sql.query(`create table proof_claims (node text, run_id uuid);
      grant all on proof_claims to public;
      create function proof_claim() returns trigger language plpgsql as $$ begin
        insert into public.proof_claims
          select new.last_modified_by, r.id::uuid from jsonb_array_elements_text(new.data -> 'payload' -> 'run_ids') r (id);
        return null; end $$;
      create trigger proof_claimed after update of locked_at on jobs.agenda_jobs for each row
        when (new.name = 'automation.run' and new.locked_at is not null) execute function proof_claim()`);
  });
  after(() => nodes?.stop());
  beforeEach(async () => {
    tenant = await nodes.tenant(`rules${++organisations}`);
  });

  const titles = async (): Promise<string[]> =>
    (await tenant.owner.get("/tasks?limit=200&sort=created_at")).body.items.map(({ title }: { title: string }) => title);
  const nodesThatClaimed = async (ids: readonly string[]): Promise<number> => {
    const { rows } = await nodes.sql.query(
      "select count(distinct node)::int as nodes from proof_claims where run_id = any($1::uuid[])",
      [ids],
    );
    return rows[0].nodes;
  };

  it("end after three where one sets itself off, and where two set each other off", async () => {
    await addRule(tenant, making("Again", "Again"));
    await addRule(tenant, making("Pong", "Ping"));
    await addRule(tenant, making("Ping", "Pong"));
    await addTask(tenant, { title: "Again" });
    expect(shown(await finished(nodes, tenant))).to.deep.equal(ENDS_AT_THREE);
    await addTask(tenant, { title: "Ping" });
    expect(shown((await finished(nodes, tenant)).slice(4))).to.deep.equal(ENDS_AT_THREE);
    expect(await titles()).to.deep.equal(["Again", "Again", "Again", "Again", "Ping", "Pong", "Ping", "Pong"]);
  });

  it(`are done in their order for each record, ${RULES} on one event`, async () => {
    const names = Array.from({ length: RULES }, (_, n) => `${n}`);
    for (const name of names) await addRule(tenant, { ...making(`Made by ${name}`, "Start"), name, position: Number(name) });
    const tasks = await Promise.all(Array.from({ length: TASKS }, () => addTask(tenant, { title: "Start" })));
    const runs = await finished(nodes, tenant);
    expect(runs).to.have.length(RULES * TASKS);
    for (const { id } of tasks) {
      const own = runs.filter(({ entity_id }) => entity_id === id);
      expect(own.map(({ rule_name }) => rule_name)).to.deep.equal(names);
      expect(shown(own)).to.deep.equal(names.map(() => [0, "succeeded", null]));
      for (const [index, run] of own.entries())
        if (index > 0) expect(Date.parse(run.started_at ?? "")).to.be.at.least(Date.parse(own[index - 1]?.finished_at ?? ""));
    }
    const made = (await titles()).filter((title) => title !== "Start");
    expect(made.toSorted()).to.deep.equal(names.flatMap((name) => Array(TASKS).fill(`Made by ${name}`)).toSorted());
  });

  it("are done once, however many deliveries of a run both nodes get", async () => {
    await addRule(tenant, making("Made", "Start"));
    const ids: string[] = [];
    while (ids.length < MOST_TASKS && (ids.length < TASKS || (await nodesThatClaimed(ids)) < 2)) {
      await addTask(tenant, { title: "Start" });
      const { body } = await tenant.owner.get("/automation/runs?limit=1");
      const { id } = body.items[0] as Run;
      ids.push(id);
      // Without a key they wait for no other delivery.
      await nodes.sql.query(
        `insert into outbox (id, organisation_id, job, payload)
         select uuidv7(), $1, 'automation.run', jsonb_build_object('run_ids', jsonb_build_array($2::text)) from generate_series(1, $3)`,
        [tenant.organisation.id, id, COPIES],
      );
      await until(async () => (await nodesThatClaimed([id])) > 0);
    }
    const runs = await finished(nodes, tenant);
    expect(runs.map(({ status, steps }) => [status, steps.length])).to.deep.equal(ids.map(() => ["succeeded", 1]));
    expect((await titles()).filter((title) => title === "Made")).to.have.length(ids.length);
    expect(await nodesThatClaimed(ids), "nodes").to.equal(2);
    const { rows } = await nodes.sql.query("select count(*)::int as claims from proof_claims where run_id = any($1::uuid[])", [
      ids,
    ]);
    expect(rows[0].claims).to.be.at.least(ids.length * (COPIES + 1));
  });
});
