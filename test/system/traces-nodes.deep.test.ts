import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { above, newParent } from "../api/traces/traced.ts";
import { Collector } from "../simulators/otlp.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";

const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

describe("a trace over two nodes", function () {
  this.timeout(600_000);
  const collector = new Collector();
  let database: TestDatabase;
  let sql: pg.Client;
  let nats: Spawned;
  let nodes: [gateway: Spawned, whole: Spawned];
  let key: string;

  const call = (method: string, path: string, traceparent: string, body?: unknown) =>
    send(nodes[0].port as number, method, path, { host: "agency.kantoor.test", key, body, headers: { traceparent } });

  before(async function () {
    requireNats(this);
    await collector.start();
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    const { id } = await createOrganisation(sql, { slug: "agency", name: "An agency" });
    const { accountId } = await createMember(sql, id, { email: "owner@agency.test", fullName: "Owner", role: "owner" });
    ({ value: key } = await createKey(sql, id, "kt", { name: "a key", scopes: everything, accountId }));
    nats = await startNats();
    const start = (name: string, ...words: string[]) => {
      // Spans that a node has when it stops are sent by its stop: none is due before.
      const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin, OTEL_BSP_SCHEDULE_DELAY: "3600000" };
      return launchService({ ...nodeSettings(database, nats), ...traces, SERVICE_NODE_ID: name }, words);
    };
    nodes = await Promise.all([start("gateway", "--actors", "api"), start("whole")]);
    const unrecorded = newParent(false).traceparent;
    await until(async () => (await call("GET", "/companies?limit=1", unrecorded)).status === 200, 240_000);
  });
  after(async () => {
    await Promise.all((nodes ?? []).map((node) => node.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
    await collector.stop();
  });

  it("has the call on both of them, and arrives when they stop", async () => {
    const { traceId, spanId, traceparent } = newParent();
    const made = await call("POST", "/companies", traceparent, { name: "Over the wire" });
    expect(made.status, made.text).to.equal(201);
    expect(await Promise.all(nodes.map((node) => node.stop()))).to.deep.equal([0, 0]);
    expect(collector.complaints).to.deep.equal([]);
    const spans = collector.trace(traceId);
    const calls = spans
      .filter(({ name }) => name === "companies.create")
      .map((span) => [span.resource["service.instance.id"], span.kind, ...above(spans, span)]);
    const request = ["POST /api/v1/companies", spanId];
    expect(calls.toSorted()).to.deep.equal([
      ["gateway", "client", ...request],
      ["whole", "server", "companies.create", ...request],
    ]);
    const inserted = spans.find(({ attributes }) => /insert into companies/i.test(String(attributes["db.query.text"])));
    expect(inserted && [inserted.resource["service.instance.id"], ...above(spans, inserted)]).to.deep.equal([
      "whole",
      "companies.create",
      "companies.create",
      ...request,
    ]);
  });
});
