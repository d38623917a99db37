import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { type Answer, send } from "../test/support/http.ts";
import { launchService } from "../test/support/process.ts";
import { companyRows } from "./companies.ts";
import { measuredService } from "./sides.ts";

/** Measures the extra cost of a tool call over the same call by HTTP, one after another, taking turns. */
const HOST = "agency.bench.test";
const WARM_UP = 500;
const TURNS = 3000;
const ACCEPT = { Accept: "application/json, text/event-stream" };
/** The revision without a handshake: the fields of its messages, and their headers. */
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
const database = await startEmbedded({ dataDir });
const service = await launchService(measuredService(database.url("application"), database.url("owner")));
const port = service.port as number;

async function fill(): Promise<{ key: string; company: string }> {
  const owner = new pg.Client({ connectionString: database.url("owner") });
  await owner.connect();
  const { id } = await createOrganisation(owner, { slug: "agency", name: "An agency" });
  const { accountId } = await createMember(owner, id, {
    email: "owner@agency.test",
    fullName: "Owner",
    role: "owner",
    password: null,
  });
  const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
  const key = await createKey(owner, id, "kt", { name: "bench", scopes, accountId });
  const made = await owner.query(
    `insert into companies (id, organisation_id, name, created_at) select uuidv7(), $1, c.name, c.created_at from (${companyRows("1000")}) c
     returning id`,
    [id],
  );
  await owner.end();
  return { key: key.value, company: made.rows[0].id };
}

const middle = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;

try {
  const { key, company } = await fill();
  const at = { host: HOST, key };
  const tool = (revision: string, name: string, args: object) => () => {
    const isNew = revision === "2026-07-28";
    const params = { name, arguments: args, ...(isNew && { _meta: META }) };
    const headers = {
      ...ACCEPT,
      "MCP-Protocol-Version": revision,
      ...(isNew && { "Mcp-Method": "tools/call", "Mcp-Name": name }),
    };
    return send(port, "POST", "//mcp", { ...at, headers, body: { jsonrpc: "2.0", id: 1, method: "tools/call", params } });
  };
  const get = (call: string, args: object) => [call, args] as const;
  const pairs = [
    {
      what: "one record",
      http: () => send(port, "GET", `/companies/${company}`, at),
      tool: get("read_tool", { operation: "companiesGet", arguments: { company_id: company } }),
    },
    { what: "ten records", http: () => send(port, "GET", "/companies?limit=10", at), tool: get("find_client", {}) },
    {
      what: "fifty records",
      http: () => send(port, "GET", "/companies?limit=50", at),
      tool: get("read_tool", { operation: "companiesList", arguments: { limit: 50 } }),
    },
  ];
  for (const {
    what,
    http,
    tool: [name, args],
  } of pairs) {
    const sides: { name: string; call: () => Promise<Answer>; times: number[] }[] = [
      { name: "HTTP", call: http, times: [] },
      { name: "2025-11-25", call: tool("2025-11-25", name, args), times: [] },
      { name: "2026-07-28", call: tool("2026-07-28", name, args), times: [] },
    ];
    for (let turn = -WARM_UP; turn < TURNS; turn++)
      for (const { name: side, call, times } of sides) {
        const began = performance.now();
        const { status, body, text } = await call();
        const took = performance.now() - began;
        if (status !== 200 || body.result?.isError || body.error) throw new Error(`${side}: ${status} ${text.slice(0, 500)}`);
        if (turn >= 0) times.push(took);
      }
    const [twin] = sides;
    const base = middle(twin?.times ?? []);
    const shown = sides.map(
      ({ name: side, times }) => `${side} ${middle(times).toFixed(2)} ms (${(middle(times) - base).toFixed(2)} above)`,
    );
    process.stdout.write(`${what}: ${shown.join(", ")}\n`);
  }
} finally {
  await service.stop();
  await database.stop({ force: true });
  await rm(dataDir, { recursive: true, force: true });
}
