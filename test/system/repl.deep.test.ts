import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { AttachedConsole } from "../../cli/console/client.ts";
import { consoleCommands } from "../../cli/console/commands.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { environmentOf } from "../api/cli/cli-support.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/jobs.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const node = (file: string, args: string[], env: Record<string, string>) =>
  spawn(process.execPath, ["--disable-warning=ExperimentalWarning", path.join(ROOT, file), ...args], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });

/** Everything a process writes until it ends. */
async function finished(child: ChildProcess): Promise<{ status: number | null; out: string; err: string }> {
  let [out, err] = ["", ""];
  child.stdout?.on("data", (part) => (out += part));
  child.stderr?.on("data", (part) => (err += part));
  const [status] = await once(child, "close");
  return { status, out, err };
}

/** installation.test.ts has that its socket is open to the owner of the data directory only. */
describe("console of a running service", function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let folder: string;
  let dataDir: string;
  let env: Record<string, string>;
  let key: string;
  let service: ChildProcess | undefined;

  const start = async (...args: string[]): Promise<ChildProcess> => {
    const child = node("main.ts", args, env);
    const ready = new Promise<void>((resolve, reject) => {
      let said = "";
      const listen = (part: Buffer) => {
        said += part;
        if (said.includes("is ready on")) resolve();
      };
      child.stdout?.on("data", listen);
      child.stderr?.on("data", listen);
      child.once("exit", () => reject(new Error(`the service ended: ${said}`)));
    });
    await ready;
    await until(() => existsSync(path.join(dataDir, "repl.sock")));
    return child;
  };
  const stop = async (child: ChildProcess, signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  };
  const attach = (lines: string[]) => {
    const child = node("cli/repl.ts", [], env);
    child.stdin.end(lines.map((line) => `${line}\n`).join(""));
    return finished(child);
  };
  const ask = async (...words: string[]) => {
    const child = node("cli/repl.ts", words, env);
    return (await finished(child)).out;
  };

  before(async () => {
    database = await cloneDatabase();
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-repl-"));
    dataDir = path.join(folder, "data");
    env = environmentOf(database, {
      SERVICE_DATA_DIR: dataDir,
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_LOG_LEVEL: "silent",
    });
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    const organisation = await createOrganisation(sql, { slug: "acme", name: "Acme" });
    const { accountId } = await createMember(sql, organisation.id, { email: "ada@acme.test", role: "member" });
    const scopes = ["companies.company.read", "companies.company.delete"];
    key = (await createKey(sql, organisation.id, "kt", { name: "CI", scopes, accountId })).value;
    service = await start();
  });
  after(async () => {
    if (service) await stop(service, "SIGKILL");
    await sql.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it("answers orgs, routes and principal", async () => {
    expect(await ask("orgs")).to.match(/^acme +[0-9a-f-]{36} +active/m);
    const routes = await ask("routes", "groups");
    expect(routes).to.match(/^GET +\/companies\/groups +companies\.groups\.list +companies\.group\.manage$/m);
    expect(routes).not.to.contain("/roles");
    const principal = await ask("principal", key.slice(0, 10));
    expect(principal).to.match(/^state +works$/m);
    expect(principal).to.match(/^owner +ada@acme.test, member$/m);
    expect(principal).to.match(/^may +companies\.company\.read$/m);
    expect(principal).to.match(/^lost +companies\.company\.delete$/m);
    expect(principal).not.to.contain(key.slice(-64));
    await sql.query("update api_keys set revoked_at = now()");
    expect(await ask("principal", key.slice(0, 15))).to.match(/^state +dead: revoked/m);
    expect(await ask("principal", "kt_ffffffffffff")).to.contain("No key begins with");
  });

  it("explains a route: action, permission, licence and the statements of the last call", async () => {
    const fresh = await ask("explain", "GET", "/api/v1/companies/01890000-0000-7000-8000-000000000000");
    expect(fresh).to.match(/^action +companies\.get on /m);
    expect(fresh).to.match(/^permission +companies\.company\.read$/m);
    expect(fresh).to.match(/^licence +none needed$/m);
    expect(fresh).to.match(/^statements +not called on this node yet$/m);
    const { out } = await attach(["as acme", 'call companies.list {"limit": 1}', "explain get /companies"]);
    expect(out).to.match(/^statements +\d+ in its last call on this node$/m);
    expect(await ask("explain", "PUT", "/companies")).to.contain("/companies takes GET, POST.");
    expect(await ask("explain", "GET", "/nowhere")).to.contain("No action serves /nowhere.");
  });

  it("calls actions as the system in an organisation, through their own checks", async () => {
    const { status, out } = await attach([
      'call companies.list {"limit": 1}',
      "as nowhere",
      "as acme",
      'call companies.create {"body": {"name": "By console"}}',
      'call companies.create {"body": {}}',
      "call companies.list {limit}",
    ]);
    expect(status).to.equal(0);
    expect(out).to.contain("Enter `as <organisation>` first");
    expect(out).to.contain("There is no organisation 'nowhere'.");
    expect(out).to.contain("name: 'By console'");
    expect(out).to.contain("422 validation").and.to.contain("name: 'errors.required'");
    expect(out).to.contain("Parameters are one JSON object");
    const { rows } = await sql.query(
      "select a.actor_account_id, a.actor_name from activity a join companies c on c.id = a.entity_id",
    );
    expect(rows).to.deep.equal([{ actor_account_id: null, actor_name: null }]);
  });

  it("reads rows of a resource, with flags, in the organisation that was chosen", async () => {
    const { out } = await attach([
      "call companies.find",
      "use acme",
      'call companies.create {"body": {"name": "First"}}',
      'call companies.create {"body": {"name": "Last of all"}}',
      "call companies.find --limit 1 --sort -updated_at --fields name,status",
      "call companies.find --query.name First --fields name",
      "call companies.count --query.name First",
      "call contacts.count",
      "call companies.find --limit 1000",
      "call companies.find --query.colour red",
    ]);
    expect(out).to.contain("Enter `as <organisation>` first").and.to.contain("Calls now run as the system in acme.");
    const answers = out.split("\n");
    expect(answers).to.include.members(["[ { name: 'Last of all', status: 'active' } ]", "[ { name: 'First' } ]", "1", "0"]);
    expect(out).to.contain("422 validation: errors.validation { fields: { limit: 'errors.validation' } }");
    expect(out).to.contain("422 validation: errors.validation { fields: { colour: 'errors.validation' } }");
    expect(await ask("routes", "companies")).not.to.match(/companies\.(find|count|row)/);
    expect(await ask("actions", "companies.find")).to.match(/^companies\.find +Rows of companies/m);
    expect(await ask("help")).to.contain("use <organisation>");
  });

  it("delegates nodes, services and actions, and survives mistakes", async () => {
    const { out } = await attach(["nodes", "services companies", "actions members", "nonsense", "explain", "help", "orgs"]);
    expect(out).to.contain("(this one)");
    expect(out).to.match(/^companies\.groups /m);
    expect(out).to.contain("members.lookup");
    expect(out).to.contain("There is no command 'nonsense'").and.to.contain("Usage: explain <method> <path>");
    expect(out.trimEnd().split("\n").at(-1)).to.contain("acme");
  });

  it("refuses what a command does not take, and names what was probably meant", async () => {
    const { out } = await attach([
      ...["orgs all", "explian GET /companies", "jobs lst", "jobs list --nmae mail.send", "jobs list mail.send", "jobs show"],
      ...["jobs list --state nowhere", "jobs list --name nothing.at.all", "jobs why 01890000-0000-7000-8000-000000000000"],
      ...["as acme", "call companies.lst"],
    ]);
    const answers = out.trimEnd().split("\n");
    expect(answers.slice(0, 6)).to.deep.equal([
      "Usage: orgs",
      "There is no command 'explian'; did you mean `explain`?",
      "jobs has no 'lst': did you mean `jobs list`?",
      "jobs list has no --nmae: it takes --name, --state, --limit.",
      "'mail.send' is not a flag: write --name value.",
      "Usage: jobs show <id>",
    ]);
    expect(answers[6]).to.match(/^--state is one of running, queued/);
    expect(answers[7]).to.equal("None.");
    expect(answers[8]).to.match(/^There is no job '01890000/);
    expect(answers.at(-1)).to.equal("There is no action 'companies.lst'; did you mean 'companies.list'?");
  });

  it("says why a job is where it is", async () => {
    const [id] = (await ask("jobs", "list", "--state", "repeating", "--limit", "1")).split(/\s+/);
    expect(await ask("jobs", "why", id as string)).to.match(
      /^[a-z_.]+ (waits until .+, by its clock '.+'|has been (due|running) since .+)/,
    );
  });

  it("completes commands, actions and parameters", async () => {
    const attached = await AttachedConsole.attach(dataDir);
    expect(await attached.complete("prin")).to.deep.equal(["principal"]);
    expect(await attached.complete("call companies.cr")).to.deep.equal(["call companies.create"]);
    expect(await attached.complete("call companies.list --lim")).to.deep.equal(["call companies.list --limit"]);
    const rest = await attached.complete("call companies.list --limit 3 --");
    expect(rest).to.include("call companies.list --limit 3 --offset").and.to.not.include("call companies.list --limit 3 --limit");
    expect(await attached.complete("call companies.create --body.na")).to.deep.equal(["call companies.create --body.name"]);
    expect(await attached.complete("call nothing.at.all --")).to.deep.equal([]);
    attached.close();
  });

  it("continues when the console leaves, even in the middle of a message", async () => {
    const socket = net.connect(path.join(dataDir, "repl.sock"));
    await once(socket, "data");
    socket.write("no JSON\n");
    await once(socket, "close");
    const half = net.connect(path.join(dataDir, "repl.sock"));
    await once(half, "data");
    half.write('{"line": "or');
    half.destroy();
    expect(await ask("orgs")).to.contain("acme");
    expect(service?.exitCode).to.equal(null);
  });

  it("removes the socket at a stop, replaces a killed service's, and reports when no service runs", async () => {
    const file = path.join(dataDir, "repl.sock");
    await stop(service as ChildProcess, "SIGTERM");
    expect(existsSync(file)).to.equal(false);
    const { status, err } = await finished(node("cli/repl.ts", ["orgs"], env));
    expect(status).to.equal(2);
    expect(err).to.match(/^No service answers in [^\n]+\n$/);
    service = await start();
    await stop(service, "SIGKILL");
    expect(existsSync(file)).to.equal(true);
    service = await start();
    // What lies there is the old one until the service, ready before that, has put its own in its place.
    expect(await until(() => ask("orgs"))).to.contain("acme");
  });

  it("is next to the data even if the path is too long for a socket", async () => {
    await stop(service as ChildProcess, "SIGTERM");
    dataDir = path.join(folder, "x".repeat(80), "y".repeat(80));
    mkdirSync(dataDir, { recursive: true });
    env = { ...env, SERVICE_DATA_DIR: dataDir };
    service = await start();
    expect(statSync(path.join(dataDir, "repl.sock")).isSocket()).to.equal(true);
    expect(await ask("orgs")).to.contain("acme");
    await stop(service, "SIGTERM");
    expect(existsSync(path.join(dataDir, "repl.sock"))).to.equal(false);
  });

  it("opens in the service's own terminal with --repl, with the commands the documents say, and leaving it stops the service", async () => {
    service = await start("--repl");
    const ended = finished(service);
    let said = "";
    service.stdout?.on("data", (part) => (said += part));
    // Fed faster than a person types, Moleculer's console runs its lines side by side.
    const type = async (line: string, answer: RegExp) => {
      const before = said.length;
      const shown = () => said.slice(before);
      service?.stdin?.write(`${line}\n`);
      while (!answer.test(shown()) && service?.exitCode === null) await delay(20);
      expect(shown()).to.match(answer);
      return shown();
    };
    await type("routes members", /GET +\/members\/lookup +members\.lookup/);
    await type("use acme", /Calls now run as the system in acme/);
    await type("call companies.find --limit 1 --sort -updated_at --fields name", /\[ \{ name: .*Last of all/);
    await type("call contacts.count", /Response:\s+\S*0/);
    await type("as acme", /Calls now run as the system in acme/);
    await type("call companies.list '{\"limit\": 1}'", /total/);
    await type("explain GET /companies", /statements +\d+ in its last call/);
    await type("orgs", /^acme +[0-9a-f-]{36} +active/m);
    expect(await type("services companies", /companies\.groups[\s\S]*╝/)).to.not.contain("members");
    expect(await type("actions members", /members\.lookup[\s\S]*╝/)).to.not.contain("companies.list");
    const from = said.length;
    await type("help", /^ {2}help \[command\] +display help/m);
    // All of it is there once the next line is answered.
    await type("orgs", /^acme +[0-9a-f-]{36} +active/m);
    const help = said.slice(from);
    const listed = [...help.matchAll(/^ {2}([a-z]\w*(?:\|\w+)?) /gim)].map(
      ([, name]) => (name as string).split("|")[0] as string,
    );
    const attached = consoleCommands.map(({ name }) => name);
    expect(listed).to.include.members(attached);
    const document = readFileSync(path.join(ROOT, "docs/operating/commands.md"), "utf8");
    const [, both = "", alone = ""] = /^Both REPLs have (.+?)\. The terminal .+? it has (.+?) as well/m.exec(document) ?? [];
    const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(namesIn(both)).to.have.members([...attached, "use"]);
    expect(namesIn(alone)).to.have.members(listed.filter((name) => !attached.includes(name)));
    service.stdin?.end();
    expect((await ended).status).to.equal(0);
    expect(existsSync(path.join(dataDir, "repl.sock"))).to.equal(false);
  });
});
