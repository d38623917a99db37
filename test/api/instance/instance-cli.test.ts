import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
  ADMIN_HOST,
  CHOSEN,
  firstSignIn,
  instanceClient,
  type SignedInAdministrator,
} from "../../support/instance/administrator.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { totp } from "../../support/totp.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

const DOCS = path.join(import.meta.dirname, "../../../docs/instance.md");

describe("the commands of operators", () => {
  let service: TestService;
  let env: Record<string, string>;
  before(async () => {
    service = await startService();
    env = environmentOf(service.database);
  });
  after(() => service.stop());

  const json = async (...argv: string[]) => {
    const ran = await cli(env, [...argv, "--json"]);
    expect(ran.err).to.equal("");
    return ran.json;
  };
  const refused = async (...argv: string[]) => {
    const { status, err } = await cli(env, argv);
    expect(status, err).to.equal(2);
    return err;
  };
  const acts = async () =>
    (await service.sql.query("select action, actor from operator_audit where actor = 'command line' order by created_at")).rows;

  describe("instance admin", () => {
    it("adds the first administrator, who signs in; changes, resets and deactivates", async () => {
      const email = "first@operator.test";
      const added = await json("instance", "admin", "add", "First@operator.test", "--capabilities", "all", "--name", "First");
      expect(added).to.deep.include({
        email,
        host: ADMIN_HOST.replace("kantoor.test", env["SERVICE_BASE_DOMAIN"] ?? "localhost"),
      });
      const signedIn = await firstSignIn(service, added);
      expect((await signedIn.get("/instance/me")).body.full_name).to.equal("First");
      expect(await refused("instance", "admin", "add", email, "--capabilities", "all")).to.contain("already");
      expect(await refused("instance", "admin", "add", "x@operator.test", "--capabilities", "magic")).to.contain("magic");
      expect(await refused("instance", "admin", "capabilities", email, "--capabilities", "jobs")).to.contain("'administrators'");
      expect(await refused("instance", "admin", "deactivate", email)).to.contain("'administrators'");
      const { password } = await json("instance", "admin", "reset", email);
      expect((await signedIn.get("/instance/me")).status).to.equal(401);
      await firstSignIn(service, { ...added, password });
      await json("instance", "admin", "add", "second@operator.test", "--capabilities", "jobs,plans");
      await json("instance", "admin", "capabilities", "second@operator.test", "--capabilities", "jobs");
      await json("instance", "admin", "deactivate", "second@operator.test");
      const listed = await json("instance", "admin", "list");
      expect(listed.map((one: SignedInAdministrator & { is_active: boolean }) => [one.email, one.is_active])).to.deep.equal([
        [email, true],
        ["second@operator.test", false],
      ]);
      await json("instance", "admin", "activate", "second@operator.test");
      expect((await acts()).map(({ action }) => action)).to.deep.equal(
        ["added", "reset", "added", "changed", "deactivated", "activated"].map((act) => `administrator.${act}`),
      );
    });
  });

  describe("org", () => {
    const state = async ({ owner }: Tenant) => (await owner.get("/companies")).status;

    it("suspends, resumes, deletes later, keeps and purges", async () => {
      const tenant = await service.tenant();
      const { slug } = tenant.organisation;
      await json("org", "suspend", "--org", slug, "--reason", "Unpaid");
      expect(await state(tenant)).to.equal(403);
      await json("org", "resume", "--org", slug);
      expect(await state(tenant)).to.equal(200);
      expect(await refused("org", "purge", "--org", slug)).to.contain("not requested");
      expect(await refused("org", "delete", "--org", slug, "--days", "0")).to.contain("--days");
      const { purge_at: at } = await json("org", "delete", "--org", slug, "--days", "2");
      expect((Date.parse(at) - Date.now()) / 86_400_000).to.be.within(1.9, 2.1);
      expect(await refused("org", "resume", "--org", slug)).to.contain("purge");
      await json("org", "keep", "--org", slug);
      expect(await state(tenant)).to.equal(200);
      await json("org", "delete", "--org", slug);
      const purged = await json("org", "purge", "--org", slug);
      expect(purged).to.deep.include({ slug, accounts: 1, files: 0 });
      expect(await refused("org", "resume", "--org", slug)).to.contain(slug);
      const { rows } = await service.sql.query("select action from operator_audit where slug = $1 order by created_at", [slug]);
      expect(rows.map(({ action }) => action.replace("organisation.", ""))).to.deep.equal([
        "suspended",
        "resumed",
        "deletion_requested",
        "deletion_cancelled",
        "deletion_requested",
        "purged",
      ]);
    });
  });

  describe("docs/instance.md", () => {
    it("has lines that work, in their order", async () => {
      const password = (await json("instance", "admin", "add", "operator@agency.example", "--capabilities", "all")).password;
      const known: Record<string, string> = { PASSWORD: password, "PASSWORD OF YOUR OWN": CHOSEN };
      let client = instanceClient(service.port, {});
      let served = 0;
      for (const line of readFileSync(DOCS, "utf8").split("\n")) {
        const [, put, route = ""] = /^curl -s (-X PUT )?"\$ADMIN([^"]*)"/.exec(line) ?? [];
        if (route === "") continue;
        const [, data] = / -d '([^']*)'/.exec(line) ?? [];
        const filled = (text: string) =>
          text.replace(/"(PASSWORD OF YOUR OWN|PASSWORD|TOKEN|123456)"/g, (_, name) => `"${known[name]}"`);
        const body = data === undefined ? undefined : JSON.parse(filled(data));
        if (line.includes("X-API-Key")) client = instanceClient(service.port, { key: known["KEY"] as string });
        const method = put ? "put" : body ? "post" : "get";
        const target = `/instance${route.replace("$ID", known["ID"] ?? "")}`;
        const answer = method === "get" ? await client.get(target) : await client[method](target, body);
        expect(answer.status, `${line}\n${answer.text}`).to.be.oneOf([200, 201, 204]);
        served += 1;
        if (route === "/auth/login") {
          known["TOKEN"] = answer.body.challenge_token;
          known["123456"] = totp(answer.body.enrolment.secret);
        }
        if (route === "/auth/verify")
          client = instanceClient(service.port, { cookie: (answer.headers["set-cookie"]?.[0] ?? "").split(";")[0] as string });
        if (route === "/keys") known["KEY"] = answer.body.value;
        if (route === "/organisations") known["ID"] = answer.body.id;
      }
      expect(served).to.equal(7);
    });
  });
});
