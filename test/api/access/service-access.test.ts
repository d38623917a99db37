import { expect } from "chai";
import { send } from "../../support/http.ts";
import { type Caller, sharedService, startService, type Tenant, type TestService } from "../../support/service.ts";
import { cookieIn, inSession } from "../../support/sign-in.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

const PATH = "/settings/service-access";
const EMPTY = { active: false, claimed: false, created_at: null, expires_at: null, created_by_email: null, pin_hours: 24 };

describe("service access", () => {
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;

  before(async () => {
    service = await startService({ SERVICE_POSTURE: "hosted" });
  });
  after(() => service.stop());
  beforeEach(async () => {
    tenant = await service.tenant();
    ({ owner } = tenant);
  });

  const issue = async (): Promise<string> => (await owner.post(PATH)).body.pin;
  const claim = (pin: string, host = tenant.host) =>
    cli(environmentOf(service.database), ["--json", "service-access", "claim", "--host", host, "--pin", pin]);
  const open = (link: string, host = tenant.host) => send(service.port, "GET", `/${new URL(link).pathname}`, { host });
  /** An operator in the organisation, by a new PIN. */
  const operator = async () => {
    const answer = await open((await claim(await issue())).json.link);
    const cookie = cookieIn(answer);
    const call =
      (method: string) =>
      (path: string, body?: unknown, headers: Record<string, string> = {}) =>
        send(service.port, method, path, { host: tenant.host, cookie, body, headers });
    return { cookie, get: call("GET"), post: call("POST"), patch: call("PATCH"), put: call("PUT"), delete: call("DELETE") };
  };
  const sql = async (text: string, values: unknown[] = [tenant.organisation.id]) => (await service.sql.query(text, values)).rows;
  const audited = () =>
    sql(
      `select action, actor_id, actor_email from access_audit where organisation_id = $1
         and (action like 'service_access.%' or detail ->> 'method' = 'service_access') order by created_at, id`,
    );
  const expired = (columns: string) =>
    service.sql.query(`update service_access_grants set ${columns} where organisation_id = $1`, [tenant.organisation.id]);
  const code = ({ status, body }: { status: number; body?: { error: { code: string } } }) => [status, body?.error.code];

  describe("the PIN", () => {
    it("is shown once, in groups of four, and lies hashed; there is one at a time, for a day", async () => {
      expect((await owner.get(PATH)).body).to.deep.equal(EMPTY);
      const { status, body } = await owner.post(PATH);
      expect(status).to.equal(201);
      expect(body.pin).to.match(/^\d{4}-\d{4}-\d{4}$/);
      expect(body).to.include({ active: true, claimed: false, created_by_email: owner.email, pin_hours: 24 });
      expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).to.be.within(86_399_000, 86_401_000);
      const { pin, ...shown } = body;
      expect((await owner.get(PATH)).body).to.deep.equal(shown);
      const [row] = await sql("select row_to_json(g)::text as text from service_access_grants g where organisation_id = $1");
      expect(row.text).to.contain("$argon2id$").and.not.contain(pin).and.not.contain(pin.replaceAll("-", ""));
      expect(await issue()).to.not.equal(pin);
      expect((await claim(pin)).err).to.equal("invalid_pin\n");
    });

    it("is the last one of two that are issued at once", async () => {
      const pins = (await Promise.all([owner.post(PATH), owner.post(PATH)])).map(({ body }) => body.pin);
      const live = await sql("select 1 from service_access_grants where organisation_id = $1 and revoked_at is null");
      expect(live).to.have.length(1);
      const claims = [await claim(pins[0]), await claim(pins[1])];
      expect(claims.map(({ status }) => status).sort()).to.deep.equal([0, 2]);
    });

    it("is issued once for one Idempotency-Key, and shown no second time", async () => {
      const send = () => owner.post(PATH, undefined, { headers: { "Idempotency-Key": "once" } });
      const { body } = await send();
      expect(code(await send())).to.deep.equal([409, "idempotency_conflict"]);
      expect((await claim(body.pin)).status).to.equal(0);
    });

    it("is revoked by DELETE, even if none is live, and reads and writes need the permission", async () => {
      expect((await owner.delete(PATH)).body).to.deep.equal(EMPTY);
      await issue();
      expect((await owner.delete(PATH)).body).to.include({ active: false });
      expect((await owner.delete(PATH)).status).to.equal(200);
      const actions = (await audited()).map(({ action }) => action);
      expect(actions).to.deep.equal(["service_access.issue", "service_access.revoke"]);
      const member = await tenant.member("member");
      for (const answer of [member.get(PATH), member.post(PATH), member.delete(PATH)])
        expect((await answer).status).to.equal(403);
    });

    it("is the organisation's own: another one sees and ends nothing", async () => {
      await issue();
      const other = await service.tenant();
      expect((await other.owner.delete(PATH)).body).to.deep.equal(EMPTY);
      expect((await owner.get(PATH)).body.active).to.equal(true);
    });
  });

  describe("service-access claim", () => {
    it("takes the PIN with or without dashes and spaces, and prints a link on that host that is good for an hour", async () => {
      const pin = await issue();
      for (const typed of [pin, pin.replaceAll("-", ""), pin.replaceAll("-", " "), ` ${pin} `]) {
        const { status, json } = await claim(typed);
        expect(status).to.equal(0);
        expect(json.link).to.match(new RegExp(`^https://${tenant.host}/api/v1/auth/service-access/[0-9a-f]{64}$`));
        expect(Date.parse(json.expires_at) - Date.now()).to.be.within(3_500_000, 3_600_500);
      }
      expect((await owner.get(PATH)).body).to.include({ active: true, claimed: true });
      const words = ["service-access", "claim", "--host", tenant.host, "--pin", pin];
      expect((await cli(environmentOf(service.database), words)).out).to.contain(
        `https://${tenant.host}/api/v1/auth/service-access/`,
      );
    });

    it("prints invalid_pin and no link for a wrong, revoked, expired, foreign or missing one", async () => {
      const other = await service.tenant();
      const foreign = (await other.owner.post(PATH)).body.pin;
      const refused = async (pin: string) => {
        const { status, err, json } = await claim(pin);
        expect([status, err, json]).to.deep.equal([2, "invalid_pin\n", { error: "invalid_pin" }]);
      };
      await refused("1234-5678-9012");
      const pin = await issue();
      for (const wrong of [foreign, "", "1", `${pin}0`, pin.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))])
        await refused(wrong);
      await expired("expires_at = now()");
      await refused(pin);
      const next = await issue();
      await owner.delete(PATH);
      await refused(next);
      expect((await owner.get(PATH)).body.claimed).to.equal(false);
      const { status, err } = await claim(pin, "unknown.kantoor.test");
      expect([status, err]).to.deep.equal([2, "There is no organisation at 'unknown.kantoor.test'.\n"]);
    });

    it("is not to be guessed: each try costs a slow hash, and the tenth wrong one ends the PIN", async () => {
      const pin = await issue();
      for (let time = 1; time <= 9; time++) await claim("1234-5678-9012");
      expect((await owner.get(PATH)).body.active).to.equal(true);
      await claim("1234-5678-9012");
      expect((await owner.get(PATH)).body.active).to.equal(false);
      expect((await claim(pin)).err).to.equal("invalid_pin\n");
      expect((await audited()).at(-1)).to.deep.equal({
        action: "service_access.revoke",
        actor_id: null,
        actor_email: "operator",
      });
    });
  });

  describe("the link", () => {
    const REFUSED = [302, "/login?error=service_access", undefined];
    const led = async (link: string, host?: string) => {
      const { status, headers } = await open(link, host);
      return [status, headers.location, headers["set-cookie"]];
    };

    it("signs in once, until the grant ends", async () => {
      const { link } = (await claim(await issue())).json;
      const answer = await open(link);
      expect([answer.status, answer.headers.location]).to.deep.equal([302, "/"]);
      const [set = ""] = answer.headers["set-cookie"] ?? [];
      expect(Number(/Max-Age=(\d+)/.exec(set)?.[1])).to.be.within(86_300, 86_400);
      expect(set).to.match(/HttpOnly; SameSite=Lax/);
      expect(await led(link)).to.deep.equal(REFUSED);
      const stored = JSON.stringify(
        await sql("select row_to_json(g) as g from service_access_grants g where organisation_id = $1"),
      );
      expect(stored).to.not.contain(cookieIn(answer).split("=")[1]);
    });

    it("is refused once it is used, expired, of an earlier claim, of another host, or of a PIN that was revoked", async () => {
      const other = await service.tenant();
      const pin = await issue();
      const [first, second] = [(await claim(pin)).json.link, (await claim(pin)).json.link];
      expect(await led(first)).to.deep.equal(REFUSED);
      expect(await led(second, other.host)).to.deep.equal(REFUSED);
      await expired("link_expires_at = now()");
      expect(await led(second)).to.deep.equal(REFUSED);
      const { link } = (await claim(pin)).json;
      await owner.delete(PATH);
      expect(await led(link)).to.deep.equal(REFUSED);
      expect(await led(`https://x/api/v1/auth/service-access/${"0".repeat(64)}`)).to.deep.equal(REFUSED);
      const page = await send(service.port, "GET", "//login?error=service_access&lang=en", { host: tenant.host });
      expect(page.text).to.contain("This link has expired or was used before.");
    });

    it("signs in one of two that use it at once", async () => {
      const { link } = (await claim(await issue())).json;
      const answers = await Promise.all([open(link), open(link), open(link)]);
      expect(answers.filter(({ headers }) => headers["set-cookie"])).to.have.length(1);
    });
  });

  describe("the operator", () => {
    it("is not a member and not a person, and has the administrator role's current permissions, except for what outlasts the grant", async () => {
      const as = await operator();
      const { body } = await as.get("/meta/me");
      expect(body).to.include({ id: null, email: null, full_name: "operator", is_portal: false });
      const [{ permissions }] = await sql("select permissions from roles where organisation_id = $1 and key = 'admin'");
      const withheld = [
        "settings.roles.manage",
        "settings.service_access.manage",
        "settings.auth.manage",
        "settings.email.manage",
        "settings.webhooks.manage",
        "members.member.write",
        "apikeys.personal.manage",
        "apikeys.service_account.manage",
        "portal.login.impersonate",
      ];
      expect(permissions).to.include.members(withheld);
      expect(body.permissions).to.have.members(permissions.filter((one: string) => !withheld.includes(one)));
      expect((await owner.get("/members")).text).to.not.contain("operator");
      expect((await as.get("/companies")).status).to.equal(200);
      for (const answer of [as.get(PATH), as.post(PATH), as.delete(PATH), as.get("/roles"), as.get("/settings/audit")])
        expect((await answer).status).to.equal(403);
      await service.sql.query("update roles set permissions = '{}' where organisation_id = $1 and key = 'admin'", [
        tenant.organisation.id,
      ]);
      expect((await as.get("/companies")).status, "what was taken from the administrator was taken from it").to.equal(403);
    });

    it("leaves nothing behind that outlasts the grant: no role, member, invitation, account, key, provider or mail settings", async () => {
      const as = await operator();
      const colleague = await tenant.member("member");
      const contact = (await owner.post("/contacts", { first_name: "Client", email: `client@${tenant.host}` })).body;
      const robot = (await owner.post("/service-accounts", { name: "Robot" })).body;
      const key = { name: "Key", scopes: ["companies.company.read"] };
      const member = `/members/${colleague.membershipId}`;
      const login = `/portal/logins/contact/${contact.id}`;
      const sso = { enabled: false, enforced: false, name: "SSO", default_role: "member" };
      const mail = { provider: "smtp", from_address: "a@b.test", host: "relay.example.com", port: 25, security: "none" };
      const calls: Record<string, ReturnType<typeof as.get>> = {
        "read roles": as.get("/roles"),
        "make a role": as.post("/roles", { key: "left-behind", permissions: [] }),
        invite: as.post("/members/invite", { email: "left@behind.test", role: "member", send_email: false }),
        "invite again": as.post(`${member}/resend`),
        "change a role": as.patch(member, { role: "client" }),
        "set roles": as.put(`${member}/roles`, { role_ids: [] }),
        "rename a member": as.patch(`${member}/account`, { full_name: "Mallory" }),
        revoke: as.delete(member),
        "reset a factor": as.delete(`${member}/two-factor`),
        "list service accounts": as.get("/service-accounts"),
        "make a service account": as.post("/service-accounts", { name: "Left" }),
        "make its key": as.post(`/service-accounts/${robot.id}/keys`, key),
        "delete one": as.delete(`/service-accounts/${robot.id}`),
        "make a key": as.post("/api-keys", key),
        "make a portal login": as.post(login),
        "invite it again": as.post(`${login}/resend`),
        "disable it": as.delete(login),
        "look into it": as.post(`${login}/impersonate`, {}),
        "read single sign-on": as.get("/settings/sso"),
        "set single sign-on": as.put("/settings/sso", sso),
        "read outgoing mail": as.get("/settings/email"),
        "set outgoing mail": as.put("/settings/email", mail),
        "delete its settings": as.delete("/settings/email"),
        "make a webhook": as.post("/webhooks/endpoints", { url: "https://left.example.com", events: [] }),
        "prolong its stay": as.post(PATH),
      };
      for (const [name, answer] of Object.entries(calls)) expect((await answer).status, name).to.equal(403);
      expect((await as.get("/members")).status, "who works here it may read").to.equal(200);
      const audit = await sql("select action from access_audit where organisation_id = $1 and actor_email = 'operator'");
      expect(audit.map(({ action }) => action)).to.have.members(["service_access.claim", "sign_in.success"]);
    });

    it("makes no key, keeps nothing of its own, and is 403 where a person's own account is meant", async () => {
      const as = await operator();
      const key = { name: "Key", scopes: ["companies.company.read"] };
      expect((await as.post("/api-keys", key)).status).to.equal(403);
      for (const path of ["/users/me", "/auth/2fa", "/auth/sessions"]) expect((await as.get(path)).status, path).to.equal(403);
      const writes = [
        as.patch("/users/me", { full_name: "Me" }),
        as.post("/users/me/email", { email: "a@b.test", password: "x" }),
        as.post("/auth/2fa/setup"),
        as.patch("/meta/me", { full_name: "Me" }),
        as.put("/prefs", { prefs: {} }),
        as.delete(`/auth/sessions/${tenant.organisation.id}`),
        as.get(`/users/${owner.accountId}`),
      ];
      for (const answer of writes) expect((await answer).status).to.equal(403);
    });

    it("is on the trail by name, not as a service account, and its idempotent writes are its own", async () => {
      const as = await operator();
      const send = () => as.post("/companies", { name: "By the operator" }, { "Idempotency-Key": "once" });
      const [one, two] = [await send(), await send()];
      expect(one.status).to.equal(201);
      expect(two.body.id).to.equal(one.body.id);
      const { body } = await owner.get(`/activity?entity_type=company&entity_id=${one.body.id}`);
      expect(body[0]).to.include({ action: "created", actor_name: "operator", actor_deleted: false });
    });

    it("fails nowhere for want of a person: every list and page it may read answers", async () => {
      const as = await operator();
      const { paths } = (await send(service.port, "GET", "//api/openapi.json", {})).body as {
        paths: Record<string, { get?: { parameters?: { required?: boolean; $ref?: string }[] } }>;
      };
      const simple = Object.entries(paths).flatMap(([path, { get }]) => (get && !path.includes("{") ? [path] : []));
      expect(simple.length).to.be.greaterThan(80);
      const failed: string[] = [];
      for (const path of simple) {
        if (path.includes("/stream")) continue;
        const { status } = await as.get(path);
        if (status >= 500 || status === 401) failed.push(`${path} ${status}`);
      }
      expect(failed).to.deep.equal([]);
    });

    it("is bound to one host and one session: another link ends the session before it", async () => {
      const pin = await issue();
      const cookie = cookieIn(await open((await claim(pin)).json.link));
      const other = await service.tenant();
      expect((await inSession(service.port, other.host, cookie).get("/meta/me")).status).to.equal(401);
      const session = inSession(service.port, tenant.host, cookie);
      expect((await session.get("/meta/me")).status).to.equal(200);
      const { link } = (await claim(pin)).json;
      expect((await session.get("/meta/me")).status, "while the new link waits").to.equal(200);
      const next = inSession(service.port, tenant.host, cookieIn(await open(link)));
      expect((await session.get("/meta/me")).status).to.equal(401);
      expect((await next.get("/meta/me")).status).to.equal(200);
    });

    it("is out at once when the PIN is revoked, replaced or over: 403 service_pin_required from then on", async () => {
      for (const ends of [
        () => owner.delete(PATH),
        () => issue(),
        () => expired("expires_at = now()"),
        () => expired("revoked_at = now()"),
      ]) {
        const as = await operator();
        expect((await as.get("/companies")).status).to.equal(200);
        await ends();
        expect(code(await as.get("/companies"))).to.deep.equal([403, "service_pin_required"]);
        expect(code(await as.post("/companies", { name: "Too late" }))).to.deep.equal([403, "service_pin_required"]);
      }
    });

    it("leaves by signing out, while service access continues", async () => {
      const as = await operator();
      expect((await as.post("/auth/logout")).status).to.be.oneOf([200, 204]);
      expect((await as.get("/companies")).status).to.equal(401);
      expect((await owner.get(PATH)).body).to.include({ active: true, claimed: true });
    });

    it("is refused a write from another site, as any cookie is", async () => {
      const as = await operator();
      expect((await as.post("/companies", { name: "Elsewhere" }, { Origin: "https://evil.test" })).status).to.equal(403);
    });
  });

  it("is audited step by step, in the organisation and on the operator's own trail, which outlives it", async () => {
    await operator();
    await owner.delete(PATH);
    expect(await audited()).to.deep.equal([
      { action: "service_access.issue", actor_id: owner.accountId, actor_email: owner.email },
      { action: "service_access.claim", actor_id: null, actor_email: "operator" },
      { action: "sign_in.success", actor_id: null, actor_email: "operator" },
      { action: "service_access.revoke", actor_id: owner.accountId, actor_email: owner.email },
    ]);
    const trail = await sql(
      "select action, slug, actor, detail from operator_audit where organisation = $1 order by created_at, id",
    );
    expect(trail.map(({ action, actor }) => [action, actor])).to.deep.equal([
      ["service_access.issue", owner.email],
      ["service_access.claim", "operator"],
      ["service_access.sign_in", "operator"],
      ["service_access.revoke", owner.email],
    ]);
    expect(new Set(trail.map(({ slug }) => slug))).to.deep.equal(new Set([tenant.organisation.slug]));
    const references = await sql("select 1 from pg_constraint where conrelid = 'operator_audit'::regclass and contype = 'f'", []);
    expect(references, "nothing takes it along").to.have.length(0);
  });
});

describe("service access on a self-hosted deployment", () => {
  it("is 404 for who holds the permission and 403 for others", async () => {
    const service = await sharedService();
    const { owner, member } = await service.tenant();
    const colleague = await member("member");
    for (const [caller, status] of [
      [owner, 404],
      [colleague, 403],
    ] as const)
      for (const answer of [caller.get(PATH), caller.post(PATH), caller.delete(PATH)])
        expect((await answer).status).to.equal(status);
    await service.stop();
  });
});
