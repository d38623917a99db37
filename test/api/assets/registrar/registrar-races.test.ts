import { expect } from "chai";
import { until } from "../../../support/jobs.ts";
import type { Tenant } from "../../../support/service.ts";
import { type RegistrarWorld, startRegistrar } from "./registrar-world.ts";

const HOSTS = ["ns1.new.nl", "ns2.new.nl"];

describe("a registrar account that changes during its calls", () => {
  let world: RegistrarWorld;
  let tenant: Tenant;
  let group: string;
  let accountId: string;
  let domainId: string;
  before(async () => {
    world = await startRegistrar();
  });
  beforeEach(async () => {
    world.provider.reset();
    group = world.provider.group(["ns1.old.nl", "ns2.old.nl"]);
    tenant = await world.service.tenant();
    accountId = await world.verified(tenant);
    domainId = await world.domain(tenant, "a.nl");
    world.provider.register({ name: "a.nl", nsgroup: group, expires: "2027-03-01" });
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  /** Makes a call, holds the registrar's answer to a command, does something else, and returns the answer of the call. */
  async function during(path: string, command: string, work: () => PromiseLike<unknown>, body?: object) {
    const released = Promise.withResolvers<void>();
    const isHeld = ({ query }: { query: URLSearchParams }) => command.split(" ").includes(query.get("command") ?? "");
    world.provider.received.length = 0;
    const stop = world.provider.failWhen(isHeld, { kind: "wait", until: released.promise });
    const calling = Promise.resolve(tenant.owner.post(path, body));
    await until(() => world.provider.received.some(isHeld));
    stop();
    await work();
    released.resolve();
    return (await calling).body;
  }
  const sync = () => tenant.owner.post(`/registrar/accounts/${accountId}/sync`);
  const push = () => tenant.owner.post(`/registrar/domains/${domainId}/nameservers`, { nameservers: HOSTS });
  const row = async () => (await world.register(tenant)).find(({ name }) => name === "a.nl") ?? {};

  it("keeps name servers that were pushed after its sync read the list", async () => {
    await sync();
    const body = await during(`/registrar/accounts/${accountId}/sync`, "domain_list", push);
    expect(body).to.include({ ok: true, found: 1, drifted: 0 });
    expect(await row()).to.include({ ns_push_status: "active" });
    expect((await row())["ns_observed"]).to.deep.equal(HOSTS);
    expect((await sync()).body).to.include({ found: 1, drifted: 0 });
  });

  for (const [path, body] of [
    ["refresh", undefined],
    ["nameservers", { nameservers: HOSTS }],
  ] as const)
    it(`is 404 for the ${path} of a domain that was deleted meanwhile`, async () => {
      const work = () => tenant.owner.delete(`/domains/${domainId}`);
      const answer = await during(`/registrar/domains/${domainId}/${path}`, "nsgroup_list nsgroup_get", work, body);
      expect(answer.error.code).to.equal("not_found");
    });

  it("keeps a domain that came back after its sync read the list", async () => {
    await sync();
    const domain = world.provider.domains.get("a.nl");
    world.provider.domains.clear();
    await sync();
    expect((await row())["registry_status"]).to.equal("gone");
    await during(`/registrar/accounts/${accountId}/sync`, "domain_list", async () => {
      if (domain) world.provider.domains.set("a.nl", domain);
      expect((await tenant.owner.post(`/registrar/domains/${domainId}/refresh`)).status).to.equal(200);
    });
    expect((await row())["registry_status"]).to.equal(null);
  });

  for (const [path, command, body] of [
    ["accounts/:account/sync", "domain_list", undefined],
    ["accounts/:account/verify", "funds_get", undefined],
    ["domains/:domain/refresh", "domain_inf", undefined],
    ["domains/:domain/nameservers", "domain_inf", { nameservers: HOSTS }],
  ] as const)
    it(`does not take the failure of a replaced credential for one of the new credential in ${path}`, async () => {
      await sync();
      const right = world.provider.user;
      world.provider.user = "someone else";
      const at = `/registrar/${path.replace(":account", accountId).replace(":domain", domainId)}`;
      const answer = await during(
        at,
        command,
        () => tenant.owner.patch(`/registrar/accounts/${accountId}`, { api_user: "someone else" }),
        body,
      );
      world.provider.user = right;
      expect(JSON.stringify(answer)).to.match(/wachtwoord|credential_rejected/);
      expect(await world.storedAccount(accountId)).to.include({ status: "active", last_error: null });
    });
});
