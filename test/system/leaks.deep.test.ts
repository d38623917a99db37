import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { type Call, send } from "../support/http.ts";
import { fileBody } from "../support/multipart.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, MEASURABLE, measured, type Spawned } from "../support/process.ts";

const HOST = "agency.kantoor.test";
/** Rounds before the first reading: caches fill, and the engine compiles what runs often. */
const WARM = Number(process.env["LEAK_WARM"] ?? 8);
/** Rounds that are measured; an hour has about 300. */
const ROUNDS = Number(process.env["LEAK_ROUNDS"] ?? 20);
/** Readings at either end, of which the median counts. */
const READINGS = 3;
/** Most that the heap may grow between them. */
const GROWTH = 0.05;
/** How long a node keeps what it keeps for a moment: sockets, and timers of calls. */
const SETTLING = 12_000;
/** Longest wait for its pools to close idle connections, which they keep for a minute. */
const POOLED = 90_000;

const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
const median = (values: readonly number[]) =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] as number;

describe("a node that serves for long", function () {
  this.timeout(2 * 3_600_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let node: Spawned;
  let key: string;
  /** Every path that can be read without an id. */
  let lists: string[];

  const call = (method: string, target: string, options: Call = {}) =>
    send(node.port as number, method, target, { host: HOST, key, ...options });

  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    const { id } = await createOrganisation(sql, { slug: "agency", name: "An agency" });
    const { accountId } = await createMember(sql, id, { email: "owner@agency.test", fullName: "Owner", role: "owner" });
    ({ value: key } = await createKey(sql, id, "kt", { name: "a key", scopes: everything, accountId }));
    node = await launchService(nodeSettings(database), [], { flags: MEASURABLE });
    const { body } = await call("GET", "//api/openapi.json");
    lists = Object.entries<object>(body.paths)
      .filter(([path, methods]) => "get" in methods && !path.includes("{"))
      .map(([path]) => path.replace(/^\/api\/v1/, ""))
      .filter((path) => path.startsWith("/") && !path.startsWith("/api/"));
  });
  after(async () => {
    await node?.stop();
    await sql?.end();
    await database?.drop();
  });

  /** Creates a client with a contact, a task, hours and an invoice that is issued and printed, and removes what can be removed. */
  async function work(name: string) {
    const made = async (target: string, body: object) => (await call("POST", target, { body })).body;
    const { id: company_id } = await made("/companies", { name });
    const contact = await made("/contacts", { company_id, first_name: "Ada", last_name: name });
    const task = await made("/tasks", { title: name, company_id });
    await call("PATCH", `/tasks/${task.id}`, { body: { description: "Changed" } });
    const entry = await made("/time/entries", { company_id, started_at: "2026-03-02T09:00:00Z", minutes: 30, description: name });
    await call("PATCH", `/companies/${company_id}`, { body: { name: "" } });
    for (const path of [`/time/entries/${entry.id}`, `/tasks/${task.id}`, `/contacts/${contact.id}`, `/companies/${company_id}`])
      await call("DELETE", path);
  }

  /** A caller that goes away in the middle of its body, and one that leaves an event stream. */
  async function leave() {
    const options = { port: node.port, host: "127.0.0.1", agent: false, headers: { Host: HOST, "X-API-Key": key } };
    const upload = http.request({
      ...options,
      method: "POST",
      path: "/api/v1/companies",
      headers: { ...options.headers, "Content-Length": "900" },
    });
    upload.on("error", () => {}).write('{"name":');
    const stream = http.get({ ...options, path: "/api/v1/notifications/stream" }).on("error", () => {});
    await delay(50);
    upload.destroy();
    stream.destroy();
  }

  async function round(number: number) {
    for (const list of lists) await call("GET", list);
    for (let turn = 0; turn < 5; turn++) await work(`Client ${number}-${turn}`);
    const { body, headers } = fileBody("name\n", "text/csv", "clients.csv");
    await call("POST", "/impex/company?dry_run=true", { body, headers });
    for (const format of ["csv", "xlsx"]) await call("GET", `/impex/company?format=${format}`);
    await leave();
    await call("GET", "/companies", { key: "kt_unknown" });
    await call("GET", "/no/such/path");
  }

  it(`keeps neither heap, sockets, timers nor listeners over ${ROUNDS} rounds of everything`, async () => {
    const heaps: number[] = [];
    for (let number = 0; number < WARM; number++) await round(number);
    await delay(SETTLING);
    const { held: heldBefore } = await measured(node);
    for (let number = 0; number < ROUNDS; number++) {
      await round(WARM + number);
      heaps.push((await measured(node)).heap);
    }
    let { held: heldAfter } = await measured(node);
    const more = () => Object.entries(heldAfter).filter(([kind, count]) => count > (heldBefore[kind] ?? 0) + 2);
    for (const end = Date.now() + POOLED; more().length > 0 && Date.now() < end; await delay(1_000))
      ({ held: heldAfter } = await measured(node));
    const [first, last] = [median(heaps.slice(0, READINGS)), median(heaps.slice(-READINGS))];
    process.stdout.write(`    ${lists.length} lists; KiB after each round: ${heaps.join(" ")}\n`);
    process.stdout.write(`    ${JSON.stringify(heldBefore)}\n    ${JSON.stringify(heldAfter)}\n`);
    expect(last).to.be.at.most(first * (1 + GROWTH));
    expect(more()).to.deep.equal([]);
  });
});
