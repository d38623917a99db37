import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { systemRequest } from "../../../core/request/system.ts";
import { linkAccount } from "../../../integrations/marketing/links/from-advertising.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { keepEvents } from "../../support/jobs.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { type StoredWorld, storedWorld } from "../marketing/stored-world.ts";

const CUSTOMER = "1234567890";
const COST = { cost: 10, clicks: 1, impressions: 5, conversions: 0, conversionsValue: 0 };

describe("an account that leaves its client (marketing-ads §2.2)", () => {
  let world: StoredWorld;
  let tenant: Tenant;
  let owner: Caller;
  let client: Caller;
  let account: string;
  let former: { id: string };
  let next: { id: string };
  let link: string;
  before(async () => {
    world = await storedWorld("2026-03-10");
    await keepEvents(world);
    await world.sql.query(`insert into product_licences (module, expires_at) values ('ads_platform', '2200-01-01')
      on conflict (module) do update set expires_at = excluded.expires_at`);
  });
  beforeEach(async () => {
    tenant = await world.tenant();
    owner = tenant.owner;
    [former, next] = [await tenant.company(), await tenant.company()];
    client = await tenant.member("client");
    await tenant.group("former", [former.id], [client.membershipId]);
    account = randomUUID();
    await world.sql.query(
      "insert into ads_accounts (id, organisation_id, customer_id, company_id, descriptive_name) values ($1, $2, $3, $4, 'Bakery')",
      [account, tenant.organisation.id, CUSTOMER, former.id],
    );
    link = await world.link(tenant, former.id, "gads", { external_id: "123-456-7890" });
    await world.constant(link, "2026-02-01", "2026-03-09", COST);
  });
  after(() => world.stop());

  const path = () => `/ads-platform/accounts/${account}`;
  const patch = async (body: object) => expect((await owner.patch(path(), body)).status).to.equal(200);
  const sourcesOf = async (who: Caller, company: { id: string }) =>
    (await who.get(`/marketing/companies/${company.id}/metrics?period=30d`)).body.sources.map(
      (one: { source: string }) => one.source,
    );
  const events = async (name: string) =>
    (
      await world.sql.query("select payload from outbox where organisation_id = $1 and event = $2 order by id", [
        tenant.organisation.id,
        name,
      ])
    ).rows.map(({ payload }) => payload);
  const isActive = async (id = link) =>
    (await world.sql.query("select active from marketing_links where id = $1", [id])).rows[0].active;
  for (const [what, leave] of [
    ["moves to another client", () => patch({ company_id: next.id })],
    ["is detached", () => patch({ company_id: null })],
    ["is unlinked", () => patch({ active: false })],
    ["is removed", async () => expect((await owner.delete(path())).status).to.equal(204)],
    [
      "is linked for another client",
      async () =>
        expect((await owner.post("/ads-platform/accounts", { customer_id: CUSTOMER, company_id: next.id })).status).to.equal(201),
    ],
  ] as const)
    it(`that ${what}: its former client reads no cost from the same moment, and its days stay`, async () => {
      expect(await sourcesOf(client, former)).to.deep.equal(["gads"]);
      await leave();
      expect([await isActive(), await sourcesOf(client, former), await sourcesOf(owner, former)]).to.deep.equal([false, [], []]);
      expect(await events("ads.account.detached")).to.deep.equal([
        { account_id: account, company_id: former.id, customer_id: CUSTOMER },
      ]);
      const { rows } = await world.sql.query("select count(*)::int as n from marketing_days where link_id = $1", [link]);
      expect(rows[0].n).to.equal(37);
      const activity = "select action from activity where entity_id = $1 and action = 'marketing.unlinked'";
      expect((await world.sql.query(activity, [former.id])).rows.length).to.equal(1);
    });

  it("counts once in the overview after a move, for its client of now", async () => {
    await patch({ company_id: next.id });
    const own = await world.link(tenant, next.id, "gads", { external_id: CUSTOMER });
    await world.constant(own, "2026-02-01", "2026-03-09", COST);
    const { rows } = (await owner.get("/marketing/overview?period=30d")).body;
    const costs = rows.filter(({ metrics }: { metrics: Record<string, unknown> }) => metrics["cost"] !== undefined);
    expect(costs.map(({ company_id }: { company_id: string }) => company_id)).to.deep.equal([next.id]);
  });

  it("is deactivated while marketing is read-only too, and is not linked by a late event of before", async () => {
    await world.sql.query("update product_licences set expires_at = '2026-01-01', grace_days = 0 where module = 'marketing'");
    try {
      await patch({ company_id: next.id });
      expect(await isActive()).to.equal(false);
    } finally {
      await world.sql.query("update product_licences set expires_at = '2200-01-01' where module = 'marketing'");
    }
    const [company_id, account_id] = [former.id, account];
    const organisation = tenant.organisation;
    const late = { account_id, company_id, customer_id: CUSTOMER, descriptive_name: "Bakery", currency: "EUR" };
    const write = <T>(work: () => Promise<T>) => inTenancy(() => systemRequest("test", organisation, "write"), work);
    await linkAccount({ payload: { ...late, manager_id: null, connection_id: null } }, { organisation, write });
    expect(await isActive()).to.equal(false);
  });

  it("says nothing where it stays, or had no client", async () => {
    await patch({ company_id: former.id, login_customer_id: "5550001111" });
    await patch({ active: true });
    expect([await isActive(), await events("ads.account.detached")]).to.deep.equal([true, []]);
    await patch({ company_id: null });
    await patch({ active: false });
    expect((await events("ads.account.detached")).length).to.equal(1);
  });
});
