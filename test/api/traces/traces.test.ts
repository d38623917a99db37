import { expect } from "chai";
import { tracing } from "../../../core/tracing/tracing.ts";
import { Collector, type ReceivedSpan } from "../../simulators/otlp.ts";
import { WebhookReceiver } from "../../simulators/webhook-receiver.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { above, newParent, withVariables } from "./traced.ts";

const MARKER = "Zwaluwnest";
const POST = "POST /api/v1/companies";

describe("a node with traces", () => {
  const collector = new Collector();
  const receiver = new WebhookReceiver();
  let service: TestService;
  let tenant: Tenant;
  let secret: string;
  let restore: () => void;
  let isStopped = false;

  before(async () => {
    await collector.start();
    await receiver.start();
    restore = withVariables({ OTEL_BSP_SCHEDULE_DELAY: "50", OTEL_RESOURCE_ATTRIBUTES: "service.namespace=agencies" });
    service = await startService({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/`,
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
    });
    tenant = await service.tenant();
    const url = `${receiver.url("/hook")}?token=${MARKER}`;
    const made = await tenant.owner.post("/webhooks/endpoints", { name: "a hook", url, events: ["company.created"] });
    ({ secret } = made.body);
    receiver.trust("/hook", secret);
  });
  after(async () => {
    if (!isStopped) await service?.stop();
    restore?.();
    await receiver.stop();
    await collector.stop();
  });
  afterEach(() => expect([...collector.complaints, ...receiver.complaints]).to.deep.equal([]));

  const create = (traceparent?: string) =>
    tenant.owner.post(
      "/companies",
      { name: `${MARKER} ${Math.random()}`, invoice_email: `${MARKER}@agency.test` },
      { headers: { "X-Request-Id": "r-of-the-test", ...(traceparent !== undefined && { traceparent }) } },
    );
  /** The spans of a trace once it has its request and webhook, and these. */
  const complete = async (traceId: string, ...more: string[]): Promise<ReceivedSpan[]> => {
    const ended = [POST, "POST webhook", ...more];
    await until(async () => ended.every((name) => collector.trace(traceId).some((span) => span.name === name)));
    return collector.trace(traceId);
  };
  const one = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
    const found = spans.filter((span) => span.name === name);
    expect(found.length, `${name} among ${spans.map((span) => span.name).join(", ")}`).to.equal(1);
    return found[0] as ReceivedSpan;
  };

  describe("and a write whose event goes to a webhook", () => {
    const caller = newParent();
    let spans: ReceivedSpan[];
    before(async () => {
      // The first call after a change of settings runs twice, to load the caller again.
      await create(newParent(false).traceparent);
      // Until its job begins, further deliveries share it.
      await until(async () => receiver.received.length > 0);
      expect((await create(caller.traceparent)).status).to.equal(201);
      spans = await complete(caller.traceId, "process webhooks.deliver");
    });

    it("continues the caller's trace from the request over action, outbox and job to the webhook", () => {
      const request = [POST, caller.spanId];
      const action = ["companies.create", ...request];
      expect(above(spans, one(spans, POST))).to.deep.equal([caller.spanId]);
      expect(above(spans, one(spans, "companies.create"))).to.deep.equal(request);
      expect(above(spans, one(spans, "send outbox"))).to.deep.equal(action);
      expect(above(spans, one(spans, "process webhooks.deliver"))).to.deep.equal(action);
      expect(above(spans, one(spans, "POST webhook"))).to.deep.equal(["process webhooks.deliver", ...action]);
      expect(["server", "internal", "producer", "consumer", "client"]).to.deep.equal(
        [POST, "companies.create", "send outbox", "process webhooks.deliver", "POST webhook"].map(
          (name) => one(spans, name).kind,
        ),
      );
    });

    it("has the SQL of the action and of the job, with texts and without values", () => {
      const sql = spans.filter(({ attributes }) => attributes["db.system.name"] === "postgresql");
      const written = sql.find(({ attributes }) => /insert into companies/i.test(String(attributes["db.query.text"])));
      expect(written && above(spans, written)[0]).to.equal("companies.create");
      expect(written?.attributes["db.query.text"]).to.match(/\$1/);
      const delivered = sql.filter((span) => above(spans, span)[0] === "process webhooks.deliver");
      expect(delivered.length).to.be.greaterThan(1);
      expect(sql.filter(({ name }) => !/^(BATCH )?[A-Z]+$/.test(name))).to.deep.equal([]);
    });

    it("names route, action, status, organisation and request", () => {
      const id = tenant.organisation.id;
      expect(one(spans, POST).attributes).to.deep.equal({
        "http.request.method": "POST",
        "http.route": "/api/v1/companies",
        "http.response.status_code": 201,
        "kantoor.action": "companies.create",
        "kantoor.organisation.id": id,
        "kantoor.request.id": "r-of-the-test",
      });
      for (const name of ["companies.create", "process webhooks.deliver", "POST webhook"])
        expect(one(spans, name).attributes["kantoor.organisation.id"], name).to.equal(id);
      expect(one(spans, POST).resource).to.include({ "service.name": "kantoor", "service.namespace": "agencies" });
      expect(one(spans, POST).resource["service.instance.id"]).to.equal(service.node.broker.nodeID);
    });

    it("lets the receiver of the webhook continue it", () => {
      const { headers } = receiver.received.at(-1) as (typeof receiver.received)[number];
      expect(headers["traceparent"]).to.equal(`00-${caller.traceId}-${one(spans, "POST webhook").spanId}-01`);
    });
  });

  describe("and other requests", () => {
    it("begins a trace for a caller that sends none, or one that is invalid", async () => {
      for (const sent of [undefined, "00-00000000000000000000000000000000-0000000000000000-01", "this is none"]) {
        const began = collector.spans.length;
        expect((await create(sent)).status).to.equal(201);
        await until(async () => collector.spans.slice(began).some(({ name }) => name === POST));
        const request = collector.spans.slice(began).find(({ name }) => name === POST);
        expect(request?.parentSpanId, sent ?? "none").to.equal(undefined);
        expect(above(await complete(request?.traceId as string), request as ReceivedSpan)).to.deep.equal([]);
      }
    });

    it("names a route by its pattern, and marks refusals as no failure", async () => {
      const { traceId, traceparent } = newParent();
      const path = "/companies/00000000-0000-7000-8000-000000000000";
      expect((await tenant.owner.get(path, { headers: { traceparent } })).status).to.equal(404);
      await until(
        async () => collector.trace(traceId).length >= 2 && collector.trace(traceId).some(({ kind }) => kind === "server"),
      );
      const request = collector.trace(traceId).find(({ kind }) => kind === "server");
      expect([request?.name, request?.hasFailed]).to.deep.equal(["GET /api/v1/companies/:company_id", false]);
      const action = one(collector.trace(traceId), "companies.get");
      expect([action.hasFailed, action.attributes["error.type"]]).to.deep.equal([false, "not_found"]);
    });

    it("records nothing of a trace that its caller does not record, and passes it on", async () => {
      const { traceId, traceparent } = newParent(false);
      const before = receiver.received.length;
      expect((await create(traceparent)).status).to.equal(201);
      await until(async () => receiver.received.length > before);
      expect(receiver.received.at(-1)?.headers["traceparent"]).to.match(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
      const later = newParent();
      await create(later.traceparent);
      await complete(later.traceId);
      expect(collector.trace(traceId)).to.deep.equal([]);
    });

    it("records no probe", async () => {
      const { traceId, traceparent } = newParent();
      const probe = { headers: { traceparent } };
      for (const path of ["//health/live", "//health/ready", "/health/ready"])
        expect((await service.call("GET", path, probe)).status, path).to.equal(200);
      const later = newParent();
      await create(later.traceparent);
      await complete(later.traceId);
      expect(collector.trace(traceId)).to.deep.equal([]);
    });

    it("serves requests while the collector refuses, and sends the next spans once it takes them", async () => {
      const heal = collector.failWhen(() => true, { kind: "reply", status: 400 });
      const [lost, kept] = [newParent(), newParent()];
      const sent = collector.received.length;
      expect((await create(lost.traceparent)).status).to.equal(201);
      await until(async () => collector.received.length > sent);
      heal();
      expect((await create(kept.traceparent)).status).to.equal(201);
      await complete(kept.traceId);
    });

    it("has sent no value, no address of a receiver and no secret in any span", async () => {
      const { traceparent, traceId } = newParent();
      const refused = await tenant.owner.post(
        "/companies",
        { name: MARKER, invoice_email: MARKER },
        { headers: { traceparent } },
      );
      expect(refused.status).to.equal(422);
      await tenant.owner.get(`/companies?q=${MARKER}`, { headers: { traceparent } });
      await until(async () => collector.trace(traceId).filter(({ kind }) => kind === "server").length === 2);
      expect(collector.bytes).to.include("companies.create");
      const database = new URL(service.database.application).password;
      for (const hidden of [MARKER, tenant.owner.key, secret, ...(database ? [database] : [])])
        expect(collector.bytes).to.not.include(hidden);
    });
  });

  describe("that stops", () => {
    it("sends the last spans when it stops, and then records nothing", async () => {
      const last = newParent();
      await create(last.traceparent);
      await service.stop();
      isStopped = true;
      expect(collector.trace(last.traceId).map(({ name }) => name)).to.include.members([POST, "companies.create"]);
      expect(tracing).to.equal(null);
    });
  });
});
