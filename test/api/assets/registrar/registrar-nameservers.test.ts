import { expect } from "chai";
import { groupAlias } from "../../../../integrations/registrar/oxxa/nameserver-groups.ts";
import type { Fault } from "../../../simulators/simulator.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";
import { type RegistrarWorld, startRegistrar } from "./registrar-world.ts";

const HOSTS = ["ns1.new.nl", "ns2.new.nl"];

describe("POST /registrar/domains/{domain_id}/nameservers", function () {
  this.timeout(60_000);
  let world: RegistrarWorld;
  let service: TestService;
  let tenant: Tenant;
  let group: string;
  let accountId: string;
  let domainId: string;
  before(async () => {
    world = await startRegistrar();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    group = world.provider.group(["ns1.old.nl", "ns2.old.nl"]);
    tenant = await service.tenant();
    accountId = await world.verified(tenant, { name: "Main" });
    domainId = await world.domain(tenant, "a.nl");
    for (const name of ["a.nl", "b.nl"]) world.provider.register({ name, nsgroup: group, expires: "2027-03-01" });
    await tenant.owner.post(`/registrar/accounts/${accountId}/sync`);
    world.provider.asked.length = 0;
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const push = (nameservers: unknown = HOSTS, more: object = {}) =>
    tenant.owner.post(`/registrar/domains/${domainId}/nameservers`, { nameservers, ...more });
  const row = async () => (await world.register(tenant)).find(({ name }) => name === "a.nl") ?? {};
  const commands = () => world.provider.asked.map(({ command }) => command);
  const of = (command: string) => (request: { query: URLSearchParams }) => request.query.get("command") === command;
  const groupsNow = () => [...world.provider.groups.values()].filter(({ alias }) => alias.startsWith("kantoor-"));

  it("creates the missing group of those name servers, and moves the domain to it; others keep theirs", async () => {
    const { status, body } = await push(["NS2.new.nl.", "ns1.new.nl", "ns1.NEW.nl"]);
    expect([status, body]).to.deep.equal([200, { ok: true, changed: true, error: null }]);
    expect(commands()).to.deep.equal(["domain_inf", "nsgroup_list", "nsgroup_add", "domain_ns_upd"]);
    const [made] = groupsNow();
    expect([made?.alias, made?.hosts]).to.deep.equal([groupAlias(HOSTS), HOSTS]);
    expect(world.provider.domains.get("a.nl")?.nsgroup).to.equal(made?.handle);
    expect(world.provider.domains.get("b.nl")?.nsgroup).to.equal(group);
    expect(await row()).to.include({ ns_push_status: "active", nsgroup_ref: made?.handle, last_error: null });
    expect([(await row())["ns_desired"], (await row())["ns_observed"]]).to.deep.equal([HOSTS, HOSTS]);
    expect(await world.trail(tenant, "domain", domainId)).to.deep.equal([
      ["registrar.nameservers_pushed", { nameservers: HOSTS, account: "Main" }],
    ]);
  });

  it("uses the group that is there, and changes nothing that is so already", async () => {
    const handle = world.provider.group(HOSTS, groupAlias(HOSTS));
    world.provider.group(["x.y.nl", "z.y.nl"], `${groupAlias(HOSTS)}-other`);
    expect((await push()).body).to.deep.equal({ ok: true, changed: true, error: null });
    expect(commands()).to.deep.equal(["domain_inf", "nsgroup_list", "nsgroup_get", "domain_ns_upd"]);
    expect(world.provider.domains.get("a.nl")?.nsgroup).to.equal(handle);
    world.provider.asked.length = 0;
    expect((await push(HOSTS.toReversed())).body).to.deep.equal({ ok: true, changed: false, error: null });
    expect(commands()).to.deep.equal(["domain_inf", "nsgroup_list", "nsgroup_get"]);
    expect(await world.trail(tenant, "domain", domainId)).to.have.length(1);
  });

  it("checks whether the domain has it already instead of trusting stored data", async () => {
    await push();
    const domain = world.provider.domains.get("a.nl");
    if (domain) domain.nsgroup = group;
    expect((await push()).body.changed).to.equal(true);
    expect(domain?.nsgroup).to.equal(groupsNow()[0]?.handle);
    expect(await world.trail(tenant, "domain", domainId)).to.have.length(2);
  });

  it("refuses a group of that name with other members, and leaves it as it is", async () => {
    const handle = world.provider.group(["ns1.new.nl", "ns3.new.nl"], groupAlias(HOSTS));
    const { status, body } = await push();
    expect([status, body]).to.deep.equal([200, { ok: false, changed: false, error: "errors.registrar_nsgroup_conflict" }]);
    expect(commands()).to.deep.equal(["domain_inf", "nsgroup_list", "nsgroup_get"]);
    expect(world.provider.groups.get(handle)?.hosts).to.deep.equal(["ns1.new.nl", "ns3.new.nl"]);
    expect(await row()).to.include({ ns_push_status: "error", last_error: "errors.registrar_nsgroup_conflict" });
    expect((await world.storedAccount(accountId))["status"]).to.equal("active");
    const { body: now } = await tenant.owner.get(`/registrar/domains/${domainId}/status`);
    expect(now.issues).to.include("push_error");
  });

  for (const command of ["nsgroup_list", "nsgroup_add", "domain_ns_upd"])
    it(`answers in the registrar's words when ${command} is refused, and keeps them`, async () => {
      world.provider.refused.set(command, "Dit mag nu niet");
      const { status, body } = await push();
      expect([status, body]).to.deep.equal([200, { ok: false, changed: false, error: "XMLERR 99 Dit mag nu niet" }]);
      expect(await row()).to.include({ ns_push_status: "error", last_error: "XMLERR 99 Dit mag nu niet", nsgroup_ref: group });
      expect([(await row())["ns_desired"], (await row())["ns_observed"]]).to.deep.equal([HOSTS, ["ns1.old.nl", "ns2.old.nl"]]);
      expect(await world.trail(tenant, "domain", domainId)).to.deep.equal([]);
      world.provider.refused.clear();
      expect((await push()).body).to.deep.equal({ ok: true, changed: true, error: null });
      expect(await row()).to.include({ ns_push_status: "active", last_error: null });
      expect(groupsNow()).to.have.length(1);
    });

  for (const command of ["nsgroup_add", "domain_ns_upd"])
    for (const fault of [{ kind: "lose" }, { kind: "drop" }, { kind: "reply", status: 503 }] as Fault[])
      it(`never repeats ${command} automatically (${JSON.stringify(fault)}), and the next call creates nothing twice`, async () => {
        const restored = world.provider.failWhen(of(command), fault);
        expect((await push()).body.ok).to.equal(false);
        expect(world.provider.received.filter(of(command))).to.have.length(1);
        restored();
        const { body } = await push();
        expect([body.ok, body.changed]).to.deep.equal([true, !(command === "domain_ns_upd" && fault.kind === "lose")]);
        expect(groupsNow()).to.have.length(1);
        expect(world.provider.domains.get("a.nl")?.nsgroup).to.equal(groupsNow()[0]?.handle);
        expect(await row()).to.include({ ns_push_status: "active" });
        expect(await world.trail(tenant, "domain", domainId)).to.have.length(1);
      });

  it("asks for many at once to one set of name servers: one group, one change each", async () => {
    const names = Array.from({ length: 8 }, (_, n) => `many${n}.nl`);
    const ids: string[] = [];
    for (const name of names) {
      world.provider.register({ name, nsgroup: group, expires: "2027-03-01" });
      ids.push(await world.domain(tenant, name));
    }
    const hosts = ["ns1.many.nl", "ns2.many.nl"];
    const answers = await Promise.all(
      [...ids, ...ids].map((id) => tenant.owner.post(`/registrar/domains/${id}/nameservers`, { nameservers: hosts })),
    );
    for (const { status, body } of answers) expect([status, body.ok], JSON.stringify(body)).to.deep.equal([200, true]);
    expect(answers.filter(({ body }) => body.changed)).to.have.length(8);
    expect(world.provider.calls("nsgroup_add")).to.equal(1);
    expect(world.provider.calls("domain_ns_upd")).to.equal(8);
  });

  it("continues after a node that died in its turn", async () => {
    await service.sql.query(
      "update registrar_accounts set pushing = gen_random_uuid(), pushing_until = now() + interval '700 milliseconds' where id = $1",
      [accountId],
    );
    expect((await push()).body.ok).to.equal(true);
    expect((await world.storedAccount(accountId))["pushing"]).to.equal(null);
  });

  it("names the seconds to wait after a 429", async () => {
    world.provider.fail({ kind: "reply", status: 429, headers: { "Retry-After": "21" } });
    const { status, body } = await push();
    expect([status, body.ok]).to.deep.equal([200, false]);
    expect(body.error).to.include("wait 21 s");
    expect((await row())["last_error"]).to.equal(body.error);
  });

  it("reports a refused credential, which is the account's state, without the password", async () => {
    const password = world.provider.password;
    world.provider.password = "another";
    const { body, text } = await push();
    expect([body.ok, body.error]).to.deep.equal([false, (await row())["last_error"]]);
    expect(body.error).to.match(/^XMLERR 1 Inloggen mislukt/);
    expect((await world.storedAccount(accountId))["status"]).to.equal("error");
    for (const form of [password, encodeURIComponent(password)]) expect(text).not.to.include(form);
  });

  it("says so of a domain the account does not list, which then counts as unregistered", async () => {
    domainId = await world.domain(tenant, "elsewhere.nl");
    const { status, body } = await push();
    expect([status, body]).to.deep.equal([200, { ok: false, changed: false, error: "errors.registrar_domain_not_in_register" }]);
    expect((await world.register(tenant)).map(({ name }) => name)).to.deep.equal(["a.nl", "b.nl"]);
    expect(commands()).to.deep.equal(["domain_inf"]);
  });

  it("keeps why it failed on a registration that is gone, which stays gone", async () => {
    world.provider.domains.delete("a.nl");
    await tenant.owner.post(`/registrar/accounts/${accountId}/sync`);
    expect((await push()).body).to.deep.equal({ ok: false, changed: false, error: "errors.registrar_domain_not_in_register" });
    const now = await row();
    expect(now["ns_desired"]).to.deep.equal(HOSTS);
    expect(now).to.include({
      registry_status: "gone",
      ns_push_status: "error",
      last_error: "errors.registrar_domain_not_in_register",
    });
  });

  it("keeps a domain missing from the list, once the registrar confirms it", async () => {
    world.provider.register({ name: "fresh.nl", nsgroup: group, expires: "2027-03-01" });
    domainId = await world.domain(tenant, "fresh.nl");
    expect((await push()).body.ok).to.equal(true);
    expect((await world.register(tenant)).map(({ name }) => name)).to.include("fresh.nl");
  });

  const count = { nameservers: "errors.invalid_nameserver_count" };
  const name = { nameservers: "errors.invalid_hostname" };
  for (const [what, sent, fields] of [
    ["one name server", ["ns1.x.nl"], count],
    ["one name server twice", ["ns1.x.nl", "NS1.x.nl."], count],
    ["seven", [1, 2, 3, 4, 5, 6, 7].map((n) => `ns${n}.x.nl`), count],
    ["a name without a dot", ["ns1", "ns2.x.nl"], name],
    ["what is no host name", ["ns1.x.nl", "-a.x.nl"], name],
    ["no list", "ns1.x.nl", { nameservers: "errors.validation" }],
  ] as const)
    it(`refuses ${what} before any call`, async () => {
      expect(refusalOf(await push(sent))).to.deep.equal(invalidOn(fields));
      expect(world.provider.asked).to.deep.equal([]);
    });

  it("needs the right to manage, and the domain in view", async () => {
    const reader = await tenant.member("member", { grants: ["registrar.registrar.sync", "registrar.settings.manage"] });
    const path = `/registrar/domains/${domainId}/nameservers`;
    expect((await reader.post(path, { nameservers: HOSTS })).status).to.equal(403);
    const restricted = await tenant.member("admin");
    await tenant.group("other", [(await tenant.company()).id], [restricted.membershipId]);
    expect((await restricted.post(path, { nameservers: HOSTS })).status).to.equal(404);
    expect(world.provider.asked).to.deep.equal([]);
  });
});
