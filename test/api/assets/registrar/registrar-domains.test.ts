import { expect } from "chai";
import type { Caller, Tenant, TestService } from "../../../support/service.ts";
import { type RegistrarWorld, startRegistrar } from "./registrar-world.ts";

describe("/registrar/domains", function () {
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
    group = world.provider.group(["ns1.host.nl", "ns2.host.nl"]);
    tenant = await service.tenant();
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const held = (name: string, values = {}) =>
    world.provider.register({ name, nsgroup: group, expires: "2099-03-01", lock: true, autorenew: true, ...values });
  const sync = (id: string) => tenant.owner.post(`/registrar/accounts/${id}/sync`);
  const status = (id: string, caller: Caller = tenant.owner) => caller.get(`/registrar/domains/${id}/status`);
  const refresh = (id: string, query = "") => tenant.owner.post(`/registrar/domains/${id}/refresh${query}`);
  const refused = (answer: { status: number; body: { error: { code: string } } }) => [answer.status, answer.body.error.code];

  describe("GET", () => {
    const names = async (query = "", caller: Caller = tenant.owner) => {
      const { status: answered, body } = await caller.get(`/registrar/domains${query}`);
      expect(answered).to.equal(200);
      expect(body.total).to.equal(body.items.length);
      return body.items.map(({ name }: { name: string }) => name);
    };

    it("lists the stored domains, without a call, by name, with account, link and search", async () => {
      const [one, two] = [await world.account(tenant, { name: "One" }), await world.account(tenant)];
      const domainId = await world.domain(tenant, "beta.nl");
      for (const name of ["gamma.nl", "beta.nl", "alpha.nl", "xn--bcher-kva.example"]) held(name);
      await sync(one);
      world.provider.domains.delete("beta.nl");
      await sync(two);
      const calls = world.provider.received.length;
      expect(await names(`?account_id=${one}`)).to.deep.equal(["alpha.nl", "beta.nl", "bücher.example", "gamma.nl"]);
      expect(await names()).to.have.length(7);
      expect(await names("?linked=true")).to.deep.equal(["beta.nl"]);
      expect(await names(`?linked=false&account_id=${one}&sort=-name`)).to.deep.equal(["gamma.nl", "bücher.example", "alpha.nl"]);
      for (const q of ["BÜCH", "xn--bcher", " %C3%BCcher"])
        expect(await names(`?account_id=${one}&q=${q.includes("%") ? q.trim() : encodeURIComponent(q)}`), q).to.deep.equal([
          "bücher.example",
        ]);
      expect(await names(`?q=${encodeURIComponent("%")}`)).to.deep.equal([]);
      const { body } = await tenant.owner.get("/registrar/domains?linked=true");
      expect(body.items[0]).to.deep.include({
        account_id: one,
        account_name: "One",
        name: "beta.nl",
        domain_id: domainId,
        domain_name: "beta.nl",
        expires_on: "2099-03-01",
        nameservers: ["ns1.host.nl", "ns2.host.nl"],
        push_status: null,
      });
      expect(world.provider.received).to.have.length(calls);
    });

    it("shows restricted staff domains of their clients and of no client, even without a link", async () => {
      const id = await world.account(tenant);
      const [mine, theirs] = [await tenant.company(), await tenant.company()];
      for (const name of ["mine.nl", "theirs.nl", "typed-later.nl", "nobodys.nl"]) held(name);
      await world.domain(tenant, "mine.nl", { company_id: mine.id });
      const hidden = await world.domain(tenant, "theirs.nl", { company_id: theirs.id });
      await sync(id);
      await world.domain(tenant, "typed-later.nl", { company_id: theirs.id });
      const restricted = await tenant.member("admin");
      await tenant.group("some", [mine.id], [restricted.membershipId]);
      expect(await names("", restricted)).to.deep.equal(["mine.nl", "nobodys.nl"]);
      expect(await names()).to.have.length(4);
      expect((await status(hidden, restricted)).status).to.equal(404);
      expect((await status(hidden)).status).to.equal(200);
    });

    it("shows a client login no domain without a client", async () => {
      const id = await world.account(tenant);
      held("nobodys.nl");
      await sync(id);
      const client = await tenant.member("client");
      await service.sql.query(
        `with made as (insert into roles (organisation_id, key, permissions) values ($1, 'more', '{registrar.registrar.sync}') returning id)
          insert into membership_roles (organisation_id, membership_id, role_id) select $1, $2, id from made`,
        [tenant.organisation.id, client.membershipId],
      );
      expect(await names("", client)).to.deep.equal([]);
      const staff = await tenant.member("member", { grants: ["registrar.registrar.sync"] });
      expect(await names("", staff)).to.deep.equal(["nobodys.nl"]);
    });
  });

  describe("GET …/status", () => {
    it("reports problems from stored data, without a call", async () => {
      const domainId = await world.domain(tenant, "a.nl", {
        nameservers: ["ns1.other.nl", "ns2.other.nl"],
        dns_checked_at: "2026-06-01T00:00:00Z",
      });
      expect((await status(domainId)).body).to.deep.equal({
        domain_id: domainId,
        domain_name: "a.nl",
        registration: null,
        elsewhere: [],
        public_nameservers: ["ns1.other.nl", "ns2.other.nl"],
        nameservers_checked_at: "2026-06-01T00:00:00+00:00",
        issues: ["no_account"],
      });
      const id = await world.account(tenant);
      expect((await status(domainId)).body.issues).to.deep.equal(["never_synced"]);
      await sync(id);
      expect((await status(domainId)).body.issues).to.deep.equal(["not_in_register"]);
      held("a.nl", { lock: false, autorenew: false, expires: "2026-01-01" });
      await sync(id);
      const calls = world.provider.received.length;
      const { body, statements } = await status(domainId);
      expect(body.issues).to.deep.equal(["expired", "transfer_unlocked", "autorenew_off", "not_delegated_yet"]);
      expect(body.registration).to.include({ account_id: id, name: "a.nl", domain_id: domainId });
      expect(statements, "domain, registrations, accounts and linked domains").to.equal(4);
      expect(world.provider.received).to.have.length(calls);
    });

    it("does not name another client's domain that a registration of its name is linked to", async () => {
      const account = await world.account(tenant);
      const [mine, theirs] = [await tenant.company(), await tenant.company()];
      held("a.nl");
      await sync(account);
      const domainId = await world.domain(tenant, "a.nl", { company_id: mine.id });
      const hidden = await world.domain(tenant, "secret-plan.nl", { company_id: theirs.id });
      await service.sql.query("update registrar_domains set domain_id = $2 where organisation_id = $1", [
        tenant.organisation.id,
        hidden,
      ]);
      const restricted = await tenant.member("admin");
      await tenant.group("some", [mine.id], [restricted.membershipId]);
      const named = async (caller?: Caller) => {
        const { registration } = (await status(domainId, caller)).body;
        return [registration.name, registration.domain_id, registration.domain_name];
      };
      expect(await named(restricted)).to.deep.equal(["a.nl", null, null]);
      expect(await named()).to.deep.equal(["a.nl", hidden, "secret-plan.nl"]);
    });

    it("ends with the name of its domain, which takes what is held under the new one", async () => {
      const account = await world.account(tenant);
      for (const name of ["old.nl", "new.nl"]) held(name);
      const domainId = await world.domain(tenant, "old.nl");
      await sync(account);
      const linked = async () => (await world.register(tenant)).map(({ name, domain_id }) => [name, domain_id]);
      expect(await linked()).to.deep.equal([
        ["new.nl", null],
        ["old.nl", domainId],
      ]);
      expect((await tenant.owner.patch(`/domains/${domainId}`, { name: "new.nl" })).status).to.equal(200);
      expect(await linked()).to.deep.equal([
        ["new.nl", domainId],
        ["old.nl", null],
      ]);
      expect((await tenant.owner.patch(`/domains/${domainId}`, { name: "other.nl" })).status).to.equal(200);
      expect(await linked()).to.deep.equal([
        ["new.nl", null],
        ["old.nl", null],
      ]);
    });

    it("counts the register that has it, though another had it", async () => {
      const [one, two] = [await world.account(tenant), await world.account(tenant)];
      const domainId = await world.domain(tenant, "a.nl");
      held("a.nl");
      await sync(one);
      await sync(two);
      world.provider.domains.clear();
      await sync(one);
      const { body } = await status(domainId);
      expect([
        body.registration.account_id,
        body.elsewhere.map((row: { status: string }) => row.status),
        body.issues,
      ]).to.deep.equal([two, ["gone"], []]);
    });
  });

  describe("POST …/refresh", () => {
    it("asks about the domain, its group and its registrant, and keeps DNSSEC and the company", async () => {
      const id = await world.verified(tenant);
      const domainId = await world.domain(tenant, "a.nl");
      held("a.nl", { dnssec: true, registrant: "VQ7", expires: "2027-12-31" });
      world.provider.identities.set("VQ7", { company: "Bakkerij Café", first: "A", last: "Janssen" });
      world.provider.asked.length = 0;
      const { status: answered, body } = await refresh(domainId);
      expect([answered, body.registration.registrant, body.registration.dnssec, body.registration.expires_on]).to.deep.equal([
        200,
        "Bakkerij Café",
        true,
        "2027-12-31",
      ]);
      expect(world.provider.asked).to.deep.equal([
        { command: "domain_inf", sld: "a", tld: "nl" },
        { command: "nsgroup_get", nsgroup: group },
        { command: "identity_get", identity: "VQ7" },
      ]);
      expect(body.registration).to.include({ account_id: id, domain_id: domainId, nameserver_group: group });
      world.provider.identities.set("VQ7", { first: "A", last: "Janssen" });
      expect((await refresh(domainId)).body.registration.registrant).to.equal("A Janssen");
      expect(await world.register(tenant)).to.have.length(1);
    });

    it("keeps the state from the list, and keeps gone domains gone", async () => {
      const id = await world.verified(tenant);
      const domainId = await world.domain(tenant, "a.nl");
      held("a.nl", { status: "Active" });
      await sync(id);
      expect((await refresh(domainId)).body.registration.status).to.equal("Active");
      world.provider.domains.clear();
      await sync(id);
      held("a.nl");
      const { body } = await refresh(domainId);
      expect([body.registration.status, body.issues]).to.deep.equal([null, []]);
    });

    it("is refused before any call: not verified, unknown ending, subdomain, no account, several, inactive", async () => {
      const of = (name: string) => world.domain(tenant, name);
      const [plain, shop, sub, british] = [await of("a.nl"), await of("a.shop"), await of("www.a.nl"), await of("b.a.co.uk")];
      expect(refused(await refresh(plain))).to.deep.equal([409, "registrar_no_account"]);
      const id = await world.account(tenant);
      expect(refused(await refresh(plain))).to.deep.equal([409, "registrar_not_verified"]);
      await tenant.owner.post(`/registrar/accounts/${id}/verify`);
      const calls = world.provider.received.length;
      for (const one of [shop, sub, british]) expect(refused(await refresh(one))).to.deep.equal([409, "registrar_unknown_tld"]);
      const other = await world.account(tenant);
      const several = await refresh(plain);
      expect(refused(several)).to.deep.equal([409, "registrar_account_ambiguous"]);
      expect(several.body.error.fields).to.deep.equal({ account_id: "errors.required" });
      await tenant.owner.patch(`/registrar/accounts/${other}`, { active: false });
      expect(refused(await refresh(plain, `?account_id=${other}`))).to.deep.equal([409, "registrar_account_inactive"]);
      expect((await refresh(plain, "?account_id=01890000-0000-7000-8000-000000000000")).status).to.equal(404);
      expect((await refresh("01890000-0000-7000-8000-000000000000")).status).to.equal(404);
      expect(world.provider.received).to.have.length(calls);
    });

    it("splits at the longest ending that is sold", async () => {
      await world.verified(tenant);
      held("a.co.uk");
      expect((await refresh(await world.domain(tenant, "a.co.uk"))).status).to.equal(200);
      expect(world.provider.asked).to.deep.include({ command: "domain_inf", sld: "a", tld: "co.uk" });
    });

    it("asks the account that holds it, unless another is named", async () => {
      const [one, two] = [await world.verified(tenant), await world.verified(tenant)];
      const domainId = await world.domain(tenant, "a.nl");
      held("a.nl");
      await sync(two);
      expect((await refresh(domainId)).body.registration.account_id).to.equal(two);
      await refresh(domainId, `?account_id=${one}`);
      expect((await world.register(tenant)).map((row) => row["account_id"]).toSorted()).to.deep.equal([one, two].toSorted());
    });

    it("of a domain that is not held there is 409, and leaves the register as it was", async () => {
      await world.verified(tenant);
      expect(refused(await refresh(await world.domain(tenant, "a.nl")))).to.deep.equal([409, "registrar_domain_not_in_register"]);
      expect(await world.register(tenant)).to.deep.equal([]);
    });

    it("keeps why it failed although the request is refused, and no word of it in the answer", async () => {
      const id = await world.verified(tenant);
      const domainId = await world.domain(tenant, "a.nl");
      held("a.nl");
      const last = async () => {
        const { status: state, last_error } = await world.storedAccount(id);
        return [state, last_error];
      };
      world.provider.refused.set("nsgroup_get", "Storing in de achtergrond");
      const failed = await refresh(domainId);
      expect(refused(failed)).to.deep.equal([502, "registrar_request_failed"]);
      expect(failed.text).not.to.include("Storing");
      expect(await last()).to.deep.equal(["active", "XMLERR 99 Storing in de achtergrond"]);
      world.provider.fail({ kind: "reply", status: 429, headers: { "Retry-After": "33" } });
      const limited = await refresh(domainId);
      expect(refused(limited)).to.deep.equal([502, "registrar_request_failed"]);
      expect(limited.body.error.details).to.deep.equal({ retry_after_seconds: 33 });
      expect((await last())[1]).to.include("wait 33 s");
      world.provider.fail({ kind: "reply", status: 429 });
      expect((await refresh(domainId)).body.error.details).to.equal(undefined);
      world.provider.fail({ kind: "reply", status: 302, headers: { Location: "/maintenance" } });
      expect(refused(await refresh(domainId)), "not an answer about the domain").to.deep.equal([502, "registrar_request_failed"]);
      world.provider.fail({ kind: "drop" }, { kind: "drop" });
      expect(refused(await refresh(domainId))).to.deep.equal([502, "registrar_unreachable"]);
      const password = world.provider.password;
      world.provider.password = "another";
      const rejected = await refresh(domainId);
      expect(refused(rejected)).to.deep.equal([409, "registrar_credential_rejected"]);
      const [state, error] = await last();
      expect(state).to.equal("error");
      expect(error)
        .to.match(/^XMLERR 1 Inloggen mislukt/)
        .and.not.include(password);
    });
  });
});
