import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { cleanEnvironment, launch, type Spawned } from "../support/process.ts";
import { type Followed, followTutorials } from "../support/tutorial.ts";

const HOST = "agency.kantoor.test";
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
const LISTING = path.join(import.meta.dirname, "../support/loaded-modules.mjs");

/** A copy of the repository whose bundle was made before it got a module more. */
describe("two nodes that start from the bundle", function () {
  this.timeout(600_000);
  const temporary = mkdtempSync(path.join(tmpdir(), "kantoor-bundle-"));
  const list = path.join(temporary, "modules");
  let copy: Followed;
  let database: TestDatabase;
  let sql: pg.Client;
  let nats: Spawned;
  let nodes: [whole: Spawned, gateway: Spawned];
  let key: string;
  let settings: Record<string, string>;

  const inCopy = (...names: string[]) => path.join(copy.folder, ...names);
  const start = (words: string[], environment: Record<string, string> = {}) =>
    launch([process.execPath, inCopy("bin/run.mjs"), ...words], {
      cwd: copy.folder,
      environment: { ...settings, ...environment },
    });
  const call = (node: 0 | 1, method: string, target: string, body?: unknown) =>
    send(nodes[node].port as number, method, target, { host: HOST, key, body });

  before(async function () {
    requireNats(this);
    copy = followTutorials(["## Adding a module"]);
    renameSync(inCopy("services/bookmarks"), path.join(temporary, "bookmarks"));
    execFileSync(process.execPath, [inCopy("bin/bundle.mjs")], { cwd: copy.folder });
    renameSync(path.join(temporary, "bookmarks"), inCopy("services/bookmarks"));
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    nats = await startNats();
    settings = {
      ...nodeSettings(database, nats),
      SERVICE_DATABASE_MIGRATION_URL: database.owner,
      SERVICE_DATA_DIR: path.join(temporary, "data"),
    };
    const whole = await start(["start"], { LOADED_MODULES: list, NODE_OPTIONS: `--import=${pathToFileURL(LISTING).href}` });
    nodes = [whole, await start(["node", "api"], { SERVICE_DATA_DIR: path.join(temporary, "gateway") })];
    const { id } = await createOrganisation(sql, { slug: "agency", name: "An agency" });
    const { accountId } = await createMember(sql, id, { email: "owner@agency.test", fullName: "Owner", role: "owner" });
    const scopes = [...everything, "bookmarks.bookmark.read", "bookmarks.bookmark.write"];
    ({ value: key } = await createKey(sql, id, "kt", { name: "a key", scopes, accountId }));
    await until(async () => (await call(1, "GET", "/companies?limit=1")).status === 200, 240_000);
  });
  after(async () => {
    await Promise.all((nodes ?? []).map((node) => node.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
    copy?.remove();
    rmSync(temporary, { recursive: true, force: true });
  });

  it("load its sources from it, and from their own files those that are not in it", () => {
    const loaded = readFileSync(list, "utf8").split("\n");
    const isLoaded = (file: string) => loaded.includes(pathToFileURL(inCopy(file)).href);
    expect({
      bundle: isLoaded("build/kantoor.mjs"),
      inIt: isLoaded("services/clients/companies/companies.service.ts"),
      core: isLoaded("core/declare/module.ts"),
      variable: isLoaded("core/tracing/tracing.ts"),
      added: isLoaded("services/bookmarks/bookmarks.service.ts"),
    }).to.deep.equal({ bundle: true, inIt: false, core: false, variable: true, added: true });
  });

  it("answer calls over each other", async () => {
    const made = await call(1, "POST", "/companies", { name: "Over the wire" });
    expect(made.status, made.text).to.equal(201);
    expect((await call(0, "GET", `/companies/${made.body.id}`)).body).to.deep.equal(made.body);
    const refused = await call(1, "PATCH", `/companies/${made.body.id}`, { invoice_email: "nobody" });
    expect([refused.status, refused.body.error.code]).to.deep.equal([422, "validation"]);
  });

  it("serve a module that was added after the bundle was made, on the same core", async () => {
    const company = (await call(0, "POST", "/companies", { name: "With bookmarks" })).body;
    const made = await call(1, "POST", "/bookmarks", { company_id: company.id, title: "Site" });
    expect(made.status, made.text).to.equal(201);
    expect((await call(0, "GET", `/bookmarks/${made.body.id}`)).body).to.deep.equal(made.body);
  });

  it("work in threads, which load their own sources", async () => {
    const long = { nl: "Bedankt **voor** de samenwerking. ".repeat(50) };
    const config = { design: "classic", intro_i18n: long, payment_i18n: long, footer_i18n: { nl: `${long.nl}Tot ziens.` } };
    const previewed = await call(0, "POST", "/invoicing/templates/preview", { config });
    expect([previewed.status, previewed.text.includes("<strong>voor</strong>")], previewed.text).to.deep.equal([200, true]);
  });

  it("share their database with the command line, which runs from its sources", () => {
    const env = { ...cleanEnvironment(), ...settings };
    const said = execFileSync(process.execPath, [inCopy("bin/run.mjs"), "cli", "org", "list", "--json"], {
      env,
      encoding: "utf8",
    });
    expect(said).to.contain('"agency"');
  });

  it("name sources and their lines in stacks", () => {
    const options = ["--import", pathToFileURL(inCopy("bin/bundled.mjs")).href, "--input-type=module"];
    const work = `const { runtime } = await import(${JSON.stringify(pathToFileURL(inCopy("core/config/runtime.ts")).href)});
      try { runtime(); } catch ({ stack }) { process.stdout.write(stack); }`;
    const stack = execFileSync(process.execPath, [...options, "--eval", work], { cwd: copy.folder, encoding: "utf8" });
    const lines = readFileSync(inCopy("core/config/runtime.ts"), "utf8").split("\n");
    const line = 1 + lines.findIndex((text) => text.includes("the runtime is not set up yet"));
    expect(stack).to.match(new RegExp(`at runtime .*core/config/runtime\\.ts:${line}\\)`));
  });
});
