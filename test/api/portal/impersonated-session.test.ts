import { expect } from "chai";
import { oneProcess } from "../../support/cluster/topology.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";
import { openStream } from "../../support/streams/stream.ts";
import { code, type Login, lookedInto, whoIs } from "./looked-into.ts";
import { lookInto, signedIn } from "./portal.ts";

describe("a client's login that is looked into", () => {
  let service: TestService;
  let tenant: Tenant;
  let admin: Caller;
  let companyId: string;
  let login: Login;
  const { sql, trailOf, audited, clientsMay, staff } = lookedInto((made) => {
    ({ service, tenant, admin, companyId, login } = made);
  });

  describe("may do", () => {
    it("what both hold, at the narrower breadth, by the roles as they are now", async () => {
      await clientsMay("companies.company.read", "time.entry.read:any", "contacts.contact.read", "activity.read");
      const person = await staff("member", [
        "portal.login.impersonate",
        "companies.company.read",
        "time.entry.read:own",
        "contacts.contact.read",
      ]);
      const { as } = await lookInto(service, tenant, person, login);
      const may = async () => (await as.get("/meta/me")).body.permissions;
      expect(await may()).to.deep.equal(["companies.company.read", "contacts.contact.read", "time.entry.read:own"]);
      expect((await as.get(`/contacts/${login.id}`)).status).to.equal(200);
      await sql(
        "update roles set permissions = array_remove(permissions, 'contacts.contact.read') where id in (select role_id from membership_roles where membership_id = $1)",
        person.membershipId,
      );
      expect(await may()).to.deep.equal(["companies.company.read", "time.entry.read:own"]);
      expect((await as.get(`/contacts/${login.id}`)).status).to.equal(403);
    });

    it("never everything: an owner caps nothing, and a login with the wildcard has every permission but not the wildcard", async () => {
      const owner = await staff("owner");
      const { as } = await lookInto(service, tenant, owner, login);
      const role = await sql(
        "select permissions from roles where organisation_id = $1 and key = 'client'",
        tenant.organisation.id,
      );
      expect((await as.get("/meta/me")).body.permissions).to.deep.equal(role.rows[0].permissions.toSorted());
      await sql(
        "insert into membership_roles select m.organisation_id, m.id, r.id from memberships m join roles r using (organisation_id) where m.account_id = $1 and r.key = 'owner'",
        login.accountId,
      );
      const { permissions } = (await as.get("/meta/me")).body;
      expect(permissions).to.include("settings.roles.manage");
      expect(permissions).not.to.include("*");
    });

    it("see what both see, as it is now; nothing if they have nothing in common", async () => {
      const second = (await tenant.company({ name: "Of both" })).id;
      await tenant.owner.post(`/contacts/${login.id}/links`, { company_id: second });
      const third = (await tenant.company({ name: "Of the member alone" })).id;
      const group = await tenant.group("Mine", [second, third], [admin.membershipId]);
      const { own, as } = await lookInto(service, tenant, admin, login);
      const seen = async (who = as) => {
        const { items, total } = (await who.get("/companies?sort=name")).body;
        expect(items).to.have.length(total);
        return items.map(({ name }: { name: string }) => name).join(" and ");
      };
      expect([await seen(own), await seen()]).to.deep.equal(["Of both and Of the member alone", "Of both"]);
      for (const [id, status] of [
        [second, 200],
        [third, 404],
        [companyId, 404],
      ])
        expect((await as.get(`/companies/${id}`)).status).to.equal(status);
      // Companies of a group are not part of the revision: every request reads them.
      await sql("insert into company_group_companies values ($1, $2, $3)", tenant.organisation.id, group, companyId);
      expect(await seen()).to.equal("Of both and Their own");
      await sql("delete from company_group_companies where group_id = $1", group);
      expect(await seen()).to.equal("");
      await tenant.owner.delete(`/companies/groups/${group}`);
      expect(await seen()).to.equal("Of both and Their own");
    });

    it("not widen the selection of either side", async () => {
      await clientsMay("companies.group.manage", "companies.company.read");
      const group = await tenant.group("Mine", [companyId], [admin.membershipId]);
      const { as } = await lookInto(service, tenant, admin, login);
      expect((await as.delete(`/companies/groups/${group}`)).status, "the member would see everything").to.equal(403);
      // The client sees more than the member: a change that grants nothing to either does not widen.
      await tenant.owner.post(`/contacts/${login.id}/links`, { company_id: (await tenant.company()).id });
      const harmless = (await as.post("/companies/groups", { name: "Harmless" })).body.id;
      expect((await as.put(`/companies/groups/${harmless}/companies`, { company_ids: [companyId] })).status).to.equal(204);
    });

    it("create no key, of either kind, and nothing else that outlives it: 403", async () => {
      await clientsMay(
        "apikeys.personal.manage",
        "apikeys.service_account.manage",
        "companies.company.read",
        "leave.request.read:own",
        "tasks.schedule.read:own",
        "notifications.notification.write",
      );
      const service_account = (await tenant.owner.post("/service-accounts", { name: "Machine" })).body.id;
      const { as } = await lookInto(service, tenant, admin, login);
      const body = { name: "Kept", scopes: ["companies.company.read"] };
      for (const [path, sent] of [
        ["/api-keys", body],
        [`/service-accounts/${service_account}/keys`, body],
        ["/leave/calendar-token"],
        ["/tasks/calendar-token"],
        [
          "/notifications/push/subscriptions",
          { endpoint: "https://push.example.com/x", p256dh: "x".repeat(87), auth: "x".repeat(22) },
        ],
      ] as const)
        expect(code(await as.post(path, sent)), path).to.equal("403 forbidden errors.forbidden");
      expect((await as.patch("/meta/me", { full_name: "Renamed" })).status).to.equal(403);
      const { rows } = await sql(
        "select 1 from api_keys where account_id = $1 or service_account_id = $2",
        login.accountId,
        service_account,
      );
      expect(rows).to.deep.equal([]);
    });
  });

  it("leaves the member's own account alone the subject: profile, password, sessions, second factor, e-mail", async () => {
    const { as } = await lookInto(service, tenant, admin, login);
    expect((await as.get("/users/me")).body).to.include({ id: admin.accountId, email: admin.email });
    expect((await as.get("/auth/sessions")).body.filter(({ current }: { current: boolean }) => current)).to.have.length(1);
    expect((await as.get("/auth/2fa")).body.enabled).to.equal(false);
    expect((await as.patch("/users/me", { full_name: "Petra Anders", password: "another horse battery" })).status).to.equal(200);
    expect((await as.post("/auth/2fa/setup")).status).to.equal(200);
    expect(
      (await as.post("/users/me/email", { email: `new.${admin.email}`, password: "another horse battery" })).body.id,
    ).to.equal(admin.accountId);
    const { rows } = await sql("select account_id from two_factors where account_id = any($1)", [
      admin.accountId,
      login.accountId,
    ]);
    expect(rows).to.deep.equal([{ account_id: admin.accountId }]);
    await signedIn(service, tenant, login.email);
    expect(await whoIs(as), "the session went on").to.equal(login.accountId);
  });

  it("keeps the pages of an instance administrator shut", async () => {
    await sql("update accounts set is_superuser = true where id = $1", admin.accountId);
    const { own, as } = await lookInto(service, tenant, admin, login);
    expect((await own.get("//ops/jobs/")).status).to.equal(200);
    expect((await as.get("//ops/jobs/")).status).to.equal(403);
    expect((await as.get(`/users/${login.accountId}`)).status, "about accounts the member is who signed in").to.equal(200);
  });

  describe("GET /meta/me", () => {
    it("shows who is behind it, until when, and whether the view is narrowed", async () => {
      const { own, as, answer } = await lookInto(service, tenant, admin, login);
      expect((await as.get("/meta/me")).body).to.deep.include({
        id: login.accountId,
        email: login.email,
        is_portal: true,
        impersonated_by: "Petra Personeel",
        impersonation_expires_at: answer.body.expires_at,
        impersonation_kind: "portal",
        impersonation_narrowed: false,
      });
      expect((await own.get("/meta/me")).body).to.include({
        is_portal: false,
        impersonated_by: null,
        impersonation_expires_at: null,
        impersonation_kind: null,
        impersonation_narrowed: false,
      });
      await tenant.group("Mine", [companyId], [admin.membershipId]);
      expect((await as.get("/meta/me")).body.impersonation_narrowed).to.equal(true);
    });
  });

  describe("the trail", () => {
    it("of the contact says who began and ended it, and the audit too", async () => {
      const { as, answer } = await lookInto(service, tenant, admin, login);
      await as.post("/portal/impersonation/stop");
      await as.post("/portal/impersonation/stop");
      const { email } = login;
      const line = { actor_name: "Petra Personeel", impersonator_name: null };
      expect(await trailOf(login.id)).to.deep.equal([
        { ...line, action: "portal_impersonation_started", payload: { email, expires_at: answer.body.expires_at } },
        { ...line, action: "portal_impersonation_stopped", payload: { email } },
      ]);
      const about = { actor_id: admin.accountId, target_account_id: login.accountId };
      expect(await audited()).to.deep.equal([
        { action: "impersonation.start", ...about },
        { action: "impersonation.stop", ...about },
      ]);
    });

    it("of every write in between names the member behind the client; of every other none", async () => {
      await clientsMay(
        "companies.company.read",
        "companies.company.write",
        "tasks.task.read",
        "tasks.comment.write:own",
        "members.member.write",
      );
      const task = (await tenant.owner.post("/tasks", { title: "Shown", company_id: companyId, visible_to_client: true })).body;
      const { own, as } = await lookInto(service, tenant, admin, login);
      expect((await as.patch(`/companies/${companyId}`, { phone: "+31201234567" })).status).to.equal(200);
      const comment = await as.post(`/tasks/${task.id}/comments`, { body: "Seen" });
      expect(comment.body).to.include({ author_name: "Carla Klant", impersonator_name: "Petra Personeel" });
      expect((await as.post("/bulk/company/update", { ids: [companyId], values: { city: "Zwolle" } })).status).to.be.oneOf([
        200, 403, 422,
      ]);
      await own.patch(`/companies/${companyId}`, { phone: "+31201234568" });
      const { rows } = await sql(
        "select actor_name, impersonator_name from activity where entity_id = $1 and action = 'updated' order by created_at, id",
        companyId,
      );
      expect(rows[0]).to.deep.equal({ actor_name: "Carla Klant", impersonator_name: "Petra Personeel" });
      expect(rows.at(-1)).to.deep.equal({ actor_name: "Petra Personeel", impersonator_name: null });
      const invited = await as.post("/members/invite", { email: `x.${login.email}`, role: "client", send_email: false });
      expect(invited.status).to.equal(201);
      const audit = await sql("select actor_id, detail from access_audit where target_account_id = $1", invited.body.user_id);
      expect(audit.rows).to.deep.equal([{ actor_id: login.accountId, detail: { impersonator_name: "Petra Personeel" } }]);
    });
  });

  it("does not get the client's answer for the same Idempotency-Key", async () => {
    await clientsMay("tasks.task.read", "tasks.comment.write:own");
    const task = (await tenant.owner.post("/tasks", { title: "Shown", company_id: companyId, visible_to_client: true })).body;
    const { as } = await lookInto(service, tenant, admin, login);
    const client = await signedIn(service, tenant, login.email);
    const ids = [];
    for (const { cookie } of [client, as, as]) {
      const call = { host: tenant.host, cookie, headers: { "Idempotency-Key": "the same" }, body: { body: "Seen" } };
      ids.push((await service.call("POST", `/tasks/${task.id}/comments`, call)).body.id);
    }
    const [clients, members, again] = ids;
    expect(members).to.be.a("string").and.not.to.equal(clients);
    expect(again).to.equal(members);
  });

  it(
    "costs a request no statement more",
    oneProcess("counts the process's statements", async () => {
      const { own, as } = await lookInto(service, tenant, admin, login);
      const cost = async (who: typeof own) => {
        await who.get("/companies");
        return (await who.get("/companies")).statements;
      };
      expect([await cost(own), await cost(as)]).to.deep.equal([1, 1]);
      await tenant.group("Mine", [companyId], [admin.membershipId]);
      expect([await cost(own), await cost(as)]).to.deep.equal([1, 1]);
    }),
  );

  it("governs a stream, which ends with the grant and does not continue as the member's", async () => {
    const { as, own } = await lookInto(service, tenant, admin, login);
    const stream = await openStream(service.port, "GET", "/notifications/stream", { host: tenant.host, cookie: as.cookie });
    try {
      expect(stream.status).to.equal(200);
      await stream.upTo(1);
      await own.post("/portal/impersonation/stop");
      expect((await stream.whole).map(({ event }) => event)).to.deep.equal(["unread"]);
    } finally {
      stream.close();
    }
  });

  it("has no part in the pages, which are about the person who signed in", async () => {
    const { as } = await lookInto(service, tenant, admin, login);
    const page = await as.get("//account");
    expect(page.status).to.equal(200);
    expect(page.text).to.contain(admin.email);
    expect(page.text, "the member's keys").to.contain("/account/keys/create");
    expect(page.text).not.to.contain(login.email);
  });
});
