import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { expect } from "chai";
import type { Middleware } from "moleculer";
import { readConfig } from "../../../core/config/config.ts";
import { timed } from "../../../core/database/connection/slow-statements.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inSpan, traceBy, traceHeaders, tracing } from "../../../core/tracing/tracing.ts";
import { brokerOptions } from "../../../operator/node.ts";
import { exportSpans } from "../../../operator/traces/export.ts";
import { Recorder } from "../../../operator/traces/recorder.ts";
import { withVariables } from "../../api/traces/traced.ts";
import { Collector } from "../../simulators/otlp.ts";
import { until } from "../../support/jobs.ts";

const REQUEST = { name: "GET", kind: "server", isEntry: true } as const;
const JOB = { name: "process a job", kind: "consumer", isEntry: true } as const;
const [TRACE, SPAN] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a process without traces", () => {
  it("wraps no action for them, and has no recorder", () => {
    const names = (environment: Record<string, string>) =>
      (brokerOptions(readConfig(environment)).middlewares as Middleware[]).map(({ name }) => name);
    const plain = names({});
    expect(plain).to.not.include("Traces");
    expect(names({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" })).to.deep.equal([...plain, "Traces"]);
    expect(tracing).to.equal(null);
  });

  it("sends statements and calls as they are", async () => {
    const sent = Promise.resolve("rows");
    expect(timed([[statement("select 1"), []]], () => sent)).to.equal(sent);
    expect(inSpan({ name: "a call" }, () => sent)).to.equal(sent);
    expect(traceHeaders()).to.deep.equal({});
  });
});

describe("the recorder of spans", () => {
  let kept: InMemorySpanExporter;
  let recorder: Recorder;
  let stop: () => void;
  beforeEach(() => {
    kept = new InMemorySpanExporter();
    recorder = new Recorder(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(kept)] }).getTracer("test"));
    stop = traceBy(recorder);
  });
  afterEach(() => stop());

  /** Each finished span as `name < parent`, with `~` before the spans it is linked to. */
  const recorded = () => {
    const spans = kept.getFinishedSpans();
    const named = (id: string | undefined) => spans.find((span) => span.spanContext().spanId === id)?.name ?? id ?? "none";
    return spans.map(({ name, parentSpanContext, links }) =>
      [`${name} < ${named(parentSpanContext?.spanId)}`, ...links.map(({ context }) => `~${named(context.spanId)}`)].join(" "),
    );
  };

  it("nests what runs in a request, and records nothing outside of one", async () => {
    await inSpan({ name: "nothing around" }, tick);
    await recorder.run(REQUEST, async () => {
      await Promise.all([inSpan({ name: "one" }, tick), inSpan({ name: "two" }, () => inSpan({ name: "inner" }, tick))]);
    });
    expect(recorded().toSorted()).to.deep.equal(["GET < none", "inner < two", "one < GET", "two < GET"]);
    expect(recorder.traceparent()).to.equal(null);
  });

  it("continues a remote trace, and gives its own place in it to what follows", async () => {
    let passedOn = "";
    await recorder.run({ ...REQUEST, parent: `00-${TRACE}-${SPAN}-01` }, async () => {
      passedOn = traceHeaders()["traceparent"] ?? "";
    });
    const [span] = kept.getFinishedSpans();
    expect(passedOn).to.equal(`00-${TRACE}-${span?.spanContext().spanId}-01`);
    expect(recorded()).to.deep.equal([`GET < ${SPAN}`]);
  });

  it("puts a row's span into the trace of the row, linked to the job of another trace", async () => {
    let trace = "";
    await recorder.run(JOB, async () => {
      trace = recorder.traceparent() ?? "";
      await inSpan({ name: "of this trace", parent: trace }, tick);
      await inSpan({ name: "of another", parent: `00-${TRACE}-${SPAN}-01` }, tick);
      await inSpan({ name: "of none", parent: null }, tick);
    });
    expect(recorded()).to.deep.equal([
      "of this trace < process a job",
      `of another < ${SPAN} ~process a job`,
      "of none < process a job",
      "process a job < none",
    ]);
  });

  it("begins a new trace for a job, whatever runs around it", async () => {
    await recorder.run(REQUEST, () => recorder.run(JOB, tick));
    expect(recorded()).to.deep.equal(["process a job < none ~GET", "GET < none"]);
  });

  it("marks a moment, which what follows from it continues", async () => {
    let mark: string | null = null;
    await recorder.run(REQUEST, async () => {
      mark = recorder.mark({ name: "send outbox", kind: "producer" });
    });
    await recorder.run({ ...JOB, parent: mark }, tick);
    expect(recorded()).to.deep.equal(["send outbox < GET", "GET < none", "process a job < send outbox"]);
    expect(recorder.mark({ name: "outside" })).to.equal(null);
  });

  it("passes on a trace that is not recorded", async () => {
    const seen: (string | null)[] = [];
    await recorder.run({ ...REQUEST, parent: `00-${TRACE}-${SPAN}-00` }, async () => {
      seen.push(recorder.traceparent(), recorder.mark({ name: "send outbox" }));
      await inSpan({ name: "inner" }, async () => void seen.push(recorder.traceparent()));
      expect(recorder.isRecording()).to.equal(false);
    });
    expect(new Set(seen).size).to.equal(1);
    expect(seen[0]).to.match(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect(recorded()).to.deep.equal([]);
  });

  for (const [what, error, type, hasFailed] of [
    ["a refusal", invalid({ name: "errors.required" }), "validation", false],
    ["an SQLSTATE", Object.assign(new Error("Key (name)=(hidden) exists"), { code: "23505" }), "23505", true],
    ["the class of another error", new TypeError("hidden"), "TypeError", true],
  ] as const)
    it(`has ${what}, never a message`, async () => {
      const failure = await recorder.run(REQUEST, () => Promise.reject(error)).catch((caught: unknown) => caught);
      expect(failure).to.equal(error);
      const [span] = kept.getFinishedSpans();
      expect([span?.attributes, span?.status, span?.events]).to.deep.equal([
        { "error.type": type },
        { code: hasFailed ? 2 : 0 },
        [],
      ]);
    });

  it("has the texts of statements, without those that frame a transaction", async () => {
    const bound = (text: string, ...values: unknown[]) => [statement(text), values] as const;
    const enter = bound("select set_config('app.organisation_id', $1::uuid::text, true)", "hidden");
    await recorder.run(REQUEST, async () => {
      await timed([bound("begin"), enter, bound("insert into a values ($1)", "hidden")], tick);
      await timed([bound("insert into a values ($1)", "hidden"), bound("insert into b values ($1)", "hidden")], tick);
      await timed([bound("select 1"), bound("update b set c = $1", "hidden"), bound("commit")], tick);
      await timed([bound("commit")], tick);
    });
    const spans = kept.getFinishedSpans().slice(0, -1);
    expect(spans.map(({ name, attributes }) => [name, attributes["db.query.text"]])).to.deep.equal([
      ["INSERT", "insert into a values ($1)"],
      ["BATCH INSERT", "insert into a values ($1);\ninsert into b values ($1)"],
      ["BATCH", "select 1;\nupdate b set c = $1"],
      ["COMMIT", "commit"],
    ]);
    expect(JSON.stringify(spans.map(({ attributes }) => attributes))).to.not.include("hidden");
  });
});

describe("the export of spans", () => {
  const collector = new Collector();
  let restore: () => void;
  before(() => collector.start());
  after(() => collector.stop());
  beforeEach(() => {
    // Without the limit of a stop, a collector that hangs would hold this test up for ten minutes.
    const endless = { OTEL_EXPORTER_OTLP_TIMEOUT: "600000", OTEL_BSP_EXPORT_TIMEOUT: "600000" };
    restore = withVariables({ OTEL_BSP_SCHEDULE_DELAY: "5", OTEL_SERVICE_NAME: "agency", ...endless });
  });
  afterEach(() => {
    restore();
    collector.reset();
  });

  const start = () => {
    const failures: string[] = [];
    const facts = { nodeId: "node-1", version: "1.2.3", environment: "production" };
    return { failures, ...exportSpans(collector.origin, facts, ({ message }) => failures.push(message)) };
  };

  it("names the service, its version and the node", async () => {
    const { recorder, end } = start();
    await recorder.run(REQUEST, tick);
    await end();
    expect(collector.complaints).to.deep.equal([]);
    expect(collector.spans.at(-1)?.resource).to.include({
      "service.name": "agency",
      "service.version": "1.2.3",
      "service.instance.id": "node-1",
      "deployment.environment.name": "production",
    });
  });

  it("reports an outage once, and the next one again", async () => {
    const { recorder, end, failures } = start();
    const exported = async (howMany: number) => {
      for (let sent = collector.received.length, wanted = sent + howMany; sent < wanted; sent = collector.received.length) {
        await recorder.run(REQUEST, tick);
        await until(async () => collector.received.length > sent);
      }
    };
    let heal = collector.failWhen(() => true, { kind: "reply", status: 400 });
    await exported(3);
    expect(failures.length).to.equal(1);
    heal();
    await exported(2);
    heal = collector.failWhen(() => true, { kind: "reply", status: 400 });
    await exported(3);
    heal();
    await end();
    expect(failures.length).to.equal(2);
  });

  it("ends although the collector does not answer", async () => {
    collector.failWhen(() => true, { kind: "hang" });
    const { recorder, end } = start();
    await recorder.run(REQUEST, tick);
    await end();
  });
});
