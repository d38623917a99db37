import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect } from "chai";
import { allCommands } from "../../../cli/table.ts";
import { licensable } from "../../../core/declare/permissions.ts";
import { cloneDatabase } from "../../support/database.ts";
import { startService, type TestService } from "../../support/service.ts";
import { cli, environmentOf, type Ran } from "./cli-support.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe("command line", () => {
  let service: TestService;
  let env: Record<string, string>;
  let counter = 0;

  before(async () => {
    service = await startService();
    env = environmentOf(service.database);
  });
  after(() => service.stop());

  const run = (...argv: string[]) => cli(env, argv);
  const json = async (...argv: string[]) => {
    const ran = await run(...argv, "--json");
    expect(ran.err).to.equal("");
    expect(ran.status).to.equal(0);
    return ran.json;
  };
  const refused = async (...argv: string[]): Promise<string> => {
    const { status, out, err } = await run(...argv);
    expect(status, err).to.equal(2);
    expect(out).to.equal("");
    expect(err).to.match(/^[^\n]+\n$/);
    return err;
  };
  const audited = async (organisationId: string) =>
    (await service.sql.query("select * from access_audit where organisation_id = $1 order by created_at, id", [organisationId]))
      .rows;
  const organisation = async () => {
    const slug = `cli${++counter}`;
    return (await json("org", "create", slug, "--name", `Bureau ${counter}`)) as { id: string; slug: string; hostname: string };
  };
  const signIn = (hostname: string, username: string, password: string) =>
    service.call("POST", "/auth/login", {
      host: hostname,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ username, password }).toString(),
    });
  const cookieOf = (answer: Awaited<ReturnType<typeof signIn>>) => String(answer.headers["set-cookie"]).split(";")[0] as string;

  describe("everywhere", () => {
    it("explains every command and every group with --help, without a database", async () => {
      const nowhere = { SERVICE_DATABASE_URL: "nonsense" };
      const all = await cli(nowhere, ["--help"]);
      expect(all.status).to.equal(0);
      for (const { name, about } of await allCommands()) {
        expect(all.out).to.contain(name).and.to.contain(about);
        const own = await cli(nowhere, [...name.split(" "), "--help"]);
        expect(own.status).to.equal(0);
        expect(own.out).to.contain(`npm run cli -- ${name}`).and.to.contain("--json");
        const group = await cli(nowhere, [name.split(" ")[0] as string, "--help"]);
        expect(group.out, name).to.contain(name);
      }
    });

    it("exits 2 with one sentence on wrong usage", async () => {
      expect(await refused("nonsense")).to.contain("no command 'nonsense'");
      expect(await refused("org")).to.contain("`org create`");
      expect(await refused("org", "destroy")).to.contain("org destroy");
      expect(await refused("org", "create")).to.contain("<slug>");
      expect(await refused("org", "create", "a", "b")).to.contain("'b'");
      expect(await refused("org", "create", "a", "--colour", "red")).to.contain("--colour");
      expect(await refused("key", "create", "--user", "a@b.nl")).to.contain("--scopes");
      expect(await refused("org", "create", "a", "--name", "x", "--name", "y")).to.contain("more than once");
    });

    it("exits 2 when the configuration does not reach the owner's side of the database", async () => {
      const { SERVICE_DATABASE_MIGRATION_URL: migration, SERVICE_DATABASE_URL: database, ...rest } = env;
      const half = await cli({ ...rest, SERVICE_DATABASE_URL: database as string }, ["org", "list"]);
      expect(half).to.include({ status: 2, out: "" });
      expect(half.err).to.contain("SERVICE_DATABASE_MIGRATION_URL");
      const other = await cli({ ...rest, SERVICE_DATABASE_MIGRATION_URL: migration as string }, ["org", "list"]);
      expect(other).to.include({ status: 2, out: "" });
      expect(other.err).to.contain("SERVICE_DATABASE_URL");
    });

    it("exits 1 when the database cannot be reached", async () => {
      const away = { ...env, SERVICE_DATABASE_MIGRATION_URL: "postgres://nobody:x@127.0.0.1:1/none" };
      expect(await cli(away, ["org", "list"])).to.include({ status: 1, out: "" });
    });

    it("runs as a program of its own with nothing but one JSON document on stdout", async () => {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        ["--disable-warning=ExperimentalWarning", path.join(ROOT, "cli/main.ts"), "org", "list", "--json"],
        { env: { ...process.env, ...env }, encoding: "utf8" },
      );
      expect(stderr).to.equal("");
      expect(status).to.equal(0);
      expect(JSON.parse(stdout)).to.be.an("array");
    });

    it("asks for --org as soon as there are several organisations", async () => {
      const { slug } = await organisation();
      await organisation();
      expect(await refused("user", "list"))
        .to.contain("--org")
        .and.to.contain(slug);
      expect(await refused("user", "list", "--org", "absent")).to.contain("'absent'");
    });
  });

  it("accepts names of one line, as the API does", async () => {
    const { slug } = await organisation();
    await json("user", "create", `line@${slug}.test`, "--org", slug, "--role", "admin");
    const scopes = ["--scopes", "companies.company.read"];
    const commands = [
      ["org", "create", "lines", "--name", "two\nlines"],
      ["user", "create", "lines@example.com", "--org", slug, "--name", "two\nlines"],
      ["key", "create", "--org", slug, "--user", `line@${slug}.test`, "--name", "two\r\nlines", ...scopes],
      ["key", "create", "--org", slug, "--service-account", "two\u001blines", ...scopes],
    ];
    for (const command of commands)
      expect(await refused(...command)).to.equal("A name must be one line, without control characters.\n");
  });

  describe("org and domain", () => {
    it("makes an organisation that answers at once, and lists it", async () => {
      const made = await organisation();
      expect(made.id).to.match(UUID);
      expect(made.hostname).to.equal(`${made.slug}.kantoor.test`);
      expect((await service.call("GET", "/companies", { host: made.hostname })).status).to.equal(401);
      const listed = await json("org", "list");
      expect(listed.find(({ id }: { id: string }) => id === made.id)).to.include({ slug: made.slug, status: "active" });
      expect((await run("org", "list")).out).to.contain(made.id);
    });

    it("refuses a used, reserved or invalid slug", async () => {
      const { slug } = await organisation();
      expect(await refused("org", "create", slug)).to.contain("already in use");
      expect(await refused("org", "create", "www")).to.contain("reserved");
      expect(await refused("org", "create", "a-")).to.contain("not a slug");
    });

    it("links a domain that resolves at once; twice is once", async () => {
      const made = await organisation();
      const hostname = `back.${made.slug}.example`;
      expect((await service.call("GET", "/companies", { host: hostname })).status).to.equal(404);
      const linked = await json("domain", "link", hostname.toUpperCase(), "--org", made.slug);
      expect(linked).to.deep.equal({ id: linked.id, hostname, organisation: made.slug });
      expect((await service.call("GET", "/companies", { host: hostname })).status).to.equal(401);
      expect(await json("domain", "link", hostname, "--org", made.slug)).to.deep.equal(linked);
    });

    it("refuses a domain of another organisation, under the base domain, or an invalid one", async () => {
      const [one, other] = [await organisation(), await organisation()];
      await json("domain", "link", `x.${one.slug}.example`, "--org", one.slug);
      expect(await refused("domain", "link", `x.${one.slug}.example`, "--org", other.slug)).to.contain("another organisation");
      expect(await refused("domain", "link", "a.kantoor.test", "--org", one.slug)).to.contain("base domain");
      expect(await refused("domain", "link", "https://a.example", "--org", one.slug)).to.contain("not a host name");
    });
  });

  describe("user", () => {
    it("makes a member who can sign in with the password that is shown once", async () => {
      const { id, slug, hostname } = await organisation();
      const made = await json(
        "user",
        "create",
        "Owner@Cli.Test",
        "--org",
        slug,
        "--role",
        "owner",
        "--name",
        "Ada",
        "--superuser",
      );
      expect(made).to.include({ email: "owner@cli.test", role: "owner", is_superuser: true, existing_account: false });
      expect(made.account_id).to.match(UUID);
      expect((await signIn(hostname, "owner@cli.test", made.password)).status).to.equal(204);
      const [row] = await json("user", "list", "--org", slug);
      expect(row).to.include({ email: "owner@cli.test", full_name: "Ada", is_active: true, is_superuser: true });
      expect(row.roles).to.deep.equal(["owner"]);
      const [line] = await audited(id);
      expect(line).to.include({ action: "membership.invited", role_key: "owner", actor_id: null, actor_email: null });
      expect(line.target_account_id).to.equal(made.account_id);
      expect(JSON.stringify(line)).not.to.contain(made.password);
    });

    it("reads a password from standard input and then shows none", async () => {
      const { slug, hostname } = await organisation();
      const argv = ["user", "create", `stdin@${slug}.test`, "--org", slug, "--password-stdin", "--json"];
      const made = await cli(env, argv, "correct horse battery\n");
      expect(made.json.password).to.equal(null);
      expect((await signIn(hostname, `stdin@${slug}.test`, "correct horse battery")).status).to.equal(204);
    });

    it("refuses a bad address, role or password, and an existing member", async () => {
      const { slug } = await organisation();
      const person = `p@${slug}.test`;
      const stdin = (password: string): Promise<Ran> =>
        cli(env, ["user", "create", person, "--org", slug, "--password-stdin"], password);
      expect(await refused("user", "create", "nobody", "--org", slug)).to.contain("not an e-mail address");
      expect(await refused("user", "create", person, "--org", slug, "--role", "boss")).to.contain("'boss'");
      expect(await stdin("short")).to.include({ status: 2, err: "A password must have 8 to 128 characters.\n" });
      expect((await stdin(person.toUpperCase())).status).to.equal(2);
      expect((await json("user", "list", "--org", slug)).length).to.equal(0);
      await json("user", "create", person, "--org", slug);
      expect(await refused("user", "create", person, "--org", slug)).to.contain("member already");
    });

    it("reuses a proven account with its password, and makes an unproven one's credentials unusable first", async () => {
      const [one, other] = [await organisation(), await organisation()];
      const person = `both@${one.slug}.test`;
      const first = await json("user", "create", person, "--org", one.slug);
      const second = await json("user", "create", person, "--org", other.slug, "--superuser");
      expect(second).to.include({ account_id: first.account_id, existing_account: true, password: null });
      expect((await signIn(other.hostname, person, first.password)).status).to.equal(204);
      expect((await json("user", "list", "--org", other.slug))[0].is_superuser).to.equal(true);
      const stranger = `stranger@${one.slug}.test`;
      const before = await json("user", "create", stranger, "--org", one.slug);
      const key = await json("key", "create", "--org", one.slug, "--user", stranger, "--scopes", "companies.company.read");
      await service.sql.query("update accounts set is_verified = false where id = $1", [before.account_id]);
      const after = await json("user", "create", stranger, "--org", other.slug);
      expect(after.password).to.be.a("string").and.not.to.equal(before.password);
      expect((await signIn(other.hostname, stranger, before.password)).status).to.equal(400);
      expect((await signIn(other.hostname, stranger, after.password)).status).to.equal(204);
      expect((await service.call("GET", "/companies", { host: one.hostname, key: key.secret })).status).to.equal(401);
    });

    it("leaves an unproven account's second factor and half-finished sign-ins no use", async () => {
      const [one, other] = [await organisation(), await organisation()];
      const person = `squatter@${one.slug}.test`;
      const { account_id: id, password } = await json("user", "create", person, "--org", one.slug);
      await service.sql.query("insert into two_factors (account_id, secret, confirmed_at) values ($1, $2, now())", [
        id,
        "v1.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.AAAA",
      ]);
      const challenge = async (typed: string) => (await signIn(one.hostname, person, typed)).body.challenge_token;
      const stands = async (challenge_token: string) =>
        (await service.call("POST", "/auth/2fa/verify", { host: one.hostname, body: { challenge_token, code: "000000" } }))
          .status;
      const before = await challenge(password);
      expect(await stands(before)).to.equal(400);
      const changed = await json("user", "password", person);
      expect(await stands(before), "after another password").to.equal(401);
      const next = await challenge(changed.password);
      await service.sql.query("update accounts set is_verified = false where id = $1", [id]);
      const after = await json("user", "create", person, "--org", other.slug);
      expect(await stands(next), "after the owner was added").to.equal(401);
      expect((await signIn(other.hostname, person, after.password)).status).to.equal(204);
    });

    it("changes a password, and every session of the account ends at once", async () => {
      const { slug, hostname } = await organisation();
      const person = `pw@${slug}.test`;
      const { password } = await json("user", "create", person, "--org", slug, "--role", "owner");
      const cookie = cookieOf(await signIn(hostname, person, password));
      expect((await service.call("GET", "/companies", { host: hostname, cookie })).status).to.equal(200);
      const changed = await json("user", "password", person);
      expect((await service.call("GET", "/companies", { host: hostname, cookie })).status).to.equal(401);
      expect((await signIn(hostname, person, password)).status).to.equal(400);
      expect((await signIn(hostname, person, changed.password)).status).to.equal(204);
      expect(await refused("user", "password", "absent@cli.test")).to.contain("no account");
    });

    it("deactivates: session 403 and key 401 on the next request, once in the audit", async () => {
      const { id, slug, hostname } = await organisation();
      await json("user", "create", `boss@${slug}.test`, "--org", slug, "--role", "owner");
      const person = `gone@${slug}.test`;
      const { password } = await json("user", "create", person, "--org", slug, "--role", "admin");
      const key = await json("key", "create", "--org", slug, "--user", person, "--scopes", "companies.company.read");
      const cookie = cookieOf(await signIn(hostname, person, password));
      expect((await service.call("GET", "/companies", { host: hostname, key: key.secret })).status).to.equal(200);
      expect((await service.call("GET", "/companies", { host: hostname, cookie })).status).to.equal(200);
      expect((await json("user", "deactivate", person, "--org", slug)).changed).to.equal(true);
      expect((await service.call("GET", "/companies", { host: hostname, key: key.secret })).status).to.equal(401);
      expect((await service.call("GET", "/companies", { host: hostname, cookie })).status).to.equal(403);
      expect((await json("user", "deactivate", person, "--org", slug)).changed).to.equal(false);
      expect((await audited(id)).filter(({ action }) => action === "membership.deactivated")).to.have.length(1);
    });

    it("keeps the last person who may administer roles", async () => {
      const { id, slug } = await organisation();
      await json("user", "create", `last@${slug}.test`, "--org", slug, "--role", "admin");
      await json("user", "create", `other@${slug}.test`, "--org", slug, "--role", "member");
      expect(await refused("user", "deactivate", `last@${slug}.test`, "--org", slug)).to.contain("last person");
      expect((await json("user", "list", "--org", slug)).every((row: { is_active: boolean }) => row.is_active)).to.equal(true);
      expect((await audited(id)).map(({ action }) => action)).not.to.include("membership.deactivated");
    });
  });

  describe("key", () => {
    it("issues a personal key that works with exactly its scopes, and audits it without its secret", async () => {
      const { id, slug, hostname } = await organisation();
      const { account_id: account } = await json("user", "create", `k@${slug}.test`, "--org", slug, "--role", "admin");
      const argv = [
        "key",
        "create",
        "--org",
        slug,
        "--user",
        `k@${slug}.test`,
        "--scopes",
        "companies.company.read",
        "--name",
        "CI",
      ];
      const key = await json(...argv);
      expect(key).to.include({ name: "CI", organisation: slug, principal_type: "user", user_id: account, expires_at: null });
      expect(key.secret).to.match(/^kt_[0-9a-f]{12}_[0-9a-f]{64}$/);
      const call = (method: string) =>
        service.call(method, "/companies", { host: hostname, key: key.secret, body: { name: "x" } });
      expect((await call("GET")).status).to.equal(200);
      expect((await call("POST")).status).to.equal(403);
      const line = (await audited(id)).find(({ action }) => action === "api_key.create");
      expect(line.detail).to.deep.include({ id: key.id, scopes: ["companies.company.read"] });
      expect(JSON.stringify(line)).not.to.contain(key.secret.slice(-64));
    });

    it("gives --scopes all as far as the owner can hold it", async () => {
      const { slug } = await organisation();
      await json("user", "create", `o@${slug}.test`, "--org", slug, "--role", "owner");
      await json("user", "create", `m@${slug}.test`, "--org", slug, "--role", "member");
      const scopes = async (...owner: string[]): Promise<string[]> =>
        (await json("key", "create", "--org", slug, ...owner, "--scopes", "all")).scopes;
      const [owner, member, robot] = [
        await scopes("--user", `o@${slug}.test`),
        await scopes("--user", `m@${slug}.test`),
        await scopes("--service-account", "robot"),
      ];
      expect(owner).to.include.members(["companies.company.delete", "time.entry.read:any"]).and.not.to.include("*");
      expect(member).to.include("companies.company.read").and.not.to.include("companies.company.delete");
      expect(robot).to.have.members(owner);
    });

    it("makes a service account once and gives it more keys under the same name", async () => {
      const { id, slug, hostname } = await organisation();
      const argv = ["key", "create", "--org", slug, "--service-account", "robot", "--scopes", "companies.company.read"];
      const [one, two] = [await json(...argv), await json(...argv)];
      expect(one.principal_type).to.equal("service_account");
      expect(one.service_account_id).to.match(UUID).and.to.equal(two.service_account_id);
      expect((await service.call("GET", "/companies", { host: hostname, key: two.secret })).status).to.equal(200);
      expect((await audited(id)).map(({ action }) => action)).to.deep.equal([
        "service_account.create",
        "api_key.create",
        "api_key.create",
      ]);
    });

    it("refuses scopes that are unknown or that the person lacks, wrong dates, and anything but one owner", async () => {
      const { slug } = await organisation();
      const person = `m@${slug}.test`;
      await json("user", "create", person, "--org", slug, "--role", "member");
      const tried = (...rest: string[]) => refused("key", "create", "--org", slug, ...rest);
      expect(await tried("--user", person, "--scopes", "*")).to.contain("No such scope");
      expect(await tried("--user", person, "--scopes", "time.entry.read")).to.contain("time.entry.read");
      expect(await tried("--user", person, "--scopes", "companies.company.delete")).to.contain("does not hold");
      expect(await tried("--user", person, "--scopes", "companies.company.read", "--expires", "2020-01-01")).to.contain("past");
      expect(await tried("--user", person, "--scopes", "companies.company.read", "--expires", "2099-01-01")).to.contain("year");
      expect(await tried("--user", person, "--scopes", "companies.company.read", "--expires", "soon")).to.contain("--expires");
      expect(await tried("--scopes", "all")).to.contain("--user");
      expect(await tried("--user", person, "--service-account", "x", "--scopes", "all")).to.contain("one owner");
      expect(await tried("--user", "absent@cli.test", "--scopes", "all")).to.contain("no account");
    });

    it("revokes by id, value or first part: 401 on the next request, keys it created included", async () => {
      const { id, slug, hostname } = await organisation();
      const argv = ["key", "create", "--org", slug, "--service-account", "robot", "--scopes", "companies.company.read"];
      const [parent, child, other] = [await json(...argv), await json(...argv), await json(...argv)];
      await service.sql.query("update api_keys set parent_key_id = $1 where id = $2", [parent.id, child.id]);
      const status = async (key: string) => (await service.call("GET", "/companies", { host: hostname, key })).status;
      expect([await status(parent.secret), await status(child.secret)]).to.deep.equal([200, 200]);
      const revoked = await json("key", "revoke", parent.secret.slice(0, 15), "--org", slug);
      expect(revoked.id).to.equal(parent.id);
      expect(revoked.revoked).to.have.members([parent.id, child.id]);
      expect([await status(parent.secret), await status(child.secret), await status(other.secret)]).to.deep.equal([
        401, 401, 200,
      ]);
      expect((await json("key", "revoke", parent.id, "--org", slug)).changed).to.equal(false);
      expect((await json("key", "revoke", other.secret, "--org", slug)).changed).to.equal(true);
      expect((await audited(id)).filter(({ action }) => action === "api_key.revoke")).to.have.length(3);
      const stranger = await organisation();
      expect(await refused("key", "revoke", other.id, "--org", stranger.slug)).to.contain("no such key");
    });
  });

  describe("licence and modules", () => {
    afterEach(() => service.sql.query("delete from product_licences"));

    it("sets expiry and grace of the named modules and leaves the others", async () => {
      await json("licence", "set", "--modules", "all", "--expires", "2099-12-31", "--grace", "7");
      const { modules } = await json("licence", "set", "--modules", "time,leave", "--expires", "2020-01-01T00:00:00Z");
      expect(modules.map(({ module }: { module: string }) => module)).to.deep.equal([...licensable()]);
      const byName = new Map(modules.map((listed: { module: string }) => [listed.module, listed]));
      expect(byName.get("time")).to.deep.equal({ module: "time", expires_at: "2020-01-01T00:00:00+00:00", grace_days: 0 });
      expect(byName.get("invoicing")).to.deep.include({ expires_at: "2099-12-31T23:59:59+00:00", grace_days: 7 });
    });

    it("says that a licence has no effect if none is required, and if plans decide", async () => {
      const words = ["licence", "set", "--modules", "time", "--expires", "2099-01-01"];
      const free = await cli({ ...env, SERVICE_LICENSING: "" }, words);
      expect([free.status, free.err]).to.deep.equal([
        0,
        "All modules are writable unless SERVICE_LICENSING is 'required'; until then this licence has no effect.\n",
      ]);
      expect((await cli({ ...env, SERVICE_POSTURE: "hosted" }, words)).err).to.contain("--plan");
      await json("licence", "set", "--modules", "hr", "--expires", "2020-01-01");
      const { slug } = await organisation();
      await json("modules", "disable", "hr", "--org", slug);
      expect(await refused("modules", "enable", "hr", "--org", slug)).to.contain("not licensed");
      expect((await cli({ ...env, SERVICE_LICENSING: "" }, ["modules", "enable", "hr", "--org", slug])).status).to.equal(0);
    });

    it("refuses modules no licence knows, a missing or wrong date and wrong days", async () => {
      expect(await refused("licence", "set", "--modules", "time,tyme", "--expires", "2099-01-01")).to.contain("tyme");
      expect(await refused("licence", "set", "--modules", "contacts", "--expires", "2099-01-01")).to.contain("contacts");
      expect(await refused("licence", "set", "--modules", "time")).to.contain("--expires");
      expect(await refused("licence", "set", "--modules", "time", "--expires", "2099-02-30")).to.contain("--expires");
      expect(await refused("licence", "set", "--modules", "time", "--expires", "2099-01-01", "--grace", "x")).to.contain(
        "--grace",
      );
      expect(await refused("licence", "set")).to.contain("--plan");
      expect((await service.sql.query("select 1 from product_licences")).rows).to.have.length(0);
    });

    it("sets the plan of a hosted organisation", async () => {
      const { id, slug } = await organisation();
      const hosted = { ...env, SERVICE_POSTURE: "hosted" };
      const ran = await cli(hosted, ["licence", "set", "--plan", "trial", "--expires", "2099-01-01", "--org", slug, "--json"]);
      expect(ran).to.include({ status: 0, err: "" });
      expect(ran.json).to.deep.equal({ organisation: slug, id, plan: "trial", plan_ends_at: "2099-01-01T23:59:59Z" });
      expect((await cli(hosted, ["licence", "set", "--plan", "gold", "--org", slug])).status).to.equal(2);
      const pointless = await run("licence", "set", "--plan", "standard", "--org", slug);
      expect(pointless.err).to.contain("SERVICE_POSTURE");
    });

    it("switches modules off and on, and the resulting set holds what each needs", async () => {
      const { slug } = await organisation();
      const tried = (verb: string, names: string) => refused("modules", verb, names, "--org", slug);
      expect(await tried("disable", "domains")).to.match(/'(edge|registrar)' needs 'domains'/);
      const off = await json("modules", "disable", "domains,edge,registrar", "--org", slug);
      expect(off.changed).to.have.members(["domains", "edge", "registrar"]);
      expect(off.enabled_modules).not.to.include("domains");
      expect(await tried("enable", "edge")).to.contain("'edge' needs 'domains'");
      expect((await json("modules", "enable", "edge,domains", "--org", slug)).enabled_modules).to.include.members([
        "edge",
        "domains",
      ]);
      expect(await tried("disable", "companies")).to.contain("cannot be disabled");
      expect(await tried("enable", "nonsense")).to.contain("nonsense");
    });

    it("refuses to enable unlicensed modules, requirements first, and keeps enabled ones", async () => {
      const { slug } = await organisation();
      await json("modules", "disable", "domains,edge,registrar,time", "--org", slug);
      await json("licence", "set", "--modules", "all", "--expires", "2020-01-01");
      expect(await refused("modules", "enable", "edge", "--org", slug)).to.contain("needs 'domains'");
      expect(await refused("modules", "enable", "time", "--org", slug)).to.contain("licence set --modules time");
      expect((await json("modules", "enable", "invoicing,contacts", "--org", slug)).changed).to.deep.equal([]);
      await json("licence", "set", "--modules", "time", "--expires", "2020-01-01", "--grace", "9999");
      expect((await json("modules", "enable", "time", "--org", slug)).changed).to.deep.equal(["time"]);
    });
  });

  describe("migrate and seed", () => {
    it("reports the state of the database", async () => {
      const { applied, version } = await json("migrate");
      expect(applied).to.deep.equal([]);
      expect(version).to.match(/^\d{4}-/);
    });

    it("seeds an empty database once, as a program of its own", async () => {
      const database = await cloneDatabase();
      try {
        const seed = () =>
          spawnSync(
            process.execPath,
            ["--disable-warning=ExperimentalWarning", path.join(ROOT, "cli/main.ts"), "seed", "--json"],
            {
              env: { ...process.env, ...environmentOf(database) },
              encoding: "utf8",
            },
          );
        const first = seed();
        expect(first.stderr).to.equal("");
        expect(first.status).to.equal(0);
        expect(JSON.parse(first.stdout)).to.include({ organisation: "demo", hostname: "demo.kantoor.test" });
        const again = seed();
        expect(again).to.include({ status: 2, stdout: "" });
        expect(again.stderr).to.match(/^An organisation already exists[^\n]+\n$/);
      } finally {
        await database.drop();
      }
    });
  });
});
