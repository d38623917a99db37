import { expect } from "chai";
import { refused } from "../../support/answers.ts";
import { until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { openStream } from "../../support/streams/stream.ts";
import { type AiWorld, startAi } from "./ai-world.ts";

const WRITE = { action: "improve", text: "Hello wrold" };
const FAILED = { event: "error", data: { code: "ai_provider_error", message: "errors.ai_provider_error" } };
const SILENCE = 3000;

describe("a model's text, as it arrives (platform §1.2)", () => {
  let world: AiWorld;
  let tenant: Tenant;
  before(async () => {
    world = await startAi({ SERVICE_AI_READ_TIMEOUT_MS: String(SILENCE) });
  });
  beforeEach(async () => {
    tenant = await world.anew();
  });
  afterEach(() => expect([...world.anthropic.complaints, ...world.openai.complaints]).to.deep.equal([]));
  after(() => world.stop());

  const stream = () =>
    openStream(world.service.port, "POST", "/ai/assist/write", { key: tenant.owner.key, host: tenant.host, body: WRITE });
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const never = () => new Promise<void>(() => {});

  for (const provider of ["anthropic", "openai"] as const)
    describe(provider, () => {
      const simulator = () => world[provider];
      beforeEach(() => world.configure(tenant, { provider, api_key: simulator().key }));

      it("hands a piece on before there is another, 50 ms after it came at most", async () => {
        const delays: number[] = [];
        for (let round = 0; round < 40 && !delays.some((one) => one <= 50); round++) {
          let sent = 0;
          let heard = () => {};
          const hasHeard = new Promise<void>((resolve) => (heard = resolve));
          const between = () => {
            sent ||= performance.now();
            return hasHeard;
          };
          simulator().says({ text: ["first", "second"], between });
          const opened = await stream();
          const [first] = await opened.upTo(1);
          delays.push(performance.now() - sent);
          expect(first).to.deep.equal({ event: "text", data: { text: "first" } });
          heard();
          await opened.whole;
        }
        // The least of forty: a busy machine's delay is not the service's.
        expect(Math.min(...delays)).to.be.at.most(50);
      });

      it("asks the model for no more than its reader takes", async () => {
        const [pieces, size] = [490, 32 * 1024];
        let sent = 0;
        simulator().says({
          text: Array.from({ length: pieces }, () => "x".repeat(size)),
          between: async () => void (sent += 1),
        });
        const opened = await stream();
        opened.pause();
        let last = -1;
        await until(async () => {
          const isStill = sent > 0 && sent === last;
          last = sent;
          await pause(500);
          return isStill && sent === last;
        });
        expect(sent, "the simulator is held up").to.be.lessThan(pieces);
        opened.resume();
        const events = await opened.whole;
        expect(events.at(-1)?.event).to.equal("done");
        const length = events.reduce((sum, { event, data }) => sum + (event === "text" ? data.text.length : 0), 0);
        expect([sent, length]).to.deep.equal([pieces, pieces * size]);
      });

      it("gives up a provider that never begins, and meters nothing", async () => {
        simulator().fail({ kind: "hang" });
        expect(await (await stream()).whole).to.deep.equal([FAILED]);
        expect([await world.usage(tenant), await world.reserved(tenant)]).to.deep.equal([{}, 0]);
      });

      it("gives up a provider that falls silent, and meters the tokens used", async () => {
        simulator().says({ text: ["So far", "never"], between: never });
        expect(await (await stream()).whole).to.deep.equal([{ event: "text", data: { text: "So far" } }, FAILED]);
        await until(() => simulator().left === 1);
        const [tokens = 0, requests] = (await world.usage(tenant))["writing_assist"] ?? [];
        expect([tokens > 0, requests, await world.reserved(tenant)]).to.deep.equal([true, 1, 0]);
      });

      it("waits for a longer answer, a piece at a time", async () => {
        const text = Array.from({ length: 9 }, (_, n) => `${n} `);
        simulator().says({ text, between: () => pause(SILENCE / 7) });
        const events = await (await stream()).whole;
        expect(events.map(({ event }) => event)).to.deep.equal([...text.map(() => "text"), "done"]);
      });

      it("answers 502 on a plain endpoint, and its own words on a test", async () => {
        simulator().fail({ kind: "hang" }, { kind: "hang" });
        expect(refused(await tenant.owner.post("/ai/time/parse", { text: "an hour" }))).to.deep.equal([
          502,
          "ai_provider_error",
          "errors.ai_provider_error",
        ]);
        const { status, body } = await tenant.owner.post("/ai/settings/test");
        expect([status, body.ok]).to.deep.equal([200, false]);
        expect(body.error).to.be.a("string").that.is.not.empty;
      });

      it("is an error where the model was cut at the limit of its tokens, and is metered", async () => {
        const cut = { event: "error", data: { code: "ai_answer_truncated", message: "errors.ai_answer_truncated" } };
        simulator().says({ text: ["Half of", " an ans"], cut: true }, { text: "Half", cut: true });
        const events = await (await stream()).whole;
        expect(events.map(({ event }) => event)).to.deep.equal(["text", "text", "error"]);
        expect(events.at(-1)).to.deep.equal(cut);
        expect((await world.usage(tenant))["writing_assist"]).to.deep.equal([120, 1]);
        expect(refused(await tenant.owner.post("/ai/time/parse", { text: "an hour" }))).to.deep.equal([
          502,
          "ai_answer_truncated",
          "errors.ai_answer_truncated",
        ]);
      });

      it("counts as reached on a test where the few tokens of that did not do", async () => {
        simulator().says({ text: "", cut: true });
        expect((await tenant.owner.post("/ai/settings/test")).body).to.include({ ok: true, error: null });
      });

      it("follows no redirect, so that no key goes elsewhere", async () => {
        const other = provider === "anthropic" ? world.openai : world.anthropic;
        for (const status of [302, 307, 308]) {
          simulator().fail({ kind: "reply", status, headers: { Location: `${other.origin}/v1/messages` } });
          expect(await (await stream()).whole, String(status)).to.deep.equal([FAILED]);
        }
        expect([simulator().received.length, other.received.length]).to.deep.equal([3, 0]);
      });

      for (const kind of ["garbage", "reset", "drop", "truncate"] as const)
        it(`reports only that it failed when the answer is ${kind}`, async () => {
          simulator().fail({ kind });
          simulator().says({ text: "x" });
          const events = await (await stream()).whole;
          expect(events.at(-1)).to.deep.equal(FAILED);
          expect(await world.reserved(tenant)).to.equal(0);
        });
    });

  it("lets a plain answer take longer than other requests may", async () => {
    const { registry } = world.service.node.broker;
    const listed = registry.actions.list({ skipInternal: true }) as unknown as {
      name: string;
      action?: { timeout?: number };
    }[];
    const timeouts = listed.filter(({ name }) => /^ai\.(time|tasks|settings\.(test|models))/.test(name));
    expect(timeouts.map(({ name, action }) => [name, action?.timeout]).sort()).to.deep.equal(
      [
        "ai.settings.models",
        "ai.settings.test",
        "ai.tasks.suggest",
        "ai.time.parse",
        "ai.time.reconstruct",
        "ai.time.transcribe",
      ].map((name) => [name, 400_000]),
    );
  });
});
