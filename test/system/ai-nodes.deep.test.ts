import { expect } from "chai";
import { AnthropicSimulator } from "../simulators/ai/anthropic.ts";
import { requireNats } from "../support/nodes/nats.ts";
import { type Nodes, startNodes } from "../support/nodes/nodes.ts";
import { openStream } from "../support/streams/stream.ts";

const CALLS = 8;
const WRITE = { action: "improve", text: "Hello wrold" };

describe("the budget of models on two nodes (platform §1.2)", function () {
  this.timeout(120_000);
  const anthropic = new AnthropicSimulator();
  let nodes: Nodes | undefined;
  before(async function () {
    requireNats(this);
    await anthropic.start();
    nodes = await startNodes(2, { SERVICE_AI_ANTHROPIC_API_URL: anthropic.baseUrl });
  });
  after(async () => {
    await nodes?.stop();
    await anthropic.stop().catch(() => {});
  });

  it("is overspent by one call at most, on any node", async () => {
    const { ports, tenant: make } = nodes as Nodes;
    const tenant = await make("spenders");
    const settings = { provider: "anthropic", api_key: anthropic.key, monthly_token_budget: 1000 };
    expect((await tenant.owner.put("/ai/settings", settings)).status).to.equal(200);
    let answer = () => {};
    const after = new Promise<void>((resolve) => (answer = resolve));
    anthropic.says(...Array.from({ length: CALLS }, () => ({ text: "x", tokensIn: 900, tokensOut: 200, after })));
    const streams = await Promise.all(
      Array.from({ length: CALLS }, (_, n) =>
        openStream(ports[n % ports.length] as number, "POST", "/ai/assist/write", {
          key: tenant.owner.key,
          host: tenant.host,
          body: WRITE,
        }),
      ),
    );
    expect(streams.map(({ status }) => status).sort()).to.deep.equal([200, ...Array.from({ length: CALLS - 1 }, () => 409)]);
    answer();
    await Promise.all(streams.map(({ whole }) => whole));
    for (const _ of ports) expect((await tenant.owner.get("/ai/usage")).body.tokens_total).to.equal(1100);
  });
});
