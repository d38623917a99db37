import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { linesOf, SHELL } from "../support/documents.ts";
import { send } from "../support/http.ts";
import { freePort } from "../support/ports.ts";
import { cleanEnvironment, launchService, type Spawned } from "../support/process.ts";

const BETWEEN = "-----";

/** The README's tour and where it goes on, typed into one terminal as a reader does. */
describe("the tour", function () {
  this.timeout(300_000);
  const [attempt = ""] = linesOf("## Try it");
  const tour = linesOf("## Five minutes").join("\n");
  const connecting = [
    "## A key",
    "## A service account",
    "## An MCP client",
    "## An app of your own (OAuth)",
    "## Single sign-on",
  ].flatMap(linesOf);
  // The first lines restart the service in another terminal; `before` has started it so.
  const [restart = "", ...notified] = linesOf("## Get notified");
  const [automate = "", ...blocks] = [...linesOf("## Automate"), ...notified, ...connecting];
  let folder: string;
  let service: Spawned | undefined;
  let typed: SpawnSyncReturns<string>;
  /** The output of the README's first lines, and of each block after them. */
  let attempted: string;
  let printed: string[];

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-tour-"));
    // As in a clone, where the receiver's package is found.
    symlinkSync(path.join(import.meta.dirname, "../../node_modules"), path.join(folder, "node_modules"));
    service = await launchService(
      {
        SERVICE_DATA_DIR: path.join(folder, "data"),
        SERVICE_HTTP_PORT: "0",
        SERVICE_HTTP_ADDRESS: "127.0.0.1",
        SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.1",
      },
      [],
      { ready: /Kantoor is ready on http:\/\/localhost:(\d+)[\s\S]*Try: / },
    );
    // Each answer on a line of its own.
    const reported = [automate, ...blocks].map((block) => block.replaceAll(/^(?=curl|for TRY|mcp |MCP=.*node)/gm, "echo; "));
    const lines = [attempt.replaceAll(/^(?=curl)/gm, "echo; "), tour, ...reported]
      .join(`\necho; echo ${BETWEEN}\n`)
      .replaceAll("localhost:3000", `localhost:${service.port}`)
      // Whole numbers: a port that was put in before may have these digits.
      .replaceAll(/\b4000\b/g, String(await freePort()))
      .replaceAll(/\b4001\b/g, String(await freePort()));
    typed = spawnSync(SHELL, ["-euc", lines], { cwd: folder, encoding: "utf8", env: cleanEnvironment(), timeout: 900_000 });
    [attempted = "", ...printed] = typed.stdout.split(`\n${BETWEEN}\n`);
  });
  after(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const answersOf = (block: string): ReturnType<typeof JSON.parse>[] =>
    block
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));

  it("is typed to its end", () => {
    expect(restart).to.equal("SERVICE_OUTBOUND_ALLOWED_RANGES=127.0.0.1 npm start\n");
    expect(typed.status, `${typed.stdout.slice(-4000)}${typed.stderr}`).to.equal(0);
    expect(printed).to.have.length(10);
    const [found, summary, refused] = answersOf(attempted);
    expect([found.items.length, summary.open_count > 0]).to.deep.equal([1, true]);
    expect(refused.error).to.deep.equal({
      code: "validation",
      message: "errors.validation",
      fields: { country: "errors.validation" },
    });
    expect(printed[0], "the amount of the e-invoice").to.match(/<cbc:PayableAmount [^>]*>57\.48</);
  });

  it("has both of its invoices paid", () => {
    expect(printed[0]?.match(/^paid$/gm)).to.have.length(2);
  });

  it("has a rule made and run", async () => {
    const [catalog, tried, rule, task, runs] = answersOf(printed[1] as string);
    const triggers = (catalog.triggers as Record<string, string>[]).map(({ event, entity_type }) => ({ event, entity_type }));
    expect(triggers).to.deep.include({ event: "task.status_changed", entity_type: "task" });
    expect(tried).to.deep.equal({ matched: true, would_fire: ["task.create"], snapshot_found: true });
    expect([rule.name, task.status]).to.deep.equal(["Nabellen", "done"]);
    const [run] = runs.items;
    expect(run).to.include({ rule_id: rule.id, entity_id: task.id, status: "succeeded", depth: 0 });
    const { api_key: key, hostname: host } = JSON.parse(readFileSync(path.join(folder, "data/first-run.json"), "utf8"));
    const read = async (target: string) => (await send(service?.port as number, "GET", target, { key, host })).body;
    const project = await read(`/projects/${task.project_id}`);
    const made = await read(`/tasks/${run.steps[0].result.task_ids[0]}`);
    expect(made, "for the client of the task").to.include({ title: "Nabellen", company_id: project.company_id });
  });

  it("notifies its reader by a rule over the stream of the inbox", () => {
    const came = readFileSync(path.join(folder, "data/inbox.txt"), "utf8");
    const events = [...came.matchAll(/^event: (\w+)\n(?:id: .*\n)?data: (.*)$/gm)].map(([, event, data = ""]) => ({
      event,
      data: JSON.parse(data),
    }));
    const [first, row] = events;
    expect(first?.event).to.equal("unread");
    expect(row).to.deep.include({ event: "notification" });
    expect(row?.data).to.deep.include({ event_type: "automation.notify", entity_type: "task", actor_name: null, read_at: null });
    expect(row?.data.payload.message).to.equal("Een taak met spoed is afgerond.");
    expect(answersOf(printed[2] as string).at(-1).updated).to.equal(first?.data.count + 1);
  });

  it("notifies a room of a task assigned to a colleague", () => {
    expect(printed[3]).to.contain('{"ok":true,"error":null}');
    // Arrivals are on one line, the test's message first.
    expect(printed[3]).to.match(/^\{.*Femke de Wit gaf je de taak ‘Zeil strijken’/m);
  });

  it("has a key that does what its scopes say, and no more", () => {
    const [companies, me, refused] = answersOf(printed[5] as string);
    expect(companies.items).to.have.length(1);
    expect(me.permissions).to.have.members(["companies.company.read", "tasks.task.read"]);
    expect(refused.error.code).to.equal("forbidden");
  });

  it("has a service account write under its own name", () => {
    const [company] = answersOf(printed[6] as string);
    expect(company).to.include({ name: "Mastenmaker Spar" });
  });

  it("has an MCP client list tools, search, and call", () => {
    const [list, search, found] = answersOf(printed[7] as string).map(({ result }) => result);
    const tools = ["find_client", "my_tasks", "search_tools", "read_tool", "call_tool"];
    expect(list.tools.map(({ name }: { name: string }) => name)).to.have.members(tools);
    expect(JSON.parse(search.content[0].text).operations).to.have.length.above(0);
    expect(JSON.parse(found.content[1].text).items[0].name).to.match(/bakkerij/i);
    expect(printed[7]).to.match(/^find_client my_tasks search_tools read_tool call_tool$/m);
    expect(printed[7]).to.match(/^\{"items": ?\[\{.*"limit": ?1/m);
  });

  it("has an app registered, consented to, and shown among the connected ones", () => {
    const companies = answersOf(printed[8] as string).find(({ items }) => items);
    expect(companies?.items).to.have.length(1);
    expect(printed[8]).to.match(/^\[\{.*"client_name": ?"My app"/m);
  });

  it("has a provider set, and asked whether it is there", () => {
    expect(printed[9]).to.contain("/api/v1/auth/oidc/callback");
    const [settings, tested] = answersOf(printed[9] as string);
    expect(settings).to.include({ enabled: true, name: "Keycloak", tested: false });
    expect(tested).to.include({ ok: false });
  });

  it("notifies a receiver of ten lines of a new client, and shows the deliveries", () => {
    const receiver = blocks.find((block) => block.includes("receiver.mjs"));
    expect(
      /<<'END'\n([\s\S]*?)^END$/m
        .exec(receiver ?? "")?.[1]
        ?.trimEnd()
        .split("\n"),
    ).to.have.length(10);
    expect(printed[4]).to.match(/^company\.created \{[\s\S]*title: 'Touwslagerij Kabel'/m);
    const said = answersOf(printed[4] as string);
    const company = said.find(({ name }) => name === "Touwslagerij Kabel");
    const [delivery] = said.at(-1).items;
    expect(delivery).to.include({ event: "company.created", entity_id: company.id });
    expect(["pending", "delivered"]).to.include(delivery.status);
  });
});
