import { expect } from "chai";
import { Listener } from "../../simulators/listener.ts";
import { refused, unfit } from "../../support/answers.ts";
import type { Tenant } from "../../support/service.ts";
import { type AiWorld, startAi } from "./ai-world.ts";

const PATH = "/ai/settings";
const everyFeature = (change: object = {}) => ({
  ...Object.fromEntries(
    ["assistant", "writing_assist", "time_assist", "task_assist", "reporting", "email_assist"].map((key) => [
      key,
      { enabled: true, model: null },
    ]),
  ),
  ...change,
});

describe("/ai/settings", () => {
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

  const put = (values: object) => tenant.owner.put(PATH, { provider: "anthropic", api_key: world.anthropic.key, ...values });
  const compatible = () => ({
    provider: "openai_compatible",
    api_key: world.openai.key,
    base_url: world.openai.baseUrl,
    default_model: "own",
  });

  describe("GET, PUT and DELETE", () => {
    it("answers null until saved, then every field but the keys, and null again once deleted", async () => {
      const empty = await tenant.owner.get(PATH);
      expect([empty.status, empty.body]).to.deep.equal([200, null]);
      const saved = await put({
        features: { assistant: { enabled: false }, surprise: { enabled: true } },
        house_style: "Plain.",
      });
      expect(saved.status, saved.text).to.equal(200);
      expect(saved.body).to.deep.equal({
        provider: "anthropic",
        has_key: true,
        base_url: null,
        default_model: "claude-sonnet-5-5",
        features: everyFeature({ assistant: { enabled: false, model: null } }),
        house_style: "Plain.",
        monthly_token_budget: null,
        speech_provider: null,
        has_speech_key: false,
        speech_base_url: null,
        speech_model: null,
        speech_available: false,
        monthly_audio_seconds_budget: null,
      });
      expect((await tenant.owner.get(PATH)).body).to.deep.equal(saved.body);
      for (const expected of [204, 204]) expect((await tenant.owner.delete(PATH)).status).to.equal(expected);
      expect((await tenant.owner.get(PATH)).body).to.equal(null);
    });

    it("keeps keys that are absent or empty, and replaces every other field", async () => {
      await put({ house_style: "Plain.", monthly_token_budget: 5, features: { reporting: { model: "big" } } });
      const again = await put({ api_key: "" });
      const { has_key, house_style, monthly_token_budget, features } = again.body;
      expect([has_key, house_style, monthly_token_budget, features]).to.deep.equal([true, null, null, everyFeature()]);
      expect((await tenant.owner.post(`${PATH}/test`)).body.ok, "the key is still the right one").to.equal(true);
    });

    it("erases key, address and model of speech with its provider", async () => {
      const speech = { speech_provider: "openai", speech_api_key: world.openai.key, speech_base_url: world.openai.baseUrl };
      const saved = await put(speech);
      const of = ({ body }: typeof saved) => [
        body.has_speech_key,
        body.speech_base_url,
        body.speech_model,
        body.speech_available,
      ];
      expect(of(saved)).to.deep.equal([true, world.openai.baseUrl, "whisper-1", true]);
      expect(of(await put({ speech_provider: null }))).to.deep.equal([false, null, null, false]);
      expect(refused(await put({ ...speech, speech_api_key: null }))).to.deep.equal(unfit({ speech_api_key: "errors.required" }));
    });

    it("takes speech from the chat provider where that can transcribe", async () => {
      expect((await put({ provider: "openai", api_key: world.openai.key })).body.speech_available).to.equal(true);
    });

    const cases: [what: string, values: object, fields: Record<string, string>][] = [
      ["no key at first", { api_key: null }, { api_key: "errors.required" }],
      [
        "no address of what imitates OpenAI",
        { provider: "openai_compatible", default_model: "m" },
        { base_url: "errors.required" },
      ],
      [
        "no model of what imitates OpenAI",
        { provider: "openai_compatible", base_url: "http://10.0.0.1" },
        { default_model: "errors.required" },
      ],
      ["an address that is none", { base_url: "ftp://models.example" }, { base_url: "errors.invalid_url" }],
      ["speech without a key", { speech_provider: "openai" }, { speech_api_key: "errors.required" }],
      [
        "speech without an address",
        { speech_provider: "openai_compatible", speech_api_key: "k" },
        { speech_base_url: "errors.required" },
      ],
      ["a budget of nothing", { monthly_token_budget: 0 }, { monthly_token_budget: "errors.validation" }],
      ["an unknown provider", { provider: "acme" }, { provider: "errors.validation" }],
    ];
    for (const [what, values, fields] of cases)
      it(`refuses ${what}`, async () => {
        expect(refused(await put(values))).to.deep.equal(unfit(fields));
        expect((await tenant.owner.get(PATH)).body).to.equal(null);
      });

    it("stores keys sealed, and names them in no answer and no line of the trail", async () => {
      const { text } = await put({ speech_provider: "openai", speech_api_key: "sk-of-speech-0123456789" });
      await put({ api_key: "sk-another-0123456789" });
      const { rows } = await world.service.sql.query(
        `select to_jsonb(s)::text as row, (select jsonb_agg(a)::text from activity a where a.organisation_id = s.organisation_id) as trail
           from ai_settings s where organisation_id = $1`,
        [tenant.organisation.id],
      );
      for (const key of [world.anthropic.key, "sk-of-speech-0123456789", "sk-another-0123456789"])
        for (const reported of [text, rows[0].row, rows[0].trail]) expect(reported).not.to.include(key);
      expect(rows[0].trail).to.include("api_key");
    });

    it("counts a key that can no longer be opened as not configured", async () => {
      await put({});
      const other = await world.service.tenant();
      await world.configure(other);
      await world.service.sql.query(
        `update ai_settings set api_key = (select api_key from ai_settings where organisation_id = $2) where organisation_id = $1`,
        [tenant.organisation.id, other.organisation.id],
      );
      expect((await tenant.owner.get(PATH)).body.has_key).to.equal(false);
      const { status, body } = await tenant.owner.post(`${PATH}/test`);
      expect([status, body.ok]).to.deep.equal([200, false]);
      const off = { enabled: false };
      await world.service.sql.query("update ai_settings set features = $2 where organisation_id = $1", [
        tenant.organisation.id,
        JSON.stringify({ time_assist: off, writing_assist: off }),
      ]);
      const parsed = await tenant.owner.post("/ai/time/parse", { text: "een uur" });
      const written = await tenant.owner.post("/ai/assist/write", { action: "fix", text: "een uur" });
      for (const answer of [parsed, written])
        expect(refused(answer)[1], "before a feature that is off").to.equal("ai_not_configured");
    });
  });

  describe("a stored key", () => {
    it("is not kept for another provider, nor for another server", async () => {
      await put(compatible());
      const other: object[] = [{ provider: "openai" }, { ...compatible(), base_url: "https://models.example/v1" }];
      for (const values of other)
        expect(refused(await put({ ...values, api_key: null }))).to.deep.equal(unfit({ api_key: "errors.required" }));
      const moved = await put({ ...compatible(), base_url: `${world.openai.baseUrl}/`, api_key: null });
      expect(moved.status, "another path of the same server").to.equal(200);
    });

    it("is sent to the provider it was saved for alone", async () => {
      await put(compatible());
      for (const asked of [{ provider: "anthropic" }, { provider: "openai" }, { base_url: world.anthropic.baseUrl }]) {
        const { status, body } = await tenant.owner.post(`${PATH}/models`, asked);
        expect([status, body.models]).to.deep.equal([200, []]);
        expect(body.error).to.be.a("string").that.is.not.empty;
      }
      expect([...world.anthropic.received, ...world.openai.received]).to.deep.equal([]);
    });
  });

  describe("POST /ai/settings/test", () => {
    const test = async () => (await tenant.owner.post(`${PATH}/test`)).body;

    it("says that nothing is configured", async () => {
      const answer = await test();
      expect([answer.ok, answer.model]).to.deep.equal([false, null]);
      expect(answer.error).to.be.a("string").that.is.not.empty;
    });

    it("is fine with an empty completion, and meters it", async () => {
      await put({});
      world.anthropic.says({ text: "" });
      expect(await test()).to.deep.equal({ ok: true, model: "claude-sonnet-5-5", error: null });
      expect(await world.usage(tenant)).to.deep.equal({ test: [120, 1] });
    });

    it("gives the provider's own words and meters nothing", async () => {
      await put({ api_key: "sk-wrong-0123456789" });
      expect(await test()).to.deep.equal({ ok: false, model: "claude-sonnet-5-5", error: "invalid API key" });
      await put({ provider: "openai", api_key: "sk-wrong-0123456789" });
      expect((await test()).error).to.equal("Incorrect API key provided.");
      const gone = new Listener();
      await gone.start();
      const base_url = `${gone.origin}/v1`;
      await gone.stop();
      const saved = await put({ ...compatible(), base_url });
      expect(saved.status, saved.text).to.equal(200);
      const unreachable = await test();
      expect(unreachable.ok).to.equal(false);
      expect(unreachable.error).to.be.a("string").that.is.not.empty;
      expect(await world.usage(tenant)).to.deep.equal({});
    });

    it("repeats no key that a provider repeats", async () => {
      await put({});
      world.anthropic.says({ refuses: { status: 500, message: `no account for ${world.anthropic.key}` } });
      expect((await test()).error).not.to.include(world.anthropic.key);
    });
  });

  describe("POST /ai/settings/models", () => {
    const models = async (body: object) => (await tenant.owner.post(`${PATH}/models`, body)).body;

    it("leaves out entries that are no names", async () => {
      const body = '{"data": [{"id": "z"}, {"id": 5}, null, {}, {"id": "a"}], "has_more": false}';
      const reply = { kind: "reply" as const, status: 200, headers: { "Content-Type": "application/json" }, body };
      world.openai.fail(reply);
      expect(await models({ provider: "openai", api_key: world.openai.key })).to.deep.equal({ models: ["a", "z"], error: null });
      world.anthropic.fail(reply);
      expect(await models({ provider: "anthropic", api_key: world.anthropic.key })).to.deep.equal({
        models: ["z", "a"],
        error: null,
      });
    });

    it("keeps Anthropic's order and sorts the others, with a key that was only typed", async () => {
      expect(await models({ provider: "anthropic", api_key: world.anthropic.key })).to.deep.equal({
        models: ["zeta-1", "alpha-2", "mid-3"],
        error: null,
      });
      expect(await models({ provider: "openai", api_key: world.openai.key })).to.deep.equal({
        models: ["alpha-2", "mid-3", "zeta-1"],
        error: null,
      });
    });

    it("reaches the internal network, and never the addresses by which a machine learns its credentials", async () => {
      await put(compatible());
      for (const base_url of [
        "http://169.254.169.254/latest",
        "http://[fd00:ec2::254]/",
        "file:///etc/passwd",
        "http://u:p@models.example",
      ]) {
        const { models: found, error } = await models({ provider: "openai_compatible", api_key: world.openai.key, base_url });
        expect(found, base_url).to.deep.equal([]);
        expect(error, base_url).to.be.a("string").that.is.not.empty;
      }
      expect((await models({})).models, "127.0.0.1").not.to.deep.equal([]);
    });

    it("reads omitted fields from the stored settings, and no more than 200", async () => {
      await put(compatible());
      world.openai.models = Array.from({ length: 300 }, (_, n) => `m-${String(n).padStart(3, "0")}`);
      const { models: found, error } = await models({});
      world.openai.models = ["zeta-1", "alpha-2", "mid-3"];
      expect([found.length, found[199], error]).to.deep.equal([200, "m-199", null]);
    });

    it("answers 200 without provider or key, and with the provider's words", async () => {
      for (const body of [{}, { provider: "openai" }]) {
        const answer = await models(body);
        expect(answer.models).to.deep.equal([]);
        expect(answer.error).to.be.a("string").that.is.not.empty;
      }
      expect(await models({ provider: "anthropic", api_key: "wrong" })).to.deep.equal({ models: [], error: "invalid API key" });
    });
  });

  it("keeps usage of this month in UTC alone, by feature", async () => {
    await put({ monthly_token_budget: 1000 });
    await world.service.sql.query(
      `insert into ai_usage (organisation_id, month, feature, tokens_in, tokens_out, requests)
       select $1, date_trunc('month', now() at time zone 'UTC' - make_interval(months => back)), f, 10, 5, 2
         from unnest(array['reporting', 'assistant']) f, generate_series(0, 1) back`,
      [tenant.organisation.id],
    );
    const one = (feature: string) => ({ feature, tokens_in: 10, tokens_out: 5, requests: 2 });
    expect((await tenant.owner.get("/ai/usage")).body).to.deep.equal({
      month: new Date().toISOString().slice(0, 7),
      tokens_total: 30,
      budget: 1000,
      features: [one("assistant"), one("reporting")],
    });
  });
});
