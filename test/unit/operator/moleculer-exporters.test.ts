import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { readConfig } from "../../../core/config/config.ts";
import { brokerOptions } from "../../../operator/node.ts";

/** A broker with the exporters of a node, whose one action takes a value. */
async function brokerOf(environment: Record<string, string>) {
  const { tracing, metrics, middlewares } = brokerOptions(readConfig(environment));
  const own = (middlewares ?? []).filter((one) => /^(?:Tracing|Metrics)/.test((one as { name?: string }).name ?? ""));
  const options = { logger: false, internalMiddlewares: false, middlewares: own, tracing, metrics } as const;
  const broker = new ServiceBroker({ ...options, middlewares: [...own], skipProcessEventRegistration: true } as never);
  const spans: { name: string; tags: object }[] = [];
  broker.createService({
    name: "proof",
    actions: { act: async () => "done" },
    events: { "proof.spans": { tracing: false, handler: (ctx: { params: typeof spans }) => void spans.push(...ctx.params) } },
  } as never);
  await broker.start();
  await broker.call("proof.act", { note: "a hidden value" }, { meta: { key: "a hidden value" } });
  return { broker, spans, middlewares: own.map((one) => (one as { name?: string }).name) };
}

const EVENT = JSON.stringify({ type: "Event", options: { eventName: "proof.spans", interval: 0 } });

describe("Moleculer's own exporters", () => {
  it("are off by default", async () => {
    const { broker, middlewares } = await brokerOf({});
    expect([broker.isTracingEnabled(), broker.isMetricsEnabled(), middlewares]).to.deep.equal([false, false, []]);
    await broker.stop();
  });

  it("get spans of actions, without parameters and metadata", async () => {
    const { broker, spans } = await brokerOf({ SERVICE_MOLECULER_TRACING: EVENT });
    expect(spans.map(({ name }) => name)).to.deep.equal(["action 'proof.act'"]);
    expect(JSON.stringify(spans)).to.not.include("hidden");
    await broker.stop();
  });

  it("get the counters of Moleculer", async () => {
    const { broker } = await brokerOf({ SERVICE_MOLECULER_METRICS: "Event" });
    const counted = broker.metrics.getMetric("moleculer.request.total") as unknown as { get(labels: object): { value: number } };
    const labels = { service: "proof", action: "proof.act", type: "local", caller: undefined };
    expect(counted.get(labels)?.value).to.equal(1);
    await broker.stop();
  });
});
