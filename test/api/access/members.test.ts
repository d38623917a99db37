import { expect } from "chai";
import { permissions, systemRoles } from "../../../core/declare/permissions.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("people of an organisation", () => {
  let service: TestService;
  let tenant: Tenant;
  let admin: Caller;
  let member: Caller;
  let client: Caller;
  const roleId = async (key: string) =>
    (await service.sql.query("select id from roles where organisation_id = $1 and key = $2", [tenant.organisation.id, key]))
      .rows[0].id;
  const assign = async (person: Caller, key: string) =>
    service.sql.query("insert into membership_roles values ($1, $2, $3)", [
      tenant.organisation.id,
      person.membershipId,
      await roleId(key),
    ]);
  const deactivate = ({ membershipId }: Caller) =>
    service.sql.query("update memberships set deactivated_at = '2024-01-02T03:04:05Z' where id = $1", [membershipId]);

  beforeEach(async () => {
    tenant = await service.tenant();
    admin = await tenant.member("admin", { name: "Zoë Admin" });
    member = await tenant.member("member", { name: "bert member" });
    client = await tenant.member("client", { name: "Client Login" });
  });
  before(async () => {
    service = await sharedService();
  });
  after(() => service.stop());

  describe("GET /members", () => {
    const list = async (who = tenant.owner, query = "") => (await who.get(`/members${query}`)).body;

    it("gives a plain array by e-mail, with every field", async () => {
      const { status, body } = await admin.get("/members");
      expect(status).to.equal(200);
      expect(body.map(({ email }: { email: string }) => email)).to.deep.equal(
        [admin.email, client.email, member.email, tenant.owner.email].sort(),
      );
      expect(body.find(({ email }: { email: string }) => email === admin.email)).to.deep.equal({
        avatar_url: null,
        company_scope_empty: false,
        deactivated_at: null,
        email: admin.email,
        full_name: "Zoë Admin",
        invite_email_error: null,
        invite_email_sent: null,
        invite_email_status: null,
        is_active: true,
        is_self: true,
        membership_id: admin.membershipId,
        role_ids: [await roleId("admin")],
        two_factor_enabled: false,
        user_id: admin.accountId,
      });
    });

    it("keeps deactivated members; active means enabled and not deactivated here", async () => {
      await deactivate(member);
      await service.sql.query("update accounts set is_active = false where id = $1", [client.accountId]);
      const rows: { email: string; is_active: boolean; deactivated_at: string | null }[] = await list();
      const of = (person: Caller) => rows.find(({ email }) => email === person.email);
      expect(of(member)).to.deep.include({ is_active: false, deactivated_at: "2024-01-02T03:04:05+00:00" });
      expect(of(client)).to.deep.include({ is_active: false, deactivated_at: null });
    });

    it("names every role of a membership once", async () => {
      const custom = await service.sql.query(
        "insert into roles (organisation_id, key, position) values ($1, 'extra', 90) returning id",
        [tenant.organisation.id],
      );
      await service.sql.query("insert into membership_roles values ($1, $2, $3)", [
        tenant.organisation.id,
        member.membershipId,
        custom.rows[0].id,
      ]);
      const rows = await list();
      const { role_ids } = rows.find(({ email }: { email: string }) => email === member.email);
      expect(role_ids).to.deep.equal([await roleId("member"), custom.rows[0].id]);
    });

    it("flags a client login whose selection is empty, never staff", async () => {
      const empty = async () =>
        (await list()).flatMap((row: { email: string; company_scope_empty: boolean }) =>
          row.company_scope_empty ? row.email : [],
        );
      expect(await empty()).to.deep.equal([client.email]);
      const { id } = await tenant.company();
      await tenant.group("Nothing in it", [], [client.membershipId, member.membershipId]);
      expect(await empty()).to.deep.equal([client.email]);
      await tenant.group("Something in it", [id], [client.membershipId]);
      expect(await empty()).to.deep.equal([]);
      const owner = await tenant.member("client");
      await assign(owner, "owner");
      expect(await empty()).to.deep.equal([]);
    });

    it("shows the people of this organisation only", async () => {
      const other = await service.tenant();
      const emails = (await list(other.owner)).map(({ email }: { email: string }) => email);
      expect(emails).to.deep.equal([other.owner.email]);
    });

    it("takes updated_since, inclusive", async () => {
      await service.sql.query("update memberships set updated_at = '2024-05-01T12:00:00Z' where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      await service.sql.query(
        "update accounts set updated_at = '2024-05-01T12:00:00Z' where id in (select account_id from memberships where organisation_id = $1)",
        [tenant.organisation.id],
      );
      await service.sql.query("update accounts set updated_at = '2024-06-01T12:00:00Z' where id = $1", [member.accountId]);
      const emails = async (instant: string) =>
        (await list(tenant.owner, `?updated_since=${instant}`)).map(({ email }: { email: string }) => email);
      expect(await emails("2024-05-01T12:00:00Z")).to.have.length(4);
      expect(await emails("2024-05-01T12:00:00.001Z")).to.deep.equal([member.email]);
      expect(await emails("2024-06-01T12:00:00Z")).to.deep.equal([member.email]);
      expect(await emails("2024-06-01T12:00:01Z")).to.deep.equal([]);
    });

    it("needs members.member.read, which an administrator holds and a client does not", async () => {
      expect((await admin.get("/members")).status).to.equal(200);
      expect((await client.get("/members")).status).to.equal(403);
    });

    it("is empty for a service account", async () => {
      const machine = await tenant.serviceAccount(["members.member.read"]);
      expect((await list(machine)).every(({ is_self }: { is_self: boolean }) => !is_self)).to.equal(true);
    });
  });

  describe("GET /members/lookup", () => {
    const names = async (query = "", who = member) =>
      (await who.get(`/members/lookup${query}`)).body.map(
        ({ full_name, email }: { full_name: string; email: string }) => full_name ?? email,
      );
    const ownerName = async () =>
      (await service.sql.query("select full_name from accounts where id = $1", [tenant.owner.accountId])).rows[0].full_name;

    it("gives any member the names of colleagues, by name ignoring case, without client logins", async () => {
      expect(await names()).to.deep.equal(["bert member", await ownerName(), "Zoë Admin"]);
      const [first] = (await member.get("/members/lookup")).body;
      expect(first).to.deep.equal({
        avatar_url: null,
        email: member.email,
        full_name: "bert member",
        is_active: true,
        user_id: member.accountId,
      });
    });

    it("includes client logins when asked", async () => {
      expect(await names("?include_clients=true")).to.include("Client Login");
    });

    it("puts people without a name last, by e-mail", async () => {
      await service.sql.query("update accounts set full_name = null where id = $1", [admin.accountId]);
      await service.sql.query("update accounts set full_name = '' where id = $1", [tenant.owner.accountId]);
      const rows = (await member.get("/members/lookup")).body as { user_id: string }[];
      expect(rows.map(({ user_id }) => user_id)).to.deep.equal([member.accountId, admin.accountId, tenant.owner.accountId]);
    });

    it("keeps deactivated colleagues, marked", async () => {
      await deactivate(admin);
      const rows = (await member.get("/members/lookup")).body as { user_id: string; is_active: boolean }[];
      expect(rows.find(({ user_id }) => user_id === admin.accountId)?.is_active).to.equal(false);
    });

    it("counts a holder of a staff role as staff, even with the client role", async () => {
      await assign(client, "member");
      expect(await names()).to.include("Client Login");
    });

    it("narrows to the holders of a permission at some scope, the wildcard included, each once", async () => {
      await assign(admin, "member");
      expect(await names("?permission=settings.roles.manage")).to.deep.equal([await ownerName(), "Zoë Admin"]);
      expect(await names("?permission=time.entry.read")).to.deep.equal(["bert member", await ownerName(), "Zoë Admin"]);
      expect(await names("?permission=companies.company.read&include_clients=true")).to.include("Client Login");
    });

    it("refuses a permission that is not in the catalogue: 422", async () => {
      for (const permission of ["nonsense", "*", "", "companies.company"]) {
        const { status, body } = await member.get(`/members/lookup?permission=${permission}`);
        expect(status, permission).to.equal(422);
        expect(body.error.fields).to.deep.equal({ permission: "errors.validation" });
      }
    });

    it("gives client logins names but no addresses, over a key as well", async () => {
      const rows = (await client.get("/members/lookup?include_clients=true")).body as {
        email: string | null;
        full_name: string;
      }[];
      expect(rows).to.have.length(4);
      expect(rows.every(({ email }) => email === null)).to.equal(true);
      expect(rows.every(({ full_name }) => full_name !== null)).to.equal(true);
      await assign(client, "member");
      expect((await client.get("/members/lookup")).body[0].email).to.equal(null);
    });
  });

  describe("GET /roles", () => {
    it("gives roles by position, then key, with stored permissions and the number of members", async () => {
      await service.sql.query(
        `insert into roles (organisation_id, key, position, permissions, name_i18n) values
           ($1, 'beta', 25, '{companies.company.read}', '{"nl": "Bèta"}'), ($1, 'alpha', 25, '{}', '{}')`,
        [tenant.organisation.id],
      );
      await assign(member, "beta");
      const { status, body } = await admin.get("/roles");
      expect(status).to.equal(200);
      expect(body.map(({ key }: { key: string }) => key)).to.deep.equal(["owner", "admin", "alpha", "beta", "member", "client"]);
      const { id, ...beta } = body[3];
      expect(id).to.match(/^[0-9a-f-]{36}$/);
      expect(beta).to.deep.equal({
        description_i18n: {},
        is_system: false,
        key: "beta",
        member_count: 1,
        name_i18n: { nl: "Bèta" },
        permissions: ["companies.company.read"],
        position: 25,
      });
    });

    it("shows the four system roles with their default grants: only the owner's is the wildcard", async () => {
      const { body } = await admin.get("/roles");
      for (const { key, grants, name } of systemRoles()) {
        const role = body.find((found: { key: string }) => found.key === key);
        expect(role).to.deep.include({ is_system: true, name_i18n: name });
        expect(role.permissions.toSorted()).to.deep.equal(grants.toSorted());
        expect(role.permissions.includes("*"), key).to.equal(key === "owner");
      }
    });

    it("needs settings.roles.manage and shows this organisation's roles only", async () => {
      expect((await member.get("/roles")).status).to.equal(403);
      const other = await service.tenant();
      await service.sql.query("insert into roles (organisation_id, key) values ($1, 'theirs')", [other.organisation.id]);
      expect((await admin.get("/roles")).text).not.to.contain("theirs");
    });

    it("takes updated_since", async () => {
      await service.sql.query(
        "update roles set updated_at = '2024-05-01T12:00:00Z' where organisation_id = $1 and key <> 'admin'",
        [tenant.organisation.id],
      );
      const { body } = await admin.get("/roles?updated_since=2024-05-01T12:00:01Z");
      expect(body.map(({ key }: { key: string }) => key)).to.deep.equal(["admin"]);
    });
  });

  describe("GET /permissions/catalog", () => {
    it("gives every permission with scopes, label, group and position, and the groups in display order", async () => {
      const { status, body } = await client.get("/permissions/catalog");
      expect(status).to.equal(200);
      expect(body.permissions).to.have.length(permissions().length);
      expect(body.permissions.find(({ key }: { key: string }) => key === "time.entry.read")).to.deep.include({
        scopes: ["own", "any"],
        label_key: "permissions.time.entry.read",
      });
      expect(body.permissions.find(({ key }: { key: string }) => key === "companies.company.read").scopes).to.deep.equal([]);
      expect(new Set(body.permissions.map(({ group }: { group: string }) => group))).to.deep.equal(new Set(body.groups));
      expect(new Set(body.groups).size).to.equal(body.groups.length);
      expect(Object.keys(body.permissions[0]).sort()).to.deep.equal(["group", "key", "label_key", "position", "scopes"]);
    });

    it("is the same for every caller and organisation", async () => {
      const other = await service.tenant();
      expect((await other.owner.get("/permissions/catalog")).text).to.equal((await client.get("/permissions/catalog")).text);
    });

    it("is 401 without credential", async () => {
      expect((await service.call("GET", "/permissions/catalog", { host: tenant.host })).status).to.equal(401);
    });
  });

  describe("GET /system/info", () => {
    it("gives the state of the installation to who may read it", async () => {
      const asked = Date.now();
      const { status, body } = await admin.get("/system/info");
      expect(status).to.equal(200);
      expect(body.build).to.include.all.keys("version", "git_sha", "built_at", "environment", "runtime_version");
      expect(body.database).to.deep.include({ status: "ok" });
      expect(body.migrations.up_to_date).to.equal(true);
      expect(body.enabled_modules).to.include("websites");
      expect(Date.parse(body.server_time)).to.be.within(asked - 1000, Date.now() + 1000);
      expect((await member.get("/system/info")).status).to.equal(403);
    });
  });

  describe("GET /health/ready and /health/live", () => {
    it("need neither credential nor a known host, the first at both addresses", async () => {
      for (const path of ["/health/ready", "//health/ready", "//health/live"]) {
        const { status, body } = await service.call("GET", path, { host: "nobody.test", key: "nonsense" });
        expect([status, body]).to.deep.equal([200, { status: "ok" }]);
      }
    });
  });
});
