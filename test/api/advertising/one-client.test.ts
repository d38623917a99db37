import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { keepEvents } from "../../support/jobs.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { type Body, restricted, type StoredWorld, storedWorld } from "../marketing/stored-world.ts";

const CUSTOMER = "1234567890";
const COST = { cost: 10, clicks: 1, impressions: 5, conversions: 0, conversionsValue: 0 };

describe("an account feeds exactly the client that it is attached to (marketing-ads §2.2)", () => {
  let world: StoredWorld;
  let tenant: Tenant;
  let owner: Caller;
  let second: { id: string };
  let first: { id: string };
  /** A client login of the second client. */
  let login: Caller;
  before(async () => {
    world = await storedWorld("2026-03-10");
    await keepEvents(world);
    await world.sql.query(`insert into product_licences (module, expires_at) values ('ads_platform', '2200-01-01')
      on conflict (module) do update set expires_at = excluded.expires_at`);
  });
  beforeEach(async () => {
    tenant = await world.tenant();
    owner = tenant.owner;
    [first, second] = [await tenant.company(), await tenant.company()];
    login = await tenant.member("client");
    await tenant.group("second", [second.id], [login.membershipId]);
  });
  after(() => world.stop());

  const attach = async (company: { id: string } | null, active = true) => {
    const id = randomUUID();
    await world.sql.query(
      `insert into ads_accounts (id, organisation_id, customer_id, company_id, descriptive_name, active) values ($1, $2, $3, $4, 'Bakery', $5)`,
      [id, tenant.organisation.id, CUSTOMER, company?.id ?? null, active],
    );
    return id;
  };
  const body = (company: { id: string }, external_id = CUSTOMER) => ({
    ...{ company_id: company.id, source: "gads", external_id, display_name: "Ads" },
  });
  const linked = async () => {
    const link = await world.link(tenant, second.id, "gads", { external_id: "123-456-7890" });
    await world.constant(link, "2026-02-01", "2026-03-09", COST);
    return link;
  };
  /** What each reader of marketing shows of the second client. */
  const shown = async (who: Caller, link: string) => {
    const at = `/marketing/companies/${second.id}`;
    const metrics = (await who.get(`${at}/metrics?period=30d`)).body.sources.map(({ source }: Body) => source);
    const links = (await who.get(`/marketing/links?company_id=${second.id}`)).body.map(({ active }: Body) => active);
    const drilled = (await who.get(`${at}/drilldown?link_id=${link}&kind=campaigns`)).status;
    return { metrics, links, drilled };
  };
  const across = async () => {
    const ofSecond = ({ company_id }: Body) => company_id === second.id;
    const read = async (path: string) => (await owner.get(path)).body.rows.some(ofSecond);
    const settings = (await owner.get(`/marketing/companies/${second.id}/settings`)).body;
    return [
      await read("/marketing/overview?period=30d"),
      await read("/marketing/clients?limit=50"),
      settings.linked_sources.length > 0,
    ];
  };
  const NOTHING = { metrics: [], links: [false], drilled: 404 };

  it("refuses a link by hand to an account of another client, new or known before, in any spelling", async () => {
    await attach(first);
    for (const spelling of [CUSTOMER, "123-456-7890", "customers/1234567890"]) {
      const { status, body: answer } = await owner.post("/marketing/links", body(second, spelling));
      expect([status, answer.error.fields]).to.deep.equal([422, { external_id: "errors.marketing_account_of_another_client" }]);
    }
    expect((await owner.get(`/marketing/links?company_id=${second.id}`)).body).to.deep.equal([]);
    await linked();
    expect((await owner.post("/marketing/links", body(second))).status).to.equal(422);
    expect((await owner.post("/marketing/links", body(first))).status).to.equal(201);
  });

  it("finds no account of a client that the caller does not see", async () => {
    await attach(first);
    const admin = await restricted(tenant, [second.id]);
    expect((await admin.post("/marketing/links", body(second))).status).to.equal(404);
  });

  for (const [what, company, active] of [
    ["without a client", null, true],
    ["that was unlinked from another client", "first", false],
  ] as const)
    it(`links an account ${what}`, async () => {
      await attach(company && first, active);
      expect((await owner.post("/marketing/links", body(second))).status).to.equal(201);
    });

  it("shows nothing of a link to an account of another client, in any reader", async () => {
    const link = await linked();
    expect(await shown(login, link)).to.deep.equal({ metrics: ["gads"], links: [true], drilled: 200 });
    expect(await across()).to.deep.equal([true, true, true]);
    await attach(first);
    expect(await shown(login, link)).to.deep.equal(NOTHING);
    expect(await shown(owner, link)).to.deep.equal(NOTHING);
    expect(await across()).to.deep.equal([false, false, false]);
    const panel = (await owner.get(`/companies/${second.id}/panels`)).body;
    expect(JSON.stringify(panel)).not.to.contain(link);
    // Its own days come back once the account is.
    await world.sql.query("update ads_accounts set company_id = $1 where customer_id = $2 and organisation_id = $3", [
      second.id,
      CUSTOMER,
      tenant.organisation.id,
    ]);
    expect((await shown(login, link)).metrics).to.deep.equal(["gads"]);
  });

  for (const [what, move] of [
    ["is linked for", (id: string) => owner.post("/ads-platform/accounts", { customer_id: CUSTOMER, company_id: id })],
    ["is moved to", async (id: string) => owner.patch(`/ads-platform/accounts/${await attach(null)}`, { company_id: id })],
  ] as const)
    it(`deactivates the old link of a client where the account ${what} another client, once`, async () => {
      const link = await linked();
      const moved = await move(first.id);
      expect(moved.status, moved.text).to.be.oneOf([200, 201]);
      const { rows } = await world.sql.query("select active from marketing_links where id = $1", [link]);
      expect(rows).to.deep.equal([{ active: false }]);
      expect(await shown(login, link)).to.deep.equal(NOTHING);
      const activity = "select entity_id from activity where action = 'marketing.unlinked' and organisation_id = $1";
      expect((await world.sql.query(activity, [tenant.organisation.id])).rows).to.deep.equal([{ entity_id: second.id }]);
    });
});
