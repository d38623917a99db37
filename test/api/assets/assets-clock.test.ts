import { expect } from "chai";
import { syncMoment } from "../../../mixins/account-sync/sync-moments.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import { OxxaSimulator } from "../../simulators/registrar.ts";
import { recordEvents } from "../../support/answers.ts";
import { fire, settled, strike, until } from "../../support/jobs.ts";
import type { Tenant, TestService } from "../../support/service.ts";
import { trailOf } from "../clients/companies/company-records.ts";
import { type EdgeWorld, startEdge } from "./edge/edge-world.ts";

describe("what assets do by the clock", function () {
  this.timeout(60_000);
  const registrar = new OxxaSimulator();
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  /** Organisations that jobs skip: a suspended one, and one with a lapsed licence. */
  let passedOver: Tenant[];
  before(async () => {
    await registrar.start();
    world = await startEdge({
      SERVICE_ACCOUNT_SYNC_HOURS: "24",
      SERVICE_POSTURE: "hosted",
      SERVICE_REGISTRAR_API_URL: registrar.root,
    });
    ({ service } = world);
    await jobsOf(service.node.broker).ready();
    await recordEvents(service);
  });
  beforeEach(async () => {
    world.provider.reset();
    registrar.reset();
    tenant = await service.tenant();
    passedOver = [await service.tenant(), await service.tenant()];
  });
  /** After the API created what they own. */
  const endPassedOver = async () => {
    const [suspended, lapsed] = passedOver.map(({ organisation }) => organisation.id);
    await service.sql.query("update organisations set status = 'suspended' where id = $1", [suspended]);
    await service.sql.query(
      "update organisations set plan = 'trial', plan_ends_at = now() - interval '1 day', access_revision = access_revision + 1 where id = $1",
      [lapsed],
    );
  };
  after(async () => {
    await world.stop();
    await registrar.stop();
  });

  it("domains are renewed at 05:45 UTC, in every active organisation whose licence covers them", async () => {
    const { rows } = await service.sql.query("select repeat_interval from jobs.agenda_jobs where name = 'domains.renew'");
    expect(rows).to.deep.equal([{ repeat_interval: "45 5 * * *" }]);
    const domains: string[] = [];
    for (const of of [tenant, ...passedOver]) domains.push(await world.domain(of, "renewed.example"));
    await service.sql.query("update domains set price_override = 10, next_invoice_date = '2026-01-01' where id = any($1)", [
      domains,
    ]);
    await endPassedOver();
    await fire(service, "domains.renew");
    const reported = await service.sql.query(
      "select entity_id from recorded where event = 'domain.due' and entity_id = any($1)",
      [domains],
    );
    expect(reported.rows).to.deep.equal([{ entity_id: domains[0] }]);
    const dates = await service.sql.query(
      "select next_invoice_date::text as date from domains where id = any($1) order by array_position($1, id)",
      [domains],
    );
    expect(dates.rows.map(({ date }) => date)).to.deep.equal(["2027-01-01", "2026-01-01", "2026-01-01"]);
  });

  let number = 0;
  /** An account of each provider, by the API; its table, the job that syncs it, and whether it was read. */
  const KINDS = [
    {
      kind: "edge",
      table: "edge_accounts",
      make: async (of: Tenant, active: boolean): Promise<string> => (await world.account(of, { active })).id,
      calls: () => world.provider.received.length,
    },
    {
      kind: "registrar",
      table: "registrar_accounts",
      make: async (of: Tenant, active: boolean): Promise<string> => {
        const body = { name: `Registrar ${++number}`, api_user: registrar.user, api_password: registrar.password, active };
        return (await of.owner.post("/registrar/accounts", body)).body.id;
      },
      calls: () => registrar.received.length,
    },
  ];

  for (const { kind, table, make, calls } of KINDS) {
    /** An active account whose own moment, once it is overdue, does not come while the test looks: that follows from its id. */
    const makeLater = async (of: Tenant): Promise<string> => {
      for (;;) {
        const id = await make(of, true);
        const [now, long] = [Date.now(), "2000-01-01T00:00:00Z"];
        if (Number(syncMoment(id, 24, long, now)) > now + 60_000) return id;
        await service.sql.query(`update ${table} set active = false where id = $1`, [id]);
      }
    };

    it(`every active account of a ${kind} that was not read for a day is synced within ten minutes, for the system`, async () => {
      const job = `${kind}.sync`;
      const schedule = await service.sql.query("select repeat_interval from jobs.agenda_jobs where name = $1", [`${job}.look`]);
      expect(schedule.rows).to.deep.equal([{ repeat_interval: "0 * * * *" }]);
      const due = await makeLater(tenant);
      const inactive = await make(tenant, false);
      const others = [];
      for (const of of passedOver) others.push(await make(of, true));
      const all = [due, inactive, ...others];
      await service.sql.query(`update ${table} set created_at = now() - interval '2 days' where id = any($1)`, [all]);
      const fresh = await make(await service.tenant(), true);
      await service.sql.query(
        `update ${table} set sync_asked = 1, sync_ended = 1, sync_asked_at = now(), created_at = now() - interval '2 days' where id = $1`,
        [fresh],
      );
      await endPassedOver();
      await settled(service);

      const waiting = async () =>
        (
          await service.sql.query(
            `select data->'payload'->>'account_id' as account, next_run_at between now() - interval '1 minute' and now() + interval '10 minutes'
               as is_soon from jobs.agenda_jobs where name = $1 and type = 'normal'`,
            [`${job}.due`],
          )
        ).rows;
      /** Looks for every organisation's work, and waits for its end: a later look would schedule started work once more. */
      const look = async () => {
        await strike(service, `${job}.look`);
        const left = `select 1 from jobs.agenda_jobs where name = $1 and type = 'normal' union all select 1 from outbox where job = $2`;
        await until(async () => (await service.sql.query(left, [`${job}.look`, `${job}.due`])).rowCount === 0);
      };
      for (const _ of [1, 2]) await look();
      expect((await waiting()).filter(({ account }) => account !== fresh)).to.deep.equal([{ account: due, is_soon: true }]);
      expect(calls()).to.equal(0);

      const domain = await world.domain(tenant, "clock.example");
      if (kind === "edge") world.provider.state.zone(world.atProvider().id, "clock.example");
      await service.sql.query("update jobs.agenda_jobs set next_run_at = now() where name = $1 and type = 'normal'", [
        `${job}.due`,
      ]);
      await until(async () => (await world.stored(table, due))["last_synced_at"]);
      await settled(service);
      for (const id of [inactive, ...others]) expect((await world.stored(table, id))["sync_asked"], id).to.equal(0);
      const asked = (await world.stored(table, due))["sync_asked_by"];
      expect(asked).to.deep.equal({ accountId: null, serviceAccountId: null, name: null });
      const about: [string, string] = kind === "edge" ? ["domain", domain] : ["registrar_account", due];
      const line = (await trailOf(service.sql, ...about)).at(-1);
      expect([line?.action, line?.actor_account_id]).to.deep.equal([
        kind === "edge" ? "edge.zone_linked" : "registrar.register_synced",
        null,
      ]);
    });
  }
});
