import { expect } from "chai";
import { NOTHING_HEARD } from "../../support/ai/nothing-heard.ts";
import { refused, unfit } from "../../support/answers.ts";
import type { Tenant } from "../../support/service.ts";
import { type AiWorld, startAi } from "./ai-world.ts";

const OGG = Buffer.from("OggS and a word").toString("base64");

describe("/ai/time (platform §1.4)", () => {
  let world: AiWorld;
  let tenant: Tenant;
  before(async () => {
    world = await startAi();
  });
  beforeEach(async () => {
    tenant = await world.anew();
    await world.configure(tenant);
  });
  afterEach(() => expect([...world.anthropic.complaints, ...world.openai.complaints]).to.deep.equal([]));
  after(() => world.stop());

  const parse = (text: string, more: object = {}) => tenant.owner.post("/ai/time/parse", { text, ...more });
  const submits = (input: unknown) => world.anthropic.says({ calls: [{ name: "submit_entry", input }] });

  describe("POST /ai/time/parse", () => {
    it("returns the submitted values, of records that the text names", async () => {
      const { id } = await tenant.company({ name: "Bakkerij Zonnebloem" });
      submits({
        date: "2026-03-01",
        start: "9.00",
        end: "1430",
        duration_minutes: "90",
        company_id: id,
        description: "ontwerp",
        entry_type_key: "work",
      });
      const answer = await parse("gisteren ontwerp voor Zonnebloem van 9 tot half drie", { today: "2026-03-02" });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.deep.equal({
        ...NOTHING_HEARD,
        date: "2026-03-01",
        start: "09:00",
        end: "14:30",
        duration_minutes: 90,
        company_id: id,
        description: "ontwerp",
        entry_type_key: "work",
      });
      const [heard] = world.anthropic.heard;
      expect(heard?.system).to.include("Today is 2026-03-02").and.to.include("Bakkerij Zonnebloem");
      expect([heard?.maxTokens, heard?.streams]).to.deep.equal([1024, false]);
      expect(await world.usage(tenant)).to.deep.equal({ time_assist: [120, 1] });
      const { rows } = await world.service.sql.query("select count(*)::int as n from time_entries where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows[0].n, "creates nothing").to.equal(0);
    });

    it("shows the caller's recent entries, and rejects ids that were not shown", async () => {
      const lately = await tenant.company({ name: "Lately" });
      const other = await tenant.company({ name: "Unmentioned" });
      const made = await tenant.owner.post("/time/entries", {
        company_id: lately.id,
        started_at: new Date().toISOString(),
        minutes: 5,
      });
      expect(made.status, made.text).to.equal(201);
      submits({ company_id: lately.id });
      expect((await parse("an hour")).body.company_id).to.equal(lately.id);
      submits({ company_id: other.id, project_id: lately.id });
      expect((await parse("an hour")).body).to.deep.equal(NOTHING_HEARD);
    });

    it("looks up once more, and then has the entry submitted", async () => {
      const { id } = await tenant.company({ name: "Quarantaine BV" });
      world.anthropic.says(
        { calls: [{ name: "look_up", input: { query: "Quarantaine" } }] },
        { calls: [{ name: "submit_entry", input: { company_id: id } }] },
      );
      expect((await parse("an hour")).body.company_id).to.equal(id);
      const [, second] = world.anthropic.heard;
      expect(second?.turns).to.include(id);
      expect(second?.toolChoice).to.deep.equal({ type: "tool", name: "submit_entry" });
      const looks = (query: string) => ({ calls: [{ name: "look_up", input: { query } }] });
      world.anthropic.says(looks("x"), looks("y"), looks("z"));
      expect(refused(await parse("an hour")).slice(0, 2), "one look-up, and one correction").to.deep.equal([
        502,
        "ai_provider_error",
      ]);
      expect(world.anthropic.heard.length).to.equal(5);
    });

    for (const said of [
      { text: "I cannot." },
      { calls: [{ name: "submit_entry", input: [] }] },
      { calls: [{ name: "delete_all", input: {} }] },
    ])
      it(`asks once more for an answer that cannot be read, and then is 502: ${JSON.stringify(said)}`, async () => {
        world.anthropic.says(said, { calls: [{ name: "submit_entry", input: {} }] });
        const { status, body } = await parse("an hour");
        expect([status, body], "nothing was said").to.deep.equal([200, NOTHING_HEARD]);
        expect(world.anthropic.heard.at(-1)?.turns).to.include("Call the tool submit_entry once");
        world.anthropic.says(said, said);
        expect(refused(await parse("an hour")).slice(0, 2)).to.deep.equal([502, "ai_provider_error"]);
        expect(await world.usage(tenant), "metered all the same").to.deep.equal({ time_assist: [480, 4] });
      });

    it("shows clients outside of the selection to no caller", async () => {
      const inside = await tenant.company({ name: "Zichtbaar Alfa" });
      const outside = await tenant.company({ name: "Onzichtbaar Alfa" });
      const member = await tenant.member("member");
      await tenant.group("Some", [inside.id], [member.membershipId]);
      submits({ company_id: outside.id });
      const answer = await member.post("/ai/time/parse", { text: "een uur voor Alfa" });
      expect(answer.body).to.deep.equal(NOTHING_HEARD);
      expect(world.anthropic.heard[0]?.system).to.include(inside.id).and.not.to.include(outside.id);
    });
  });

  it("shows nothing of a client that has gone out of the caller's sight, though hours were logged for it", async () => {
    const [inside, outside] = [await tenant.company({ name: "Binnen" }), await tenant.company({ name: "Buiten" })];
    const member = await tenant.member("member");
    const project = await tenant.owner.post("/projects", { name: "Buitenwerk", company_id: outside.id });
    const task = await tenant.owner.post("/tasks", { title: "Buitentaak", company_id: outside.id });
    for (const about of [
      { company_id: inside.id },
      { company_id: outside.id, project_id: project.body.id },
      { company_id: outside.id, task_id: task.body.id },
    ]) {
      const made = await member.post("/time/entries", { ...about, started_at: new Date().toISOString(), minutes: 5 });
      expect(made.status, made.text).to.equal(201);
    }
    submits({});
    await member.post("/ai/time/parse", { text: "an hour" });
    const all = world.anthropic.heard[0]?.system;
    for (const name of ["Binnen", "Buiten", "Buitenwerk", "Buitentaak"]) expect(all, name).to.include(name);
    await tenant.group("Some", [inside.id], [member.membershipId]);
    submits({});
    await member.post("/ai/time/parse", { text: "an hour" });
    expect(world.anthropic.heard[1]?.system).to.include("Binnen").and.not.to.include("Buiten");
  });

  describe("POST /ai/time/reconstruct", () => {
    const reconstruct = (date = "2026-03-02") => tenant.owner.post("/ai/time/reconstruct", { date });

    it("asks no model for a day that is not short", async () => {
      const { status, body } = await reconstruct("2026-03-01");
      expect([status, body.short, body.scheduled_minutes, body.suggestions]).to.deep.equal([200, false, 0, []]);
      expect([world.anthropic.heard.length, await world.usage(tenant)]).to.deep.equal([0, {}]);
    });

    it("asks no model without tasks that were touched", async () => {
      const { body } = await reconstruct();
      expect([body.short, body.logged_minutes, body.leave_minutes, body.suggestions]).to.deep.equal([true, 0, 0, []]);
      expect(body.scheduled_minutes).to.be.greaterThan(15);
      expect(world.anthropic.heard.length).to.equal(0);
    });

    it("shows tasks that the caller touched on that day, within sight, and those of no one else", async () => {
      const [inside, outside] = [await tenant.company(), await tenant.company()];
      const member = await tenant.member("member");
      const made = async (title: string, company_id: string, caller = member) => {
        const { status, text, body } = await caller.post("/tasks", { title, company_id });
        expect(status, text).to.equal(201);
        return body.id as string;
      };
      const own = await made("Own", inside.id);
      const ids = [own, await made("Hidden", outside.id), await made("Foreign", inside.id, tenant.owner)];
      await made("Another day", inside.id);
      await world.service.sql.query("update activity set created_at = '2026-03-02T10:00:00Z' where entity_id = any($1)", [ids]);
      await tenant.group("Some", [inside.id], [member.membershipId]);
      world.anthropic.reset();
      world.anthropic.says({
        calls: [{ name: "submit_suggestions", input: { suggestions: ids.map((task_id) => ({ task_id, minutes: 10 })) } }],
      });
      const { body } = await member.post("/ai/time/reconstruct", { date: "2026-03-02" });
      expect(body.suggestions.map(({ task_id }: { task_id: string | null }) => task_id)).to.deep.equal([own, null, null]);
      const heard = JSON.stringify(world.anthropic.heard[0]?.raw);
      expect(heard).to.include("Own");
      for (const title of ["Hidden", "Foreign", "Another day"]) expect(heard, title).not.to.include(title);
    });

    it("suggests tasks that were touched, of no more minutes than are missing", async () => {
      const task = await tenant.owner.post("/tasks", { title: "Ontwerp" });
      expect(task.status, task.text).to.equal(201);
      await world.service.sql.query("update activity set created_at = '2026-03-02T10:00:00Z' where entity_id = $1", [
        task.body.id,
      ]);
      world.anthropic.says({ calls: [{ name: "submit_suggestions", input: { suggestions: [] } }] });
      const { scheduled_minutes: scheduled } = (await reconstruct()).body;
      world.anthropic.reset();
      const made = await tenant.owner.post("/time/entries", { started_at: "2026-03-02T09:00:00Z", minutes: scheduled - 95 });
      expect(made.status, made.text).to.equal(201);
      const suggestions = [60, 45, 20].map((minutes) => ({
        minutes,
        task_id: task.body.id,
        company_id: task.body.id,
        label: "Ontwerp",
      }));
      world.anthropic.says({ calls: [{ name: "submit_suggestions", input: { suggestions } }] });
      const { body } = await reconstruct();
      expect([body.short, body.logged_minutes]).to.deep.equal([true, scheduled - 95]);
      expect(body.suggestions).to.deep.equal(
        [60, 35].map((minutes) => ({
          company_id: null,
          project_id: null,
          task_id: task.body.id,
          minutes,
          description: "",
          label: "Ontwerp",
        })),
      );
    });
  });

  describe("POST /ai/time/transcribe", () => {
    const transcribe = (body: object, caller = tenant.owner) => caller.post("/ai/time/transcribe", { audio: OGG, ...body });
    const speak = (more: object = {}) => world.configure(tenant, { provider: "openai", api_key: world.openai.key, ...more });

    it("looks at permission, clip, settings and budget in this order", async () => {
      await tenant.owner.delete("/ai/settings");
      const member = await tenant.member("member", { grants: ["ai.use"] });
      expect((await transcribe({ audio: "!" }, member)).status).to.equal(403);
      expect(refused(await transcribe({ audio: "!" }))).to.deep.equal(unfit({ audio: "errors.validation" }));
      expect(refused(await transcribe({}))[1]).to.equal("ai_not_configured");
      await speak({ features: { time_assist: { enabled: false } } });
      expect(refused(await transcribe({}))[1]).to.equal("ai_feature_disabled");
      await tenant.owner.delete("/ai/settings");
      await world.configure(tenant);
      expect(refused(await transcribe({}))[1]).to.equal("ai_speech_not_configured");
      await speak({ monthly_audio_seconds_budget: 5 });
      world.openai.speech = { text: "een uur", duration: 4.2 };
      const first = await transcribe({ language: "nl" });
      expect([first.status, first.body]).to.deep.equal([200, { text: "een uur" }]);
      expect(world.openai.clips.map(({ model, language }) => [model, language])).to.deep.equal([["whisper-1", "nl"]]);
      const { rows } = await world.service.sql.query("select audio_seconds from ai_usage where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows, "whole seconds").to.deep.equal([{ audio_seconds: 5 }]);
      expect(refused(await transcribe({}))[1]).to.equal("ai_budget_reached");
      expect((await transcribe({ override_budget: true })).status).to.equal(200);
      const { tokens_total, features } = (await tenant.owner.get("/ai/usage")).body;
      expect([tokens_total, features], "seconds are no tokens").to.deep.equal([0, []]);
    });

    it("refuses a clip in no format that it knows", async () => {
      await speak();
      const { status, body } = await transcribe({ audio: Buffer.from("no clip at all").toString("base64") });
      const key = "errors.ai_audio_unsupported";
      expect([status, body.error]).to.deep.equal([422, { code: "validation", message: key, fields: { audio: key } }]);
    });

    it("refuses files that are too large and accepts 8 MiB", async () => {
      await speak();
      const clip = (bytes: number) => Buffer.concat([Buffer.from("OggS"), Buffer.alloc(bytes - 4)]).toString("base64");
      const tooLarge = await transcribe({ audio: clip(8 * 1024 * 1024 + 1) });
      expect(refused(tooLarge).slice(0, 3)).to.deep.equal([413, "validation", "errors.ai_audio_too_large"]);
      expect((await transcribe({ audio: clip(8 * 1024 * 1024) })).status).to.equal(200);
    });

    for (const body of ["{}", "null", '{"text": null}', '{"text": 5}'])
      it(`answers 502 when the provider answers ${body}`, async () => {
        await speak();
        world.openai.fail({ kind: "reply", status: 200, headers: { "Content-Type": "application/json" }, body });
        expect(refused(await transcribe({}))).to.deep.equal([502, "ai_provider_error", "errors.ai_provider_error"]);
        expect(await world.reserved(tenant)).to.equal(0);
      });

    for (const seconds of ["0", "-4", "null", '"9"'])
      it(`meters the most that a clip may last when the provider says that it lasted ${seconds} seconds`, async () => {
        await speak();
        const body = `{"text": "een uur", "usage": {"type": "duration", "seconds": ${seconds}}}`;
        world.openai.fail({ kind: "reply", status: 200, headers: { "Content-Type": "application/json" }, body });
        expect((await transcribe({})).body).to.deep.equal({ text: "een uur" });
        const { rows } = await world.service.sql.query("select audio_seconds from ai_usage where organisation_id = $1", [
          tenant.organisation.id,
        ]);
        expect(rows).to.deep.equal([{ audio_seconds: 1 }]);
      });

    it("answers words that a time entry can store", async () => {
      await speak();
      world.openai.speech = { text: "een\u0000 uur\ud800", duration: 4.2 };
      expect((await transcribe({})).body).to.deep.equal({ text: "een uur\ufffd" });
    });

    it("answers 502 when the provider refuses", async () => {
      await speak();
      world.openai.says({ refuses: { status: 400, message: "no speech in it" } });
      expect(refused(await transcribe({}))).to.deep.equal([502, "ai_provider_error", "errors.ai_provider_error"]);
      expect(await world.reserved(tenant)).to.equal(0);
    });
  });
});
