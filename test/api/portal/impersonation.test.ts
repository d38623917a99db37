import { createHash } from "node:crypto";
import { expect } from "chai";
import { send } from "../../support/http.ts";
import { strike } from "../../support/jobs.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";
import { code, type Login, lookedInto, whoIs } from "./looked-into.ts";
import { browser, lookInto, makeContact, signedIn } from "./portal.ts";

describe("looking into a client's login", () => {
  let service: TestService;
  let tenant: Tenant;
  let admin: Caller;
  let companyId: string;
  let login: Login;
  const { sql, trailOf, audited, clientsMay, staff } = lookedInto((made) => {
    ({ service, tenant, admin, companyId, login } = made);
  });

  it("makes the requests of the session those of the client, within its selection, until it is stopped", async () => {
    const { own, as, answer } = await lookInto(service, tenant, admin, login);
    expect(answer.body).to.include({ cookie: "kantoor_impersonation", target_email: login.email, target_name: "Carla Klant" });
    expect(answer.body.token).to.match(/^[0-9a-f]{64}$/);
    const minutes = (Date.parse(answer.body.expires_at) - Date.now()) / 60_000;
    expect(minutes).to.be.within(29.5, 30);
    const [cookie = ""] = answer.headers["set-cookie"] ?? [];
    expect(cookie.split("; ").toSorted()).to.deep.equal(
      ["HttpOnly", "Max-Age=1800", "Path=/", "SameSite=Lax", `kantoor_impersonation=${answer.body.token}`].toSorted(),
    );
    expect(await whoIs(as)).to.equal(login.accountId);
    expect((await as.get("/companies")).body.items.map(({ name }: { name: string }) => name)).to.deep.equal(["Their own"]);
    expect((await own.get("/companies")).body.total).to.equal(2);

    const stopped = await as.post("/portal/impersonation/stop");
    expect(stopped.status).to.equal(204);
    expect(stopped.headers["set-cookie"]?.join()).to.match(/^kantoor_impersonation=;.*Max-Age=0/);
    expect(await whoIs(as), "a kept copy of the cookie").to.equal(admin.accountId);
  });

  it("stores the token as a digest only", async () => {
    const { grant } = await lookInto(service, tenant, admin, login);
    const value = grant.split("=")[1] as string;
    const { rows } = await sql("select i::text as row from impersonations i");
    expect(JSON.stringify(rows)).not.to.contain(value);
    expect(JSON.stringify(rows)).to.contain(createHash("sha256").update(value).digest("hex"));
  });

  it("lasts as long as requested, at most the installation's limit", async () => {
    const own = await signedIn(service, tenant, admin.email);
    for (const [asked, granted] of [
      [{ minutes: 1 }, 1],
      [{ minutes: 60 }, 60],
      [{ minutes: 1440 }, 60],
      [{ minutes: null }, 30],
    ] as const) {
      const { body, status } = await own.post(`${login.path}/impersonate`, asked);
      expect(status).to.equal(200);
      expect((Date.parse(body.expires_at) - Date.now()) / 60_000).to.be.within(granted - 0.2, granted);
      await own.post("/portal/impersonation/stop");
    }
    for (const minutes of [0, 1441, 1.5, "30"])
      expect((await own.post(`${login.path}/impersonate`, { minutes })).status, String(minutes)).to.equal(422);
  });

  describe("is refused", () => {
    it("without its own permission, with any others: 403", async () => {
      const manager = await staff("member", ["members.member.write", "members.member.read"]);
      const own = await signedIn(service, tenant, manager.email);
      expect((await own.post(`${login.path}/impersonate`, {})).status).to.equal(403);
    });

    it("with a key: 403", async () => {
      expect(code(await admin.post(`${login.path}/impersonate`, {}))).to.equal("403 forbidden errors.forbidden");
      expect((await send(service.port, "POST", `${login.path}/impersonate`, { host: tenant.host, body: {} })).status).to.equal(
        401,
      );
    });

    it("without a login, for a disabled one and without membership: 404", async () => {
      const own = await signedIn(service, tenant, admin.email);
      const none = await makeContact(tenant, [companyId]);
      expect((await own.post(`${none.path}/impersonate`, {})).status).to.equal(404);
      expect((await own.post(`/portal/logins/company/${companyId}/impersonate`, {})).status).to.equal(404);
      await tenant.owner.delete(login.path);
      expect((await own.post(`${login.path}/impersonate`, {})).status).to.equal(404);
      await tenant.owner.post(login.path);
      await sql("delete from memberships where account_id = $1", login.accountId);
      expect((await own.post(`${login.path}/impersonate`, {})).status).to.equal(404);
    });

    it("for a contact out of sight: 404", async () => {
      await tenant.group("Other", [(await tenant.company()).id], [admin.membershipId]);
      const own = await signedIn(service, tenant, admin.email);
      expect((await own.post(`${login.path}/impersonate`, {})).status).to.equal(404);
    });

    it("for an instance administrator: 403", async () => {
      await sql("update accounts set is_superuser = true where id = $1", login.accountId);
      const own = await signedIn(service, tenant, admin.email);
      expect(code(await own.post(`${login.path}/impersonate`, {}))).to.equal("403 forbidden errors.impersonation_escalation");
    });

    it("while the session looks into one already: 409, with and without the cookie", async () => {
      await clientsMay("portal.login.impersonate", "companies.company.read");
      const { own, as } = await lookInto(service, tenant, admin, login);
      for (const session of [own, as])
        expect(code(await session.post(`${login.path}/impersonate`, {}))).to.equal("409 conflict errors.impersonation_nested");
      await sql("update impersonations set expires_at = now() where organisation_id = $1", tenant.organisation.id);
      expect((await own.post(`${login.path}/impersonate`, {})).status, "once it has run out").to.equal(200);
    });

    it("to the second of two calls at once", async () => {
      const own = await signedIn(service, tenant, admin.email);
      const answers = await Promise.all([1, 2, 3].map(() => own.post(`${login.path}/impersonate`, {})));
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 409, 409]);
    });

    it("without a licence: 402; a running session continues and can be left", async () => {
      const { as } = await lookInto(service, tenant, admin, login);
      const own = await signedIn(service, tenant, admin.email);
      await sql("insert into product_licences (module, expires_at) values ('portal', now() - interval '1 day')");
      try {
        const denied = [
          await own.post(`${login.path}/impersonate`, {}),
          await own.post(login.path),
          await own.delete(login.path),
          await own.post(`${login.path}/resend`),
        ];
        expect(denied.map(({ status }) => status)).to.deep.equal([402, 402, 402, 402]);
        expect((await own.get(login.path)).status).to.equal(200);
        expect((await as.get("/companies")).body.total).to.equal(1);
        expect((await (await signedIn(service, tenant, login.email)).get("/companies")).body.total).to.equal(1);
        expect((await as.post("/portal/impersonation/stop")).status).to.equal(204);
        expect(await whoIs(as)).to.equal(admin.accountId);
      } finally {
        await sql("delete from product_licences where module = 'portal'");
      }
    });
  });

  describe("the grant", () => {
    it("alone is nothing: 401; with a key it is ignored", async () => {
      const { grant } = await lookInto(service, tenant, admin, login);
      const at = (call: object) => send(service.port, "GET", "/meta/me", { host: tenant.host, ...call });
      expect((await at({ cookie: grant })).status).to.equal(401);
      expect((await at({ cookie: grant.replace("impersonation", "session") })).status).to.equal(401);
      expect((await at({ cookie: grant, key: tenant.owner.key })).body.id).to.equal(tenant.owner.accountId);
      expect((await at({ key: grant.split("=")[1] })).status).to.equal(401);
    });

    it("is ignored with another session, of another person or of the same", async () => {
      const { grant } = await lookInto(service, tenant, admin, login);
      const other = await staff();
      for (const { email, accountId } of [other, admin]) {
        const { cookie } = await signedIn(service, tenant, email);
        expect(await whoIs(browser(service, tenant.host, `${cookie}; ${grant}`))).to.equal(accountId);
      }
    });

    it("garbled, of any form, is ignored", async () => {
      const { own, grant } = await lookInto(service, tenant, admin, login);
      const value = grant.split("=")[1] as string;
      for (const wrong of [
        "",
        "x",
        value.slice(1),
        `${value}0`,
        value.toUpperCase(),
        `${value.slice(0, -1)}${value.endsWith("0") ? 1 : 0}`,
        "%00",
      ])
        expect(await whoIs(browser(service, tenant.host, `${own.cookie}; kantoor_impersonation=${wrong}`)), wrong).to.equal(
          admin.accountId,
        );
    });

    it("on the host of another organisation, or a second address of this one, does nothing alone", async () => {
      const { as, own, grant } = await lookInto(service, tenant, admin, login);
      const other = await service.tenant();
      expect((await browser(service, other.host, as.cookie).get("/meta/me")).status).to.equal(401);
      await sql("insert into memberships (organisation_id, account_id) values ($1, $2)", other.organisation.id, admin.accountId);
      const { cookie } = await signedIn(service, other, admin.email);
      expect(await whoIs(browser(service, other.host, `${cookie}; ${grant}`))).to.equal(admin.accountId);
      expect(await whoIs(own)).to.equal(admin.accountId);
    });

    it("that has run out is ignored, also where it was used before", async () => {
      const { as } = await lookInto(service, tenant, admin, login);
      expect(await whoIs(as)).to.equal(login.accountId);
      await sql(
        "update impersonations set expires_at = now() - interval '1 second' where target_account_id = $1",
        login.accountId,
      );
      expect(await whoIs(as)).to.equal(admin.accountId);
      expect((await as.post("/portal/impersonation/stop")).status).to.equal(204);
      expect((await trailOf(login.id)).map(({ action }) => action)).to.deep.equal(["portal_impersonation_started"]);
    });

    it("ends with the session: by logout, which expires both cookies, and by ending it from elsewhere", async () => {
      const first = await lookInto(service, tenant, admin, login);
      const out = await first.as.post("/auth/logout");
      expect(out.headers["set-cookie"]?.map((one) => one.split(";")[0])).to.deep.equal([
        "kantoor_session=",
        "kantoor_impersonation=",
      ]);
      expect((await first.as.get("/meta/me")).status).to.equal(401);
      const second = await lookInto(service, tenant, admin, login);
      const elsewhere = await signedIn(service, tenant, admin.email);
      const sessions = (await second.own.get("/auth/sessions")).body;
      const { id } = sessions.find(({ current }: { current: boolean }) => current);
      expect((await elsewhere.delete(`/auth/sessions/${id}`)).status).to.equal(204);
      expect((await second.as.get("/meta/me")).status).to.equal(401);
      const { rows } = await sql(
        "select 1 from impersonations where organisation_id = $1 and ended_at is null",
        tenant.organisation.id,
      );
      expect(rows).to.deep.equal([]);
      expect((await trailOf(login.id)).map(({ action }) => action)).to.deep.equal(
        [1, 2].flatMap(() => ["portal_impersonation_started", "portal_impersonation_stopped"]),
      );
    });

    it("of a session that ended otherwise is ended with it", async () => {
      await lookInto(service, tenant, admin, login);
      await sql("select end_sessions($1, null)", admin.accountId);
      const { rows } = await sql(
        "select ended_at is not null as ended from impersonations where target_account_id = $1",
        login.accountId,
      );
      expect(rows).to.deep.equal([{ ended: true }]);
    });

    for (const [what, away, back] of [
      ["the login is disabled", () => tenant.owner.delete(login.path), () => tenant.owner.post(login.path)],
      [
        "the login's membership is deactivated",
        () => sql("update memberships set deactivated_at = now() where account_id = $1", login.accountId),
        () => sql("update memberships set deactivated_at = null where account_id = $1", login.accountId),
      ],
      [
        "the login's membership is revoked",
        () => sql("delete from memberships where account_id = $1", login.accountId),
        () => tenant.owner.post(login.path),
      ],
    ] as const)
      it(`ends for good when ${what}: giving it back revives nothing`, async () => {
        const { as } = await lookInto(service, tenant, admin, login);
        expect(await whoIs(as)).to.equal(login.accountId);
        await away();
        expect(await whoIs(as)).to.equal(admin.accountId);
        await back();
        expect(await whoIs(as)).to.equal(admin.accountId);
      });

    it("does not outlive the contact, nor another account on it", async () => {
      const { as } = await lookInto(service, tenant, admin, login);
      await sql("update contacts set account_id = null where id = $1", login.id);
      expect(await whoIs(as)).to.equal(admin.accountId);
    });

    it("leaves nothing once the member behind it is deactivated or gone: 403; nor does it come back", async () => {
      const { as } = await lookInto(service, tenant, admin, login);
      expect((await as.get("/companies")).status).to.equal(200);
      await sql("update memberships set deactivated_at = now() where id = $1", admin.membershipId);
      expect((await as.get("/companies")).status).to.equal(403);
      await sql("update memberships set deactivated_at = null where id = $1", admin.membershipId);
      expect(await whoIs(as)).to.equal(admin.accountId);
      await sql("delete from memberships where id = $1", admin.membershipId);
      expect((await as.get("/companies")).status).to.equal(403);
    });

    it("is removed a day after its end", async () => {
      const { as } = await lookInto(service, tenant, admin, login);
      const left = async () =>
        (await sql("select count(*)::int as n from impersonations where organisation_id = $1", tenant.organisation.id)).rows[0].n;
      await sql(
        "update impersonations set expires_at = now() - interval '23 hours' where organisation_id = $1",
        tenant.organisation.id,
      );
      await strike(service, "portal.clear");
      expect(await left()).to.equal(1);
      await sql(
        "update impersonations set expires_at = now() - interval '25 hours' where organisation_id = $1",
        tenant.organisation.id,
      );
      await strike(service, "portal.clear");
      expect([await left(), await whoIs(as)]).to.deep.equal([0, admin.accountId]);
    });

    it("continues when only the permission is withdrawn", async () => {
      const { as } = await lookInto(service, tenant, admin, login);
      await sql(
        "update roles set permissions = array_remove(permissions, 'portal.login.impersonate') where organisation_id = $1 and key = 'admin'",
        tenant.organisation.id,
      );
      expect(await whoIs(as)).to.equal(login.accountId);
    });
  });

  it("can be left by anyone without one as well: 204 without a line; anonymous 401", async () => {
    expect((await (await signedIn(service, tenant, admin.email)).post("/portal/impersonation/stop")).status).to.equal(204);
    expect((await admin.post("/portal/impersonation/stop")).status).to.equal(204);
    expect((await send(service.port, "POST", "/portal/impersonation/stop", { host: tenant.host })).status).to.equal(401);
    expect(await trailOf(login.id)).to.deep.equal([]);
    expect(await audited()).to.deep.equal([]);
  });

  it("is refused as a write from another site, like every write by cookie", async () => {
    const { as } = await lookInto(service, tenant, admin, login);
    const headers = { Origin: "http://evil.test" };
    expect((await as.post("/portal/impersonation/stop", undefined, { headers })).status).to.equal(403);
    expect(await whoIs(as)).to.equal(login.accountId);
  });
});
