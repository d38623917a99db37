import { expect } from "chai";
import { until } from "../../../support/jobs.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { refusalOf } from "../../clients/companies/company-records.ts";
import { type Account, type EdgeWorld, newToken, startEdge } from "./edge-world.ts";

describe("an edge account that changes during its calls", () => {
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  let token: string;
  before(async () => {
    world = await startEdge();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    token = newToken();
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  /** Makes a call, holds the provider's answer to it, does something else, and returns the answer of the call. */
  async function during(call: () => PromiseLike<{ status: number; body: unknown }>, held: RegExp, work: () => Promise<unknown>) {
    const released = Promise.withResolvers<void>();
    world.provider.received.length = 0;
    const isHeld = () => world.provider.calls().some((one) => held.test(one));
    const stop = world.provider.failWhen(
      ({ method, path, query }) => held.test(`${method} ${path.replace("/client/v4", "")}?${query}`),
      { kind: "wait", until: released.promise },
    );
    const calling = Promise.resolve(call());
    await until(isHeld);
    stop();
    await work();
    released.resolve();
    return calling;
  }
  const sync = (account: Account) => () => tenant.owner.post(`/edge/accounts/${account.id}/sync`);
  const verify = (account: Account) => () => tenant.owner.post(`/edge/accounts/${account.id}/verify`);
  const patch = (account: Account, values: object) => tenant.owner.patch(`/edge/accounts/${account.id}`, values);

  for (const [what, held, work] of [
    [
      "redirect",
      /^GET .*entrypoint/,
      (id: string) => tenant.owner.put(`/edge/domains/${id}/redirect`, { target_url: "https://b.example" }),
    ],
    ["check", /^GET .*pagerules/, (id: string) => tenant.owner.post(`/edge/domains/${id}/check`)],
    ["connect", /^GET \/zones\?name/, (id: string) => tenant.owner.post(`/edge/domains/${id}/connect`, {})],
    [
      "pages",
      /^POST .*domains/,
      (id: string, project: string) => tenant.owner.post(`/edge/domains/${id}/pages`, { project_id: project }),
    ],
  ] as const)
    it(`is 404 for the ${what} of a domain that was deleted meanwhile`, async () => {
      const account = await world.account(tenant);
      const domainId = await world.domain(tenant, "gone.example");
      world.provider.state.project(account.edge_account_id as string, "site", []);
      await sync(account)();
      const [project] = (await tenant.owner.get("/edge/pages/projects")).body;
      if (what !== "connect") await world.zone(tenant, account, "gone.example", { domain_id: domainId });
      const answer = await during(
        () => work(domainId, project.id),
        held,
        () => tenant.owner.delete(`/domains/${domainId}`),
      );
      expect(refusalOf(answer as never)).to.deep.equal([404, "not_found", null]);
    });

  it("keeps a zone that was created after its sync read the list", async () => {
    const account = await world.account(tenant);
    const domainId = await world.domain(tenant, "new.example");
    const { body } = await during(sync(account), /^GET \/zones\?.*account\.id=/, async () => {
      const connected = await tenant.owner.post(`/edge/domains/${domainId}/connect`, {});
      expect(connected.body).to.include({ status: "pending", domain_id: domainId });
    });
    expect(body).to.include({ ok: true, zones_synced: 0 });
    const [zone] = (await tenant.owner.get(`/edge/zones?domain_id=${domainId}`)).body.items;
    expect(zone.status).to.equal("pending");
    expect((await sync(account)()).body).to.include({ ok: true, zones_synced: 1, zones_matched: 1 });
  });

  it("keeps a hostname that was linked after its sync read the list of sites", async () => {
    const account = await world.account(tenant);
    const domainId = await world.domain(tenant, "site.example");
    world.provider.state.project(account.edge_account_id as string, "site", []);
    await sync(account)();
    const [project] = (await tenant.owner.get("/edge/pages/projects")).body;
    const { body } = await during(sync(account), /^GET \/accounts\/[^/]+\/pages\/projects\?/, async () => {
      const linked = await tenant.owner.post(`/edge/domains/${domainId}/pages`, { project_id: project.id });
      expect(linked.status).to.equal(201);
    });
    expect(body).to.include({ ok: true, pages_links_missing: 0 });
    const { body: status } = await tenant.owner.get(`/edge/domains/${domainId}/status`);
    expect(status.pages_links[0].missing_at).to.equal(null);
  });

  it("does not take the failure of a replaced token for one of the new token", async () => {
    for (const call of [sync, verify]) {
      const account = await world.account(tenant, { api_token: token });
      world.provider.tokens.set(token, "revoked");
      const held = call === sync ? /^GET \/zones\?/ : /^GET \/user\/tokens\/verify/;
      const { body } = await during(call(account), held, () => patch(account, { api_token: newToken() }));
      expect(body).to.include({ ok: false });
      expect(await world.stored("edge_accounts", account.id)).to.include({ status: "active", last_error: null });
      world.provider.tokens.clear();
    }
  });

  it("does not blame a new token for a request that the replaced one made", async () => {
    const account = await world.account(tenant, { api_token: token });
    const zone = await world.zone(tenant, account, "a.example");
    world.provider.tokens.set(token, "revoked");
    const read = () => tenant.owner.get(`/edge/zones/${zone.id}/dns`);
    const { status } = await during(read, /^GET \/zones\/[^/]+\/dns_records/, () => patch(account, { api_token: newToken() }));
    expect(status).to.equal(409);
    expect(await world.stored("edge_accounts", account.id)).to.include({ status: "active", last_error: null });
  });

  it("keeps the account id that a member chose meanwhile", async () => {
    for (const [call, held] of [
      [sync, /^GET \/zones\?/],
      [verify, /^GET \/accounts\?/],
    ] as const) {
      const account = await world.account(tenant, { edge_account_id: null });
      const { body } = await during(call(account), held, () => patch(account, { edge_account_id: "chosen" }));
      expect(body).to.include({ ok: true });
      expect(await world.stored("edge_accounts", account.id)).to.include({
        edge_account_id: "chosen",
        edge_account_name: null,
        status: "active",
      });
    }
  });
});
