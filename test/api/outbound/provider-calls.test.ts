import { expect } from "chai";
import { ServiceBroker, TracerExporters } from "moleculer";
import { query } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { isApiError } from "../../../core/errors/errors.ts";
import { JobFailure } from "../../../core/errors/job-failure.ts";
import { forgetBreakerStates, troubles } from "../../../core/outbound/provider/circuit.ts";
import { type ProviderCall, ProviderFailure } from "../../../core/outbound/provider/provider.ts";
import { inJob } from "../../../core/outbound/provider/retry-context.ts";
import { type CallTrace, onCall } from "../../../core/outbound/trace.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { counted } from "../../../core/request/statement-count.ts";
import { answer, Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { outboundMiddleware } from "../../../mixins/outbound.ts";
import { service } from "../../../mixins/resource.ts";
import { Company } from "../../../services/clients/models.ts";
import type { KeyedWrites } from "../../simulators/keyed-writes.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { endsBefore } from "../../support/effort.ts";
import { until } from "../../support/jobs.ts";
import { startService, type TestService } from "../../support/service.ts";
import { describeProvider, failureOf, PATIENT, READ, SECRET, simulator, write } from "./provider-support.ts";

oneProcess("looks inside the node");

const COMPANIES = statement("select id from companies where organisation_id = $1");

describe("a call to a provider", () => {
  let running: TestService;
  const traces: CallTrace[] = [];
  let client: ReturnType<typeof describeProvider>;
  const held = service("outboundproof", {
    actions: {
      inside: openAction({
        rest: "POST /outboundproof",
        summary: "Calls a provider inside a write",
        open: "a test",
        returns: answer("OutboundProof", { message: Type.String() }),
        async handler() {
          await queueInsert(Company, { name: "Pending" });
          const error = await client.call(READ).catch((thrown: Error) => thrown);
          return { message: (error as Error).message };
        },
      }),
      before: openAction({
        rest: "POST /outboundproof/before",
        summary: "Calls a provider before a write",
        open: "a test",
        returns: answer("OutboundProofBefore", { rows: Type.Integer() }),
        async prepare() {
          await query(COMPANIES, [request().organisation.id]);
          return (await client.call(READ)).json();
        },
        async handler() {
          await queueInsert(Company, { name: "Written" });
          return prepared<{ rows: number }>();
        },
      }),
    },
  });
  before(async () => {
    await simulator.start();
    // One connection: a call that occupied it during its wait would block every other caller.
    running = await startService({ SERVICE_DATABASE_POOL: "1" }, [held]);
    onCall((trace) => traces.push(trace));
  });
  beforeEach(() => {
    simulator.reset();
    forgetBreakerStates();
    traces.length = 0;
    client = describeProvider();
  });
  after(async () => {
    await running.stop();
    await simulator.stop();
  });
  it("returns the answer with any status, except 429 and 5xx", async () => {
    expect((await client.call(READ)).json()).to.deep.equal({ rows: 0 });
    const missing = await client.call({ ...READ, path: "/missing" });
    expect([missing.status, missing.json()]).to.deep.equal([404, { error: "missing" }]);
    expect(simulator.received).to.have.length(2);
  });

  it("sends path, query, headers and JSON as given, and nothing of the caller", async () => {
    await client.call({ ...write("k"), query: { a: "1 2" } }).catch(() => {});
    const [{ method, path, query, headers, body } = expect.fail("nothing came")] = simulator.received;
    expect([method, path, query.get("a"), body]).to.deep.equal(["POST", "/writes", "1 2", '{"name":"x"}']);
    expect(Object.keys(headers).toSorted()).to.deep.equal([
      "accept",
      "accept-encoding",
      "connection",
      "content-length",
      "content-type",
      "host",
      "idempotency-key",
      "user-agent",
    ]);
  });

  it("is made again once, at once, when a read fails inside a request", async () => {
    for (const fault of [{ kind: "drop" }, { kind: "reset" }, { kind: "reply", status: 502 }] as const) {
      simulator.fail(fault);
      expect((await client.call(READ)).status).to.equal(200);
    }
    expect(simulator.received).to.have.length(6);
    simulator.fail({ kind: "reply", status: 500 }, { kind: "reply", status: 503 });
    expect(await failureOf(client.call(READ))).to.include({ kind: "failed", status: 503 });
    expect(simulator.received).to.have.length(8);
  });

  it("is not made again when it creates, however its answer was lost", async () => {
    simulator.fail({ kind: "lose" });
    expect(await failureOf(client.call(write()))).to.include({ kind: "unreachable", status: null });
    expect([simulator.received.length, simulator.rows.length]).to.deep.equal([1, 1]);
    simulator.fail({ kind: "reply", status: 503 });
    await failureOf(inJob(() => client.call(write())));
    expect(simulator.received).to.have.length(2);
  });

  it("is made again under the same idempotency key, and writes once", async () => {
    simulator.fail({ kind: "lose" });
    expect((await client.call(write("k1"))).json()).to.deep.equal({ id: "1", name: "x" });
    expect([...simulator.writes]).to.deep.equal([["k1", 1]]);
    expect(simulator.calls.get("k1")).to.equal(2);
  });

  it("is repeated if a repeat changes nothing more", async () => {
    simulator.fail({ kind: "drop" });
    const patch: ProviderCall = { ...READ, method: "PATCH", json: {}, effect: "idempotent" };
    expect((await client.call(patch)).json()).to.deep.equal({ patched: true });
    simulator.fail({ kind: "drop" });
    await failureOf(client.call({ ...patch, effect: "create" }));
    expect(simulator.received).to.have.length(3);
  });

  it("is not made again at all where its provider says so", async () => {
    const once = describeProvider({ repeats: false });
    simulator.fail({ kind: "drop" });
    await failureOf(once.call(READ));
    simulator.fail({ kind: "drop" });
    await failureOf(inJob(() => once.call(READ)));
    expect(simulator.received).to.have.length(2);
  });

  it("waits and is made again inside a job, not sooner than Retry-After, also after 429", async () => {
    simulator.fail({ kind: "reply", status: 429, headers: { "Retry-After": "1" } }, { kind: "drop" });
    const began = performance.now();
    expect((await inJob(() => client.call(READ))).status).to.equal(200);
    expect(performance.now() - began).to.be.at.least(2000);
    expect(traces.map(({ attempt, status, failure }) => [attempt, status, failure])).to.deep.equal([
      [1, 429, "limited"],
      [2, null, "unreachable"],
      [3, 200, null],
    ]);
  });

  it("ends a job's run when the provider asks for more than 60 seconds", async () => {
    simulator.fail({ kind: "reply", status: 429, headers: { "Retry-After": "61" } });
    const failure = await failureOf(inJob(() => client.call(READ)));
    expect(failure).to.include({ kind: "limited", status: 429, retryAfter: 61 });
    expect(failure.forJob()).to.be.instanceOf(JobFailure).and.include({ retryAfter: 61_000 });
    expect(simulator.received).to.have.length(1);
  });

  it("stops waiting when the job's time is over", async () => {
    simulator.fail({ kind: "reply", status: 503, headers: { "Retry-After": "50" } });
    await endsBefore(20_000, failureOf(inJob(() => client.call(READ), AbortSignal.timeout(300))));
  });

  it("reports a 429 inside a request at once, with the seconds to wait, as date or number", async () => {
    for (const header of [() => "45", () => new Date(Date.now() + 45_000).toUTCString()]) {
      simulator.fail({ kind: "reply", status: 429, headers: { "Retry-After": header() }, body: "slow down" });
      const failure = await failureOf(client.call(READ));
      expect(failure.kind).to.equal("limited");
      expect(failure.retryAfter).to.be.within(44, 45);
      const refusal = failure.refusal({ unreachable: "unavailable", failed: "server_error" });
      expect(isApiError(refusal) && [refusal.code, refusal.type, refusal.data]).to.deep.equal([
        500,
        "server_error",
        { details: { retry_after_seconds: failure.retryAfter } },
      ]);
    }
    simulator.fail({ kind: "reply", status: 429 });
    const failure = await failureOf(client.call(READ));
    expect(failure.retryAfter).to.equal(null);
    expect(failure.refusal({ unreachable: "unavailable", failed: "server_error" }).data).to.deep.equal({});
    expect(simulator.received).to.have.length(3);
  });

  it("is 'unreachable' without an answer, and 'failed' with one", async () => {
    const codes = { unreachable: "unavailable", failed: "server_error" };
    simulator.fail({ kind: "drop" }, { kind: "drop" });
    expect((await failureOf(client.call(READ))).refusal(codes).type).to.equal("unavailable");
    simulator.fail({ kind: "reply", status: 500 }, { kind: "reply", status: 500 });
    expect((await failureOf(client.call(READ))).refusal(codes).type).to.equal("server_error");
  });

  const kinds: [fault: Parameters<KeyedWrites["fail"]>[0], kind: string][] = [
    [{ kind: "hang" }, "timeout"],
    [{ kind: "drip", ms: 2000 }, "timeout"],
    [{ kind: "truncate" }, "unreachable"],
    [{ kind: "flood" }, "too_large"],
    [{ kind: "bomb", bytes: 20 << 20 }, "too_large"],
    [{ kind: "garbage" }, "garbage"],
  ];
  for (const [fault, kind] of kinds)
    it(`ends as '${kind}' when the provider is to '${fault.kind}'`, async () => {
      simulator.fail(fault, fault);
      expect((await endsBefore(20_000, failureOf(client.call(READ)))).kind).to.equal(kind);
    });

  it("is 'garbage' if the expected JSON is invalid, and keeps the beginning of it", async () => {
    const got = await client.call({ ...READ, path: "/text" });
    expect(() => got.json()).to.throw(ProviderFailure, "HTTP 200, but no JSON: no JSON");
    expect(got.text()).to.equal("no JSON");
  });

  it("keeps 500 characters of the provider's words, without secrets and query strings", async () => {
    const body = `token ${SECRET} is wrong, see https://api.example/x?key=${SECRET} ${"x".repeat(1000)}`;
    simulator.fail({ kind: "reply", status: 500, body }, { kind: "reply", status: 500, body });
    const { text, message, answer: said } = await failureOf(client.call(READ));
    expect(text).to.match(/^HTTP 500: token \*\*\* is wrong, see https:\/\/api\.example\/x\?\*\*\* x+…$/);
    expect([text.length, message]).to.deep.equal([500, text]);
    expect(said?.body.toString()).to.equal(body);
  });

  it("is refused inside an open transaction, and nothing is sent", async () => {
    const { owner } = await running.tenant();
    const { status, body } = await owner.post("/outboundproof", undefined);
    expect([status, body.message]).to.deep.equal([201, `'${client.kind}' was called inside an open transaction`]);
    expect(simulator.received).to.deep.equal([]);
  });

  it("waits without a database connection before a write, also under an Idempotency-Key", async () => {
    const { owner } = await running.tenant();
    client = describeProvider(PATIENT);
    let answer: (value?: unknown) => void = () => {};
    simulator.fail({ kind: "wait", until: new Promise((resolve) => (answer = resolve)) });
    const slow = owner.post("/outboundproof/before", undefined, { headers: { "Idempotency-Key": "slow" } });
    while (simulator.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await owner.get("/companies")).body.total, "while the provider has not answered").to.equal(0);
    answer();
    expect((await slow).body).to.deep.equal({ rows: 0 });
    expect((await owner.get("/companies")).body.total).to.equal(1);
    const again = await owner.post("/outboundproof/before", undefined, { headers: { "Idempotency-Key": "slow" } });
    expect([again.body, again.headers["idempotent-replayed"]]).to.deep.equal([{ rows: 0 }, "true"]);
    expect(simulator.received).to.have.length(1);
  });

  it("is traced with request id, duration and status, without address, header or body", async () => {
    const { owner } = await running.tenant();
    simulator.fail({ kind: "delay", ms: 60 });
    await inJob(() => client.call({ ...READ, query: { secret: SECRET } }), undefined, "req-1");
    expect(traces).to.have.length(1);
    const [{ began, milliseconds, ...rest } = expect.fail("no trace")] = traces;
    expect(rest).to.deep.equal({
      provider: client.kind,
      account: "a",
      operation: "rows.list",
      method: "GET",
      requestId: "req-1",
      attempt: 1,
      status: 200,
      failure: null,
    });
    expect([began <= Date.now(), milliseconds >= 55]).to.deep.equal([true, true]);
    traces.length = 0;
    await owner.get("/addresslookup?postal_code=3511AB&house_number=1");
    expect(traces.map(({ provider: name, requestId }) => [name, typeof requestId])).to.deep.equal([["address", "string"]]);
  });

  it("is a log line, a metric and a span of its node", async () => {
    const lines: unknown[][] = [];
    const spans: unknown[] = [];
    class Kept extends TracerExporters.Base {
      override init() {}
      override spanFinished(span: { name: string; tags: object }) {
        spans.push([span.name, span.tags]);
      }
    }
    const broker = new ServiceBroker({
      nodeID: "traced",
      logger: false,
      metrics: true,
      tracing: { enabled: true, exporter: new Kept({}) as never },
      middlewares: [outboundMiddleware()],
    });
    (broker as unknown as { getLogger: unknown }).getLogger = () => ({ debug: (...line: unknown[]) => lines.push(line) });
    await broker.start();
    await client.call(READ);
    const metric = broker.metrics.getMetric("kantoor.provider.duration.seconds")?.snapshot()[0] as {
      count: number;
      labels: object;
    };
    expect(metric).to.deep.include({ count: 1, labels: { provider: client.kind, operation: "rows.list", outcome: "200" } });
    expect(spans).to.have.length(1);
    await broker.stop();
  });

  it("costs no statement while all is well", async () => {
    await client.call(READ);
    const tally = { statements: 0 };
    for (let n = 0; n < 10; n++) await counted(tally, () => client.call(READ));
    expect(tally.statements).to.equal(0);
  });

  it("continues while the database is away", async () => {
    await running.sql.query("alter table provider_troubles rename to provider_troubles_away");
    try {
      forgetBreakerStates();
      simulator.fail({ kind: "drop" });
      expect((await client.call(READ)).status).to.equal(200);
    } finally {
      await running.sql.query("alter table provider_troubles_away rename to provider_troubles");
    }
  });

  it("believes nothing that the database did not say: the next answer clears a trouble it could not be asked about", async () => {
    client = describeProvider(PATIENT);
    const heal = simulator.failWhen(() => true, { kind: "reply", status: 500 });
    for (let n = 0; n < 2; n++) await failureOf(client.call(READ));
    heal();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    simulator.fail({ kind: "wait", until: answered });
    await running.sql.query("alter table provider_troubles rename to provider_troubles_away");
    forgetBreakerStates();
    const before = simulator.received.length;
    const call = client.call(READ);
    await until(async () => simulator.received.length > before).finally(() =>
      running.sql.query("alter table provider_troubles_away rename to provider_troubles"),
    );
    answer();
    expect((await call).status).to.equal(200);
    expect((await troubles()).filter(({ provider: kind }) => kind === client.kind)).to.deep.equal([]);
  });
});
