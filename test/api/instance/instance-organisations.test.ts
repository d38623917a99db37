import { expect } from "chai";
import { CAPABILITIES } from "../../../core/declare/instance.ts";
import { WAITED_IN_VAIN } from "../../../core/jobs/eligibility.ts";
import { purgeDue } from "../../../operator/instance/purging.ts";
import { administrator, instanceClient, type SignedInAdministrator } from "../../support/instance/administrator.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { signIn } from "../../support/sign-in.ts";

describe("/instance/organisations", () => {
  let service: TestService;
  let operator: SignedInAdministrator;
  let counter = 0;

  before(async () => {
    service = await sharedService();
    operator = await administrator(service, CAPABILITIES);
  });
  after(() => service.stop());

  const at = ({ organisation: { id } }: Tenant, rest = "") => `/instance/organisations/${id}${rest}`;
  const lines = async (id: string) =>
    (
      await service.sql.query(
        "select action, actor, slug, detail from operator_audit where organisation = $1 order by created_at, id",
        [id],
      )
    ).rows;
  const reads = async ({ owner }: Tenant) => (await owner.get("/companies")).status;

  describe("GET", () => {
    it("lists them by slug, page after page, in a fixed number of statements", async () => {
      const word = `paged${process.pid}`;
      for (const letter of ["c", "a", "b"]) await service.tenant(`${word}-${letter}`);
      const first = await operator.get(`/instance/organisations?q=${word.toUpperCase()}&limit=2`);
      expect(first.body).to.deep.include({ total: 3, limit: 2, next_cursor: `${word}-b` });
      const second = await operator.get(`/instance/organisations?q=${word}&limit=2&cursor=${first.body.next_cursor}`);
      const slugs = [...first.body.items, ...second.body.items].map(({ slug }: { slug: string }) => slug);
      expect(slugs).to.deep.equal([`${word}-a`, `${word}-b`, `${word}-c`]);
      expect(second.body.next_cursor).to.equal(null);
      expect(first.statements).to.equal(second.statements).and.equal(3);
    });

    it("shows one with its state, plan, domains and members", async () => {
      const tenant = await service.tenant();
      const { body } = await operator.get(at(tenant));
      expect(body).to.deep.include({
        slug: tenant.organisation.slug,
        hostname: tenant.host,
        state: "active",
        purge_at: null,
        domains: [],
        members: 1,
      });
    });
  });

  describe("POST", () => {
    it("provisions an organisation with its owner, who signs in and works", async () => {
      const slug = `made-${++counter}-${process.pid}`;
      const made = await operator.post("/instance/organisations", { slug, name: "Bureau" });
      expect(made.status, made.text).to.equal(201);
      const { id, hostname } = made.body;
      const owner = await operator.post(`/instance/organisations/${id}/users`, { email: `owner@${slug}.test`, role: "owner" });
      expect(owner.status, owner.text).to.equal(201);
      const cookie = await signIn(service.port, hostname, `owner@${slug}.test`, owner.body.password);
      expect((await service.call("GET", "/companies", { host: hostname, cookie })).status).to.equal(200);
      expect((await lines(id)).map(({ action, actor }) => [action, actor])).to.deep.equal([
        ["organisation.created", operator.email],
        ["user.created", operator.email],
      ]);
      const own = await service.sql.query(
        "select detail from access_audit where organisation_id = $1 and action = 'membership.invited'",
        [id],
      );
      expect(own.rows.map(({ detail }) => detail.by)).to.deep.equal([operator.email]);
    });

    it("refuses reserved, invalid and used slugs with a sentence", async () => {
      const { organisation } = await service.tenant();
      for (const [slug, words] of [
        ["admin", "reserved"],
        ["No", "not a slug"],
        [organisation.slug, "in use"],
      ] as const) {
        const { status, body } = await operator.post("/instance/organisations", { slug });
        expect([status, body.error.code]).to.deep.equal([422, "instance_refused"]);
        expect(body.error.details.reason).to.contain(words);
      }
    });
  });

  describe("suspend and resume", () => {
    it("refuse everyone on its host from the next request on, and bring everything back", async () => {
      const tenant = await service.tenant();
      const { owner, host } = tenant;
      const company = await tenant.company();
      expect(await reads(tenant)).to.equal(200);
      const suspended = await operator.post(at(tenant, "/suspend"), { reason: "Unpaid" });
      expect(suspended.body).to.deep.include({ state: "suspended", suspended_reason: "Unpaid", purge_at: null });
      expect(suspended.body.suspended_at).to.be.a("string");
      const refused = await owner.get("/companies");
      expect([refused.status, refused.body.error.code]).to.deep.equal([403, "org_suspended"]);
      const form = { host, headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: "username=x&password=y" };
      expect((await service.call("POST", "/auth/login", form)).status).to.equal(403);
      const resumed = await operator.post(at(tenant, "/resume"));
      expect(resumed.body).to.deep.include({ state: "active", suspended_at: null, suspended_reason: null });
      expect((await owner.get(`/companies/${company.id}`)).status).to.equal(200);
      expect((await lines(tenant.organisation.id)).map(({ action, slug, detail }) => [action, slug, detail])).to.deep.equal([
        ["organisation.suspended", tenant.organisation.slug, { reason: "Unpaid" }],
        ["organisation.resumed", tenant.organisation.slug, {}],
      ]);
    });

    it("keep their reason while a deletion comes and goes", async () => {
      const tenant = await service.tenant();
      await operator.post(at(tenant, "/suspend"), { reason: "Unpaid" });
      const deleting = await operator.post(at(tenant, "/deletion"), { reason: "Left us" });
      expect(deleting.body).to.deep.include({ state: "deleting", suspended_reason: "Unpaid", purge_reason: "Left us" });
      const kept = await operator.delete(at(tenant, "/deletion"));
      expect(kept.body).to.deep.include({ state: "suspended", suspended_reason: "Unpaid", purge_at: null, purge_reason: null });
    });

    it("run jobs again that had waited too long", async () => {
      const tenant = await service.tenant();
      await operator.post(at(tenant, "/suspend"), {});
      const { rows } = await service.sql.query(
        `insert into jobs.agenda_jobs (name, failed_at, fail_reason, fail_count, data)
         values ('proof.nobody', now(), $2, 1, jsonb_build_object('id', gen_random_uuid(), 'organisation', $1::text, 'payload', '{}'::jsonb,
           'due', now())) returning id`,
        [tenant.organisation.id, WAITED_IN_VAIN],
      );
      expect((await operator.post(at(tenant, "/resume"))).status).to.equal(200);
      const after = await service.sql.query("delete from jobs.agenda_jobs where id = $1 returning failed_at, next_run_at", [
        rows[0].id,
      ]);
      expect(after.rows[0].failed_at).to.equal(null);
      expect(after.rows[0].next_run_at).to.not.equal(null);
    });
  });

  describe("deletion and purge", () => {
    it("suspend it until its day, can be cancelled, and keep an earlier suspension", async () => {
      const tenant = await service.tenant();
      const requested = await operator.post(at(tenant, "/deletion"), { reason: "Ended" });
      expect(requested.body.state).to.equal("deleting");
      const days = (Date.parse(requested.body.purge_at) - Date.now()) / 86_400_000;
      expect(days).to.be.within(29.9, 30.1);
      expect(await reads(tenant)).to.equal(403);
      expect((await operator.post(at(tenant, "/resume"))).status).to.equal(422);
      expect((await operator.delete(at(tenant, "/deletion"))).body.state).to.equal("active");
      expect(await reads(tenant)).to.equal(200);
      await operator.post(at(tenant, "/suspend"), {});
      await operator.post(at(tenant, "/deletion"), { days: 3 });
      expect((await operator.delete(at(tenant, "/deletion"))).body.state).to.equal("suspended");
      expect(await reads(tenant)).to.equal(403);
      expect((await operator.delete(at(tenant, "/deletion"))).status).to.equal(422);
    });

    it("delete all of it, its accounts and nothing else, once its slug is named", async () => {
      const [tenant, other] = [await service.tenant(), await service.tenant()];
      await tenant.company();
      const kept = await other.company();
      // A colleague of both stays.
      const shared = await other.member("member");
      await operator.post(at(tenant, "/users"), { email: shared.email });
      expect((await operator.post(at(tenant, "/purge"), { slug: tenant.organisation.slug })).status).to.equal(422);
      await operator.post(at(tenant, "/deletion"), {});
      const wrong = await operator.post(at(tenant, "/purge"), { slug: other.organisation.slug });
      expect([wrong.status, wrong.body.error.fields]).to.deep.equal([422, { slug: "errors.validation" }]);
      const purged = await operator.post(at(tenant, "/purge"), { slug: tenant.organisation.slug });
      expect(purged.status, purged.text).to.equal(200);
      expect(purged.body.accounts).to.equal(1);
      expect(purged.body.rows).to.be.greaterThan(5);
      expect((await operator.get(at(tenant))).status).to.equal(404);
      expect((await tenant.owner.get("/companies")).status).to.equal(401);
      expect((await other.owner.get(`/companies/${kept.id}`)).status).to.equal(200);
      expect((await shared.get("/companies")).status).to.equal(200);
      const audit = await operator.get(`/instance/audit?organisation_id=${tenant.organisation.id}&limit=1`);
      expect(audit.body.items[0]).to.deep.include({
        action: "organisation.purged",
        actor: operator.email,
        organisation_slug: tenant.organisation.slug,
      });
      const older = await operator.get(
        `/instance/audit?organisation_id=${tenant.organisation.id}&cursor=${audit.body.next_cursor}`,
      );
      expect(older.body.items.map(({ action }: { action: string }) => action)).to.deep.equal([
        "organisation.deletion_requested",
        "user.created",
      ]);
    });

    it("happen by the clock once the day has come, not before", async () => {
      const [due, later] = [await service.tenant(), await service.tenant()];
      for (const tenant of [due, later]) await operator.post(at(tenant, "/deletion"), { days: 1 });
      await service.sql.query("update organisation_suspensions set purge_at = now() where organisation = $1", [
        due.organisation.id,
      ]);
      await purgeDue();
      expect((await operator.get(at(due))).status).to.equal(404);
      expect((await operator.get(at(later))).body.state).to.equal("deleting");
      const [last] = (await lines(due.organisation.id)).slice(-1);
      expect(last).to.deep.include({ action: "organisation.purged", actor: "schedule" });
    });
  });

  describe("plans, modules and mail", () => {
    it("are set as by the command line", async () => {
      const tenant = await service.tenant();
      const ends = "2031-01-31T12:00:00Z";
      const planned = await operator.put(at(tenant, "/plan"), { plan: "standard", ends_at: ends });
      expect(planned.body.plan).to.equal("standard");
      expect(Date.parse(planned.body.plan_ends_at)).to.equal(Date.parse(ends));
      const less = await operator.post(at(tenant, "/modules"), { modules: ["nonsense"], enabled: false });
      expect([less.status, less.body.error.code]).to.deep.equal([422, "instance_refused"]);
      expect((await operator.put(at(tenant, "/mail"), { instance_mail: false })).body.instance_mail).to.equal(false);
      const { body } = await operator.get("/instance/plans");
      expect(body.plans).to.deep.equal(["trial", "standard", "unlimited", "none"]);
      const off = await operator.post(at(tenant, "/modules"), { modules: ["automation"], enabled: false });
      expect(off.body.enabled_modules).to.include("companies");
      expect(off.body.enabled_modules).to.not.include("automation");
    });

    it("have a licence of the installation", async () => {
      const before = (await operator.get("/instance/licences")).body;
      const form = { modules: ["domains"], expires_at: "2031-01-31T12:00:00Z", grace_days: 5 };
      const { body } = await operator.put("/instance/licences", form);
      expect(body.find(({ module }: { module: string }) => module === "domains").grace_days).to.equal(5);
      const unknown = await operator.put("/instance/licences", { ...form, modules: ["nonsense"] });
      expect(unknown.body.error.details.reason).to.contain("nonsense");
      await service.sql.query("delete from product_licences where module = 'domains'");
      for (const { module, expires_at: at, grace_days: days } of before)
        await service.sql.query("insert into product_licences values ($1, $2, $3) on conflict do nothing", [module, at, days]);
    });
  });

  describe("users and keys of an organisation", () => {
    it("are listed, deactivated and given passwords and keys", async () => {
      const tenant = await service.tenant();
      const member = await tenant.member("member");
      const listed = await operator.get(at(tenant, "/users"));
      expect(listed.body.map(({ email }: { email: string }) => email)).to.have.members([member.email, tenant.owner.email]);
      const gone = await operator.post(at(tenant, "/users/deactivate"), { email: member.email });
      expect(gone.body.changed).to.equal(true);
      expect((await member.get("/companies")).status).to.be.oneOf([401, 403]);
      const last = await operator.post(at(tenant, "/users/deactivate"), { email: tenant.owner.email });
      expect([last.status, last.body.error.code]).to.deep.equal([422, "instance_refused"]);
      const { body } = await operator.post("/instance/users/password", { email: tenant.owner.email });
      await signIn(service.port, tenant.host, tenant.owner.email, body.password);
      const key = await operator.post(at(tenant, "/keys"), { service_account: "Sync", scopes: ["companies.company.read"] });
      expect(key.status, key.text).to.equal(201);
      const { status } = await service.call("GET", "/companies", { host: tenant.host, key: key.body.value });
      expect(status).to.equal(200);
    });
  });

  describe("jobs", () => {
    it("are listed with dead ones, run again and cancelled", async () => {
      const { rows } = await service.sql.query(
        `insert into jobs.agenda_jobs (name, failed_at, fail_reason, fail_count, data)
         values ('proof.gone', now(), 'broken', 3, '{"payload": {"text": "a secret, in words"}}') returning id`,
      );
      const [{ id }] = rows;
      const dead = await operator.get("/instance/jobs/dead?name=proof.gone");
      expect(dead.body).to.have.length(1);
      expect(dead.body[0]).to.deep.include({ id, name: "proof.gone", error: "broken", failures: 3 });
      expect(dead.text).to.not.contain("in words");
      expect((await operator.post(`/instance/jobs/${id}/retry`)).body.state).to.equal("queued");
      expect((await operator.get("/instance/jobs?name=proof.gone")).body.total).to.equal(1);
      expect((await operator.delete(`/instance/jobs/${id}`)).status).to.equal(204);
      expect((await operator.get(`/instance/jobs/${id}`)).status).to.equal(422);
    });
  });

  describe("administrators", () => {
    it("are added with what one has, changed and deactivated, never beyond", async () => {
      const boss = await administrator(service, ["administrators", "jobs"]);
      const beyond = await boss.post("/instance/administrators", { email: "b@operator.test", capabilities: ["plans"] });
      expect(beyond.status).to.equal(403);
      const email = `colleague-${process.pid}@operator.test`;
      const added = await boss.post("/instance/administrators", { email, capabilities: ["jobs"] });
      expect(added.status, added.text).to.equal(201);
      const place = `/instance/administrators/${added.body.id}`;
      expect((await boss.patch(place, { capabilities: [] })).body.capabilities).to.deep.equal([]);
      for (const [change, status] of [
        [{ capabilities: ["plans"] }, 403],
        [{ capabilities: ["jobs"], full_name: "Colleague" }, 200],
        [{ is_active: false }, 200],
      ] as const)
        expect((await boss.patch(place, change)).status, JSON.stringify(change)).to.equal(status);
      const stronger = `/instance/administrators/${operator.id}`;
      expect((await boss.post(`${stronger}/reset`)).status).to.equal(403);
      expect((await boss.patch(stronger, { is_active: false })).status).to.equal(403);
      expect((await boss.patch(stronger, { capabilities: ["administrators"] })).status).to.equal(403);
      const reset = await boss.post(`${place}/reset`);
      expect(reset.body.password).to.match(/^[0-9a-f]{24}$/);
      expect((await boss.get("/instance/administrators")).body.map((one: { email: string }) => one.email)).to.include(email);
    });
  });

  it("answers by a key as by a session", async () => {
    const { body } = await operator.post("/instance/keys", { name: "Script", capabilities: ["organisations"] });
    const script = instanceClient(service.port, { key: body.value });
    const slug = `script-${++counter}-${process.pid}`;
    const made = await script.post("/instance/organisations", { slug });
    expect(made.status, made.text).to.equal(201);
    const [line] = (await operator.get(`/instance/audit?organisation_id=${made.body.id}`)).body.items;
    expect(line).to.deep.include({ actor: operator.email, key_id: body.id });
  });
});
