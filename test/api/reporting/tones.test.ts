import { expect } from "chai";
import { HOUSE_TONE } from "../../../services/reporting/tones/house-tone.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { FORBIDDEN, NOT_FOUND, ok, type Row, refused } from "./reporting-world.ts";

const LAST = [409, "conflict", "errors.reporting.last_tone"];

describe("tones of reports (workspace-reporting §1.1)", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const list = async (caller: Caller = tenant.owner) => (await ok(caller.get("/reporting/tones"))) as unknown as Row[];
  const post = (body: object) => tenant.owner.post("/reporting/tones", body);
  const create = (body: object) => ok(post(body));
  const put = (id: string, body: object) => tenant.owner.put(`/reporting/tones/${id}`, body);
  const remove = (id: string) => tenant.owner.delete(`/reporting/tones/${id}`);
  const defaults = async () => (await list()).flatMap(({ name, is_default }) => (is_default ? [name] : []));

  it("start with a default one: two parallel first reads create one (S31)", async () => {
    const both = await Promise.all([list(), list(), list(), list()]);
    for (const tones of both) expect(tones).to.have.length(1);
    const tone = both[0][0] as Row;
    expect(tone).to.deep.equal({
      ...HOUSE_TONE.nl,
      id: tone["id"],
      key: "standard",
      is_default: true,
      active: true,
      position: 0,
    });
    expect(await list()).to.deep.equal([tone]);
  });

  it("are the organisation's own: the default one is changed and deleted, and not created again while there is any", async () => {
    const [house] = (await list()) as [Row];
    await create({ name: "Ours" });
    expect((await put(house["id"], { name: "Changed" })).status).to.equal(200);
    expect((await remove(house["id"])).status).to.equal(204);
    expect((await list()).map(({ name }) => name)).to.deep.equal(["Ours"]);
  });

  it("are not seeded where one was made before the first read", async () => {
    await create({ name: "First" });
    expect((await list()).map(({ key }) => key)).to.deep.equal(["first"]);
  });

  it("start with the built-in one in the organisation's language", async () => {
    await service.sql.query("update organisations set locale = 'en' where id = $1", [tenant.organisation.id]);
    const [tone] = (await list()) as [Row];
    expect(tone).to.deep.include({ ...HOUSE_TONE.en, key: "standard", is_default: true });
  });

  it("are not seeded where the only tone is inactive, or older than a filter", async () => {
    const { id } = await create({ name: "Idle" });
    await ok(put(id, { name: "Idle", active: false }));
    expect((await list()).map(({ key }) => key)).to.deep.equal(["idle"]);
    expect(await ok(tenant.owner.get("/reporting/tones?updated_since=2999-01-01T00:00:00Z"))).to.deep.equal([]);
    expect((await list()).map(({ key }) => key)).to.deep.equal(["idle"]);
  });

  it("are read on a lapsed licence too, before there is any; writes are refused", async () => {
    await service.sql.query("insert into product_licences (module, expires_at) values ('reporting', '2001-01-01')");
    try {
      expect((await tenant.owner.get("/reporting/tones")).status).to.equal(200);
      expect(refused(await post({ name: "x" })).slice(0, 1)).to.deep.equal([402]);
    } finally {
      await service.sql.query("delete from product_licences where module = 'reporting'");
    }
  });

  it("are stored with their defaults, phrases trimmed and blanks dropped", async () => {
    const tone = await create({ name: "  Warm & zakelijk ", banned_phrases: [" ooit ", "", "  "], preferred_phrases: ["nu "] });
    expect(tone).to.deep.equal({
      id: tone["id"],
      key: "warm-zakelijk",
      name: "Warm & zakelijk",
      description: null,
      instructions: "",
      banned_phrases: ["ooit"],
      preferred_phrases: ["nu"],
      is_default: false,
      active: true,
      position: 0,
    });
  });

  it("have a key made from the name, unique under concurrency, that never changes", async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => create({ name: "Warm" })));
    expect(made.map(({ key }) => key).toSorted()).to.deep.equal(["warm", "warm-2", "warm-3", "warm-4"]);
    expect((await create({ name: "日本" }))["key"]).to.equal("tone");
    const [{ id, key }] = made as [Row];
    expect(await ok(put(id, { name: "Koel", key: "other" }))).to.include({ name: "Koel", key });
  });

  it("are listed by position, then name", async () => {
    for (const [name, position] of [
      ["b", 1],
      ["a", 1],
      ["z", 0],
    ] as const)
      await create({ name, position });
    expect((await list()).map(({ name }) => name)).to.deep.equal(["z", "a", "b"]);
  });

  it("are replaced whole by PUT: omitted fields get their defaults", async () => {
    const { id } = await create({
      name: "A",
      description: "x",
      instructions: "y",
      banned_phrases: ["z"],
      preferred_phrases: ["w"],
      is_default: true,
      active: false,
      position: 4,
    });
    expect(await ok(put(id, { name: "B" }))).to.deep.include({
      name: "B",
      key: "a",
      description: null,
      instructions: "",
      banned_phrases: [],
      preferred_phrases: [],
      is_default: false,
      active: true,
      position: 0,
    });
  });

  it("have one default at most: setting it takes it from all others, also at the same time", async () => {
    const [first, second] = [
      await create({ name: "first", is_default: true }),
      await create({ name: "second", is_default: true }),
    ];
    expect(await defaults()).to.deep.equal(["second"]);
    const set = ({ id, name }: Row) => ok(put(id, { name, is_default: true }));
    await Promise.all([
      set(first),
      set(second),
      create({ name: "third", is_default: true }),
      create({ name: "fourth", is_default: true }),
    ]);
    expect(await defaults()).to.have.length(1);
    await set(first);
    expect(await defaults()).to.deep.equal(["first"]);
    await ok(put(first["id"], { name: "first" }));
    expect(await defaults()).to.deep.equal([]);
  });

  it("keep the last active one: neither it nor an inactive one is deleted then", async () => {
    const [only, idle] = [await create({ name: "only" }), await create({ name: "idle", active: false })];
    expect(refused(await remove(only["id"]))).to.deep.equal(LAST);
    expect(refused(await remove(idle["id"]))).to.deep.equal(LAST);
    const second = await create({ name: "second" });
    expect((await remove(idle["id"])).status).to.equal(204);
    // Two deletions at once leave one.
    const answers = await Promise.all([remove(only["id"]), remove(second["id"])]);
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([204, 409]);
    expect(await list()).to.have.length(1);
  });

  it("refuse values against the field rules, and name the field", async () => {
    const rows: [body: object, field: string][] = [
      [{}, "name"],
      [{ name: "" }, "name"],
      [{ name: "  " }, "name"],
      [{ name: "x".repeat(161) }, "name"],
      [{ name: "x", description: "x".repeat(501) }, "description"],
      [{ name: "x", instructions: "x".repeat(20_001) }, "instructions"],
      [{ name: "x", banned_phrases: Array.from({ length: 201 }, () => "x") }, "banned_phrases"],
      [{ name: "x", preferred_phrases: Array.from({ length: 201 }, () => "x") }, "preferred_phrases"],
    ];
    for (const [body, field] of rows) {
      const { status, body: answered } = await post(body);
      expect([status, Object.keys(answered.error.fields)], JSON.stringify(body).slice(0, 60)).to.deep.equal([422, [field]]);
    }
    const phrases = Array.from({ length: 200 }, (_, at) => `${at}`);
    const largest = {
      name: "x".repeat(160),
      description: "d".repeat(500),
      instructions: "i".repeat(20_000),
      banned_phrases: phrases,
      preferred_phrases: phrases,
    };
    expect(await create(largest)).to.deep.include(largest);
  });

  it("answer 404 for an id that is not there", async () => {
    const other = await service.tenant();
    const foreign = await ok(other.owner.post("/reporting/tones", { name: "theirs" }));
    for (const id of [foreign["id"], "0196a000-0000-7000-8000-000000000000"]) {
      expect(refused(await put(id, { name: "x" }))).to.deep.equal(NOT_FOUND);
      expect(refused(await remove(id))).to.deep.equal(NOT_FOUND);
    }
  });

  it("are listed by one who manages profiles, and written by no one without settings.manage", async () => {
    const reader = await tenant.member("member", { grants: ["reporting.profile.manage"] });
    const [{ id }] = (await list(reader)) as [Row];
    const template = await ok(tenant.owner.post("/reporting/templates", { name: "t" }));
    const writes: ["post" | "put" | "delete", string][] = [
      ["post", "/reporting/tones"],
      ["put", `/reporting/tones/${id}`],
      ["delete", `/reporting/tones/${id}`],
      ["post", "/reporting/templates"],
      ["post", "/reporting/templates/preview"],
      ["put", `/reporting/templates/${template["id"]}`],
      ["delete", `/reporting/templates/${template["id"]}`],
      ["put", "/reporting/settings"],
    ];
    for (const [method, path] of writes) {
      const answer = method === "delete" ? await reader.delete(path) : await reader[method](path, { name: "x" });
      expect(refused(answer), `${method} ${path}`).to.deep.equal(FORBIDDEN);
    }
    const nobody = await tenant.member("member", { grants: ["companies.company.read"] });
    expect((await nobody.get("/reporting/tones")).status).to.equal(403);
  });

  it("leave a trail that names what changed, and not the texts", async () => {
    const { id } = await create({ name: "A" });
    await ok(put(id, { name: "B", instructions: "a long text" }));
    const lines = (await ok(tenant.owner.get(`/activity?entity_type=report_tone&entity_id=${id}`))) as unknown as Row[];
    expect(lines.map(({ action, payload }) => [action, payload])).to.deep.equal([
      ["updated", { changes: { name: { from: "A", to: "B" } } }],
      ["created", { name: "A" }],
    ]);
  });
});
