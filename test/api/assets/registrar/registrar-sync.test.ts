import { expect } from "chai";
import { systemRequest } from "../../../../core/request/system.ts";
import { storeRegister } from "../../../../integrations/registrar/sync/store-register.ts";
import { inTenancy } from "../../../../mixins/tenancy.ts";
import { until } from "../../../support/jobs.ts";
import type { Tenant, TestService } from "../../../support/service.ts";
import { abreast } from "../../../support/waiting.ts";
import { type RegistrarWorld, startRegistrar } from "./registrar-world.ts";

describe("POST /registrar/accounts/{account_id}/sync", function () {
  this.timeout(60_000);
  let world: RegistrarWorld;
  let service: TestService;
  let tenant: Tenant;
  let group: string;
  before(async () => {
    world = await startRegistrar();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    group = world.provider.group(["NS2.host.nl", "ns1.host.nl"]);
    tenant = await service.tenant();
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const sync = (id: string) => tenant.owner.post(`/registrar/accounts/${id}/sync`);
  const held = (name: string, values = {}) => world.provider.register({ name, nsgroup: group, expires: "2027-03-01", ...values });

  it("stores the listed domains, linked to the domain of exactly that name, in one list and one call per distinct group", async () => {
    const id = await world.account(tenant);
    const other = world.provider.group(["a.else.nl", "b.else.nl"]);
    const linked = await world.domain(tenant, "a.nl");
    await world.domain(tenant, "www.b.nl");
    held("A.NL", { lock: true, autorenew: false, status: "Active", registrant: "VQ1" });
    held("b.nl", { expires: "unknown", nsgroup: other });
    held("c.co.uk");
    held("xn--bcher-kva.example", { nsgroup: "" });
    const { status, body } = await sync(id);
    expect([status, body]).to.deep.equal([200, { ok: true, found: 4, matched: 1, unmatched: 3, drifted: 0, error: null }]);
    const asked = world.provider.asked.map(({ command, nsgroup = "" }) => `${command} ${nsgroup}`.trim()).sort();
    expect(asked).to.deep.equal(["domain_list", `nsgroup_get ${group}`, `nsgroup_get ${other}`].sort());
    const [a, b, c, d] = await world.register(tenant);
    expect(a).to.include({
      name: "a.nl",
      sld: "a",
      tld: "nl",
      domain_id: linked,
      expires: "2027-03-01",
      transfer_lock: true,
      autorenew: false,
      nsgroup_ref: group,
      registry_status: "Active",
      dnssec: null,
      registrant: null,
      ns_desired: null,
      ns_push_status: null,
    });
    expect([a?.["ns_observed"], a?.["contact_refs"]]).to.deep.equal([["ns1.host.nl", "ns2.host.nl"], { registrant: "VQ1" }]);
    expect(b).to.include({ domain_id: null, expires: null, transfer_lock: null, autorenew: null, registry_status: null });
    expect(c).to.include({ sld: "c", tld: "co.uk" });
    expect(d).to.include({ label: "bücher.example", nsgroup_ref: null, ns_observed: null });
    const account = await world.storedAccount(id);
    expect([account["status"], account["last_error"]]).to.deep.equal(["active", null]);
    expect(account["last_synced_at"]).not.to.equal(null);
    const [line] = await world.trail(tenant, "registrar_account", id);
    expect(line).to.deep.equal(["registrar.register_synced", { found: 4, matched: 1, drifted: 0 }]);
    const { rows } = await service.sql.query(
      "select actor_account_id from activity where entity_id = $1 and action like '%synced'",
      [id],
    );
    expect(rows).to.deep.equal([{ actor_account_id: tenant.owner.accountId }]);
  });

  it("copies nothing to a domain record and creates none", async () => {
    const id = await world.account(tenant);
    const domainId = await world.domain(tenant, "a.nl");
    // All of a record but what triggers keep of the registers.
    const RECORDS = `select to_jsonb(t) - array['held_by_edge', 'held_by_registrar', 'register_expires_on'] as record
      from domains t where organisation_id = $1`;
    const all = async () => (await service.sql.query(RECORDS, [tenant.organisation.id])).rows;
    const before = await all();
    held("a.nl", { status: "expired" });
    held("new.nl");
    await sync(id);
    expect(await all()).to.deep.equal(before);
    expect(await world.trail(tenant, "domain", domainId)).to.deep.equal([]);
  });

  it("changes nothing on a repeat, so that followers of changes get none", async () => {
    const id = await world.account(tenant);
    held("a.nl");
    await sync(id);
    const since = new Date().toISOString();
    await sync(id);
    const changed = await tenant.owner.get(`/registrar/domains?updated_since=${since}`);
    expect(changed.body.items).to.deep.equal([]);
    held("a.nl", { expires: "2028-03-01" });
    await sync(id);
    expect((await tenant.owner.get(`/registrar/domains?updated_since=${since}`)).body.items).to.have.length(1);
    expect((await world.register(tenant)).map((row) => row["version"])).to.deep.equal([2]);
  });

  it("keeps a link, and links domains added since", async () => {
    const id = await world.account(tenant);
    held("a.nl");
    held("b.nl");
    const other = await world.domain(tenant, "other.nl");
    await sync(id);
    await service.sql.query("update registrar_domains set domain_id = $2 where account_id = $1 and name = 'a.nl'", [id, other]);
    const typed = await world.domain(tenant, "b.nl");
    expect((await sync(id)).body).to.include({ matched: 2, unmatched: 0 });
    expect((await world.register(tenant)).map((row) => row["domain_id"])).to.deep.equal([other, typed]);
  });

  it("marks domains missing from a whole list as gone, and restores those that reappear (assets §13.10)", async () => {
    const id = await world.account(tenant);
    const domainId = await world.domain(tenant, "a.nl");
    held("a.nl", { status: "Active" });
    held("b.nl");
    await sync(id);
    world.provider.domains.delete("a.nl");
    expect((await sync(id)).body).to.include({ found: 1, matched: 0 });
    const [gone] = await world.register(tenant);
    expect(gone).to.include({ name: "a.nl", registry_status: "gone", domain_id: domainId, expires: "2027-03-01" });
    expect((await tenant.owner.get("/registrar/accounts")).body[0].domain_count).to.equal(1);
    held("a.nl", { status: "Active" });
    await sync(id);
    expect((await world.register(tenant))[0]).to.include({ id: gone?.["id"], registry_status: "Active", domain_id: domainId });
    world.provider.domains.clear();
    expect((await sync(id)).body).to.include({ ok: true, found: 0 });
    expect((await world.register(tenant)).map((row) => row["registry_status"])).to.deep.equal(["gone", "gone"]);
  });

  it("compares name servers only if some were requested", async () => {
    const id = await world.account(tenant);
    const empty = world.provider.group([]);
    for (const [name, nsgroup] of [
      ["drift.nl", group],
      ["missing.nl", empty],
      ["none.nl", ""],
      ["same.nl", group],
      ["unasked.nl", group],
    ] as const)
      held(name, { nsgroup });
    await sync(id);
    const ask = "update registrar_domains set ns_desired = $3, ns_push_status = 'error' where account_id = $1 and name = any($2)";
    await service.sql.query(ask, [id, ["drift.nl", "missing.nl", "none.nl"], ["ns8.host.nl", "ns9.host.nl"]]);
    await service.sql.query(ask, [id, ["same.nl"], ["ns1.host.nl", "ns2.host.nl"]]);
    expect((await sync(id)).body.drifted).to.equal(1);
    expect((await world.register(tenant)).map((row) => row["ns_push_status"])).to.deep.equal([
      "drift",
      "missing",
      "missing",
      "active",
      null,
    ]);
  });

  it("keeps contacts that are not reported any more, and leaves DNSSEC and registrant alone", async () => {
    const id = await world.account(tenant);
    held("a.nl", { registrant: "VQ1" });
    await sync(id);
    await service.sql.query("update registrar_domains set dnssec = true, registrant = 'Bakkerij' where account_id = $1", [id]);
    held("a.nl");
    await sync(id);
    const [row] = await world.register(tenant);
    expect([row?.["contact_refs"], row?.["dnssec"], row?.["registrant"]]).to.deep.equal([
      { registrant: "VQ1" },
      true,
      "Bakkerij",
    ]);
  });

  it("reads a name that is listed twice once", async () => {
    const id = await world.account(tenant);
    held("a.nl");
    held("A.nl");
    expect((await sync(id)).body).to.include({ ok: true, found: 1 });
  });

  it("of an account that is not active is refused without a call", async () => {
    const id = await world.account(tenant, { active: false });
    const { status, body } = await sync(id);
    expect([status, body.error.code]).to.deep.equal([409, "registrar_account_inactive"]);
    expect(world.provider.received).to.deep.equal([]);
  });

  it("asked for many times at once runs once, and all get its answer", async () => {
    const id = await world.account(tenant);
    held("a.nl");
    const released = Promise.withResolvers<void>();
    world.provider.fail({ kind: "wait", until: released.promise });
    const syncs = [sync(id)];
    await until(() => world.provider.received.length > 0);
    const row: [string, string[]] = ["select 1 from registrar_accounts where id = $1 for update", [id]];
    const others = Array.from({ length: 5 }, () => () => sync(id));
    syncs.push(...(await abreast(service.database.owner, row, others)));
    released.resolve();
    const answers = await Promise.all(syncs);
    for (const { body } of answers) expect(body).to.include({ ok: true, found: 1 });
    expect(world.provider.calls("domain_list")).to.equal(1);
  });

  it("sees no selection: a restricted caller syncs the whole account", async () => {
    const id = await world.account(tenant);
    const [mine, theirs] = [await tenant.company(), await tenant.company()];
    await world.domain(tenant, "mine.nl", { company_id: mine.id });
    await world.domain(tenant, "theirs.nl", { company_id: theirs.id });
    held("mine.nl");
    held("theirs.nl");
    const restricted = await tenant.member("admin");
    await tenant.group("some", [mine.id], [restricted.membershipId]);
    const { body } = await restricted.post(`/registrar/accounts/${id}/sync`);
    expect(body).to.include({ ok: true, found: 2, matched: 2 });
  });

  it("of 800 domains takes one pass: as many statements as one of three, and little memory", async () => {
    const id = await world.account(tenant);
    const groups = Array.from({ length: 12 }, (_, n) => world.provider.group([`ns1.g${n}.nl`, `ns2.g${n}.nl`]));
    for (let n = 0; n < 800; n++) held(`d${n}.nl`, { nsgroup: groups[n % 12] });
    await service.sql.query(
      `insert into domains (id, organisation_id, company_id, name, label, start_date)
        select gen_random_uuid(), $1, $2, 'd' || n || '.nl', 'd' || n || '.nl', '2026-01-01' from generate_series(0, 399) n`,
      [tenant.organisation.id, (await tenant.company()).id],
    );
    await sync(id);
    const before = process.memoryUsage().rss;
    const began = performance.now();
    const { body } = await sync(id);
    const took = Math.round(performance.now() - began);
    const grown = Math.round((process.memoryUsage().rss - before) / 2 ** 20);
    process.stdout.write(`    800 domains: ${took} ms, ${grown} MB more\n`);
    expect(body).to.include({ ok: true, found: 800, matched: 400, unmatched: 400 });
    expect(grown).to.be.lessThan(40);
    const calls = ["domain_list", "nsgroup_get", "domain_inf", "identity_get"].map((command) => world.provider.calls(command));
    expect(calls, "each twice").to.deep.equal([2, 2 * 12, 0, 0]);
    const stored = (count: number) =>
      inTenancy(
        () => systemRequest("a test", tenant.organisation, "write"),
        async (store) => {
          const listed = Array.from({ length: count }, (_, n) => ({
            name: `e${n}.nl`,
            expiresOn: "2027-03-01",
            transferLock: true,
            autorenew: null,
            status: null,
            nameserverGroup: null,
            nameservers: ["ns1.x.nl"],
            contacts: null,
          }));
          await storeRegister(id, listed, new Date().toISOString());
          return store.statements;
        },
      );
    expect([await stored(3), await stored(800)]).to.deep.equal([2, 2]);
  });
});
