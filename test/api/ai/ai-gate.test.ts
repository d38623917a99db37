import { expect } from "chai";
import { refused } from "../../support/answers.ts";
import { until } from "../../support/jobs.ts";
import { noneInTransaction } from "../../support/open-transactions.ts";
import type { Tenant } from "../../support/service.ts";
import { openStream } from "../../support/streams/stream.ts";
import { type AiWorld, startAi } from "./ai-world.ts";

const WRITE = { action: "improve", text: "Hello wrold" };

describe("the gate before a model (platform §1.2)", () => {
  let world: AiWorld;
  let tenant: Tenant;
  before(async () => {
    world = await startAi();
  });
  beforeEach(async () => {
    tenant = await world.anew();
  });
  afterEach(() => expect([...world.anthropic.complaints, ...world.openai.complaints]).to.deep.equal([]));
  after(() => world.stop());

  const post = (path: string, body: object = {}) => tenant.owner.post(path, body);
  const stream = (path: string, body: object) =>
    openStream(world.service.port, "POST", path, { key: tenant.owner.key, host: tenant.host, body });
  const spend = (tokens: number) =>
    world.service.sql.query(
      `insert into ai_usage (organisation_id, month, feature, tokens_in, requests)
       values ($1, date_trunc('month', now() at time zone 'UTC'), 'reporting', $2, 1)
       on conflict (organisation_id, month, feature) do update set tokens_in = excluded.tokens_in`,
      [tenant.organisation.id, tokens],
    );
  const unknownId = "00000000-0000-4000-8000-000000000000";
  const calls: [path: string, feature: string, body: object][] = [
    ["/ai/assist/write", "writing_assist", WRITE],
    ["/ai/assistant", "assistant", { messages: [{ role: "user", content: "hello" }] }],
    ["/ai/time/parse", "time_assist", { text: "two hours of mail" }],
    ["/ai/time/reconstruct", "time_assist", { date: "2026-03-02" }],
    [`/ai/companies/${unknownId}/digest`, "reporting", {}],
    ["/ai/reports/generate", "reporting", { company_id: unknownId, period: "2026-03" }],
  ];
  for (const [path, feature, body] of calls)
    it(`asks for body, settings, feature and budget in this order: POST ${path.replace(unknownId, "…")}`, async () => {
      const member = await tenant.member("member", { grants: ["companies.company.read"] });
      expect((await member.post(path, { override_budget: 7 })).status, "permission first").to.equal(403);
      expect((await post(path, { ...body, override_budget: "perhaps" })).status, "then the body").to.equal(422);
      expect(refused(await post(path, body))).to.deep.equal([409, "ai_not_configured", "errors.ai_not_configured"]);
      await world.configure(tenant, { monthly_token_budget: 100, features: { [feature]: { enabled: false } } });
      await spend(100);
      expect(refused(await post(path, body))).to.deep.equal([409, "ai_feature_disabled", "errors.ai_feature_disabled"]);
      await world.configure(tenant, { monthly_token_budget: 100 });
      expect(refused(await post(path, body))).to.deep.equal([409, "ai_budget_reached", "errors.ai_budget_reached"]);
      expect(world.anthropic.heard, "nothing is asked").to.deep.equal([]);
      if (path === "/ai/time/parse") world.anthropic.says({ calls: [{ name: "submit_entry", input: {} }] });
      const over = await post(path, { ...body, override_budget: true });
      expect(over.status, over.text).to.equal(path.includes(unknownId) || "company_id" in body ? 404 : 200);
    });

  it("passes below the budget, and uses the model of the feature", async () => {
    await world.configure(tenant, { monthly_token_budget: 100, features: { writing_assist: { model: "small" } } });
    await spend(99);
    expect((await post("/ai/assist/write", WRITE)).status).to.equal(200);
    expect(world.anthropic.heard.map(({ model }) => model)).to.deep.equal(["small"]);
    expect(refused(await post("/ai/assist/write", WRITE))[1]).to.equal("ai_budget_reached");
  });

  it("lets parallel calls overspend by no more than one of them", async () => {
    await world.configure(tenant, { monthly_token_budget: 1000 });
    let open = () => {};
    const after = new Promise<void>((resolve) => (open = resolve));
    world.anthropic.says(...Array.from({ length: 8 }, () => ({ text: "x", tokensIn: 900, tokensOut: 100, after })));
    const streams = await Promise.all(Array.from({ length: 8 }, () => stream("/ai/assist/write", WRITE)));
    expect(streams.map(({ status }) => status).sort()).to.deep.equal([200, ...Array.from({ length: 7 }, () => 409)]);
    open();
    await Promise.all(streams.map(({ whole }) => whole));
    expect(await world.usage(tenant)).to.deep.equal({ writing_assist: [1000, 1] });
    expect(await world.reserved(tenant)).to.equal(0);
  });

  it("releases the reservation of a dead node", async () => {
    await world.configure(tenant, { monthly_token_budget: 1000 });
    const set = (when: string) =>
      world.service.sql.query(
        `insert into ai_reservations (organisation_id, id, tokens, expires_at) values ($1, gen_random_uuid(), 5000, now() + $2::interval)`,
        [tenant.organisation.id, when],
      );
    await set("-1 second");
    expect((await post("/ai/assist/write", WRITE)).status).to.equal(200);
    await set("1 hour");
    expect(refused(await post("/ai/assist/write", WRITE))[1]).to.equal("ai_budget_reached");
  });

  describe("POST /ai/assist/write", () => {
    for (const provider of ["anthropic", "openai", "openai_compatible"] as const)
      it(`streams what ${provider} says, uncached, and meters it`, async () => {
        const simulator = provider === "anthropic" ? world.anthropic : world.openai;
        const own = { base_url: world.openai.baseUrl, default_model: "own" };
        await world.configure(tenant, {
          provider,
          api_key: simulator.key,
          house_style: "Be brief.",
          ...(provider === "openai_compatible" && own),
        });
        simulator.says({ text: ["Hello ", "wörld", "\n\n!"], tokensIn: 30, tokensOut: 7 });
        const opened = await stream("/ai/assist/write", { ...WRITE, title: "A title", entity_type: "task" });
        expect(opened.headers["content-type"]).to.match(/^text\/event-stream/);
        expect(opened.headers["cache-control"]).to.include("no-store");
        const texts = ["Hello ", "wörld", "\n\n!"].map((text) => ({ event: "text", data: { text } }));
        expect(await opened.whole).to.deep.equal([...texts, { event: "done", data: {} }]);
        expect(await world.usage(tenant)).to.deep.equal({ writing_assist: [37, 1] });
        const [heard] = simulator.heard;
        expect([heard?.streams, heard?.maxTokens]).to.deep.equal([true, 8192]);
        expect(heard?.system).to.include("Be brief.");
        for (const part of ["Hello wrold", "A title"]) expect(heard?.turns).to.include(part);
      });

    for (const provider of ["anthropic", "openai"] as const) {
      const simulator = () => world[provider];
      const configure = () => world.configure(tenant, { provider, api_key: simulator().key });

      it(`ends with an error when ${provider} refuses, and meters nothing`, async () => {
        await configure();
        simulator().says({ refuses: { status: 429, message: "slow down", headers: { "Retry-After": "1" } } });
        const opened = await stream("/ai/assist/write", WRITE);
        expect([opened.status, await opened.whole]).to.deep.equal([
          200,
          [{ event: "error", data: { code: "ai_provider_error", message: "errors.ai_provider_error" } }],
        ]);
        expect(simulator().received.length, "asked once").to.equal(1);
        expect([await world.usage(tenant), await world.reserved(tenant)]).to.deep.equal([{}, 0]);
      });

      it(`ends with an error when ${provider} breaks off, and meters the tokens used`, async () => {
        await configure();
        let read = () => {};
        const hasRead = new Promise<void>((resolve) => (read = resolve));
        simulator().says({ text: ["So far ", "lost"], between: () => hasRead, breaksAfter: 1, tokensIn: 50 });
        const opened = await stream("/ai/assist/write", WRITE);
        await opened.upTo(1);
        read();
        expect(await opened.whole).to.deep.equal([
          { event: "text", data: { text: "So far " } },
          { event: "error", data: { code: "ai_provider_error", message: "errors.ai_provider_error" } },
        ]);
        const [tokens = 0, requests] = (await world.usage(tenant))["writing_assist"] ?? [];
        expect(requests).to.equal(1);
        // Anthropic reports the input tokens first, OpenAI only at the end: then they are estimated from the characters.
        if (provider === "anthropic") expect(tokens, "50, and seven characters of an answer").to.equal(52);
        else expect(tokens, "more than the answer").to.be.greaterThan(50);
        expect(await world.reserved(tenant)).to.equal(0);
      });

      it(`gives up ${provider} when its caller has gone, and meters the tokens used`, async () => {
        await configure();
        const never = new Promise<void>(() => {});
        simulator().says({ text: ["So far", "never"], between: () => never });
        const opened = await stream("/ai/assist/write", WRITE);
        await opened.upTo(1);
        opened.close();
        await until(async () => simulator().left > 0 && (await world.reserved(tenant)) === 0);
        expect(simulator().left).to.equal(1);
        expect((await world.usage(tenant))["writing_assist"]?.[1]).to.equal(1);
      });
    }
  });

  it("answers 502 on a plain endpoint, without the provider's text", async () => {
    await world.configure(tenant);
    world.anthropic.says({ refuses: { status: 500, message: "a stack trace" } });
    const answer = await post("/ai/time/parse", { text: "an hour" });
    expect(refused(answer)).to.deep.equal([502, "ai_provider_error", "errors.ai_provider_error"]);
    expect(answer.text).not.to.include("stack");
    expect(await world.reserved(tenant)).to.equal(0);
  });

  it("holds no connection while a provider hangs", async () => {
    await world.configure(tenant);
    let open = () => {};
    const after = new Promise<void>((resolve) => (open = resolve));
    world.anthropic.says({ calls: [{ name: "submit_entry", input: {} }], after });
    const answering = post("/ai/time/parse", { text: "an hour" });
    await until(() => world.anthropic.heard.length > 0);
    await noneInTransaction(world.service);
    open();
    expect((await answering).status).to.equal(200);
  });
});
