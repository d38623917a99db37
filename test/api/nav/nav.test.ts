import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

const NONE = { items: null, groups: null, source: "none" };

describe("/nav/prefs", () => {
  let service: TestService;
  let tenant: Tenant;
  let member: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    member = await tenant.member("member");
  });
  after(() => service.stop());

  const read = async (caller: Caller) => (await caller.get("/nav/prefs")).body;
  const item = (key: string, label: object | null = null, hidden = false) => ({ key, hidden, label });
  const organisation = (body: object) => tenant.owner.put("/nav/prefs/default", body);

  it("is one's own layout, else the organisation's, else none; DELETE resets, even without one", async () => {
    expect(await read(member)).to.deep.equal(NONE);
    expect((await member.delete("/nav/prefs")).status).to.equal(204);
    await organisation({ items: [{ key: "tasks" }] });
    const shared = { items: [item("tasks")], groups: [], source: "default" };
    expect(await read(member)).to.deep.equal(shared);
    await member.put("/nav/prefs", { items: [{ key: "clients" }] });
    expect(await read(member)).to.deep.equal({ items: [item("clients")], groups: [], source: "user" });
    expect(await read(tenant.owner)).to.deep.equal(shared);
    expect((await member.delete("/nav/prefs")).status).to.equal(204);
    expect(await read(member)).to.deep.equal(shared);
  });

  it("stores the order and hidden entries of a personal one; names and groups are the organisation's", async () => {
    await organisation({
      items: [{ key: "tasks", label: { nl: "Taken" } }, { key: "clients" }, { key: "money", label: { en: "Cash" } }],
      groups: [{ key: "work", label: { nl: "Werk" } }],
    });
    const sent = {
      items: [
        { key: "money", hidden: true, label: { nl: "Mijn geld", fr: "Argent" } },
        { key: "own", label: { nl: "Eigen" } },
        { key: "tasks" },
      ],
      groups: [{ key: "mine", label: { nl: "Van mij" } }],
    };
    const { status, body } = await member.put("/nav/prefs", sent);
    const expected = {
      items: [item("money", { en: "Cash" }, true), item("own"), item("tasks", { nl: "Taken" })],
      groups: [{ key: "work", label: { nl: "Werk" } }],
      source: "user",
    };
    expect([status, body]).to.deep.equal([200, expected]);
    expect(await read(member)).to.deep.equal(expected);
    await organisation({ items: [{ key: "own", label: { nl: "Nieuw" } }] });
    expect(await read(member)).to.deep.equal({
      items: [item("money", null, true), item("own", { nl: "Nieuw" }), item("tasks")],
      groups: [],
      source: "user",
    });
  });

  it("keeps of the organisation's trimmed names, and only groups that have one", async () => {
    const { status, body } = await organisation({
      items: [
        { key: "anything at all", hidden: true, label: { nl: "  Taken ", en: " " } },
        { key: "b", label: { nl: "" } },
        { key: "c", label: null },
      ],
      groups: [{ key: "named", label: { en: "x".repeat(60) } }, { key: "blank", label: { nl: "  " } }, { key: "without" }],
    });
    const expected = {
      items: [item("anything at all", { nl: "Taken" }, true), item("b"), item("c")],
      groups: [{ key: "named", label: { en: "x".repeat(60) } }],
      source: "default",
    };
    expect([status, body]).to.deep.equal([200, expected]);
    expect(await read(member)).to.deep.equal(expected);
    // A member who saves the default still has a personal layout.
    await tenant.owner.put("/nav/prefs", { items: [] });
    expect((await organisation({ items: [] })).body).to.deep.equal({ items: [], groups: [], source: "default" });
    expect(await read(tenant.owner)).to.deep.equal({ items: [], groups: [], source: "user" });
  });

  const REFUSED: [string, object, string][] = [
    ["another locale", { items: [{ key: "a", label: { fr: "Tâches" } }] }, "label"],
    ["a blank name of another locale", { items: [{ key: "a", label: { fr: "" } }] }, "label"],
    ["61 characters", { items: [{ key: "a", label: { nl: "x".repeat(61) } }] }, "label"],
    ["another locale of a group", { items: [], groups: [{ key: "a", label: { fr: "Travail" } }] }, "label"],
    ["a name that is no text", { items: [{ key: "a", label: { nl: 1 } }] }, "nl"],
    ["no items", {}, "items"],
    ["101 items", { items: Array.from({ length: 101 }, (_, n) => ({ key: `k${n}` })) }, "items"],
    ["101 groups", { items: [], groups: Array.from({ length: 101 }, (_, n) => ({ key: `k${n}` })) }, "groups"],
    ["an empty key", { items: [{ key: "" }] }, "key"],
    ["a key of 101 characters", { items: [{ key: "x".repeat(101) }] }, "key"],
  ];
  for (const [what, body, field] of REFUSED)
    it(`refuses ${what} with 422 on ${field}, and changes nothing`, async () => {
      const answer = await organisation(body);
      expect([answer.status, Object.keys(answer.body.error.fields ?? {})], answer.text).to.deep.equal([422, [field]]);
      expect(await read(member)).to.deep.equal(NONE);
    });

  it("takes 100 of each, and names of 60 characters after blanks", async () => {
    const keys = Array.from({ length: 100 }, (_, n) => ({ key: `k${n}`, label: { nl: ` ${"x".repeat(60)} ` } }));
    const { status, body } = await organisation({ items: keys, groups: keys });
    expect([status, body.items.length, body.groups.length]).to.deep.equal([200, 100, 100]);
    const emoji = (count: number) => organisation({ items: [{ key: "a", label: { nl: "😀".repeat(count) } }] });
    expect([(await emoji(60)).status, (await emoji(61)).status]).to.deep.equal([200, 422]);
  });

  it("is for who holds nav.prefs.*, the organisation's for who holds settings.nav.manage", async () => {
    expect((await member.put("/nav/prefs/default", { items: [] })).status).to.equal(403);
    const client = await tenant.member("client");
    expect((await client.put("/nav/prefs", { items: [{ key: "a" }] })).status).to.equal(200);
    const reader = await tenant.member("member", { grants: ["nav.prefs.read"] });
    expect((await reader.put("/nav/prefs", { items: [] })).status).to.equal(403);
    expect((await reader.delete("/nav/prefs")).status).to.equal(403);
  });

  it("gives a service account the organisation's, and nothing of its own", async () => {
    const account = await tenant.serviceAccount(["nav.prefs.read", "nav.prefs.write"]);
    expect((await account.get("/nav/prefs")).body).to.deep.equal(NONE);
    expect((await account.put("/nav/prefs", { items: [] })).status).to.equal(403);
    expect((await account.delete("/nav/prefs")).status).to.equal(403);
  });

  it("is one row however many saves are the first at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => member.put("/nav/prefs", { items: [{ key: `k${n}` }] })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
    const { rows } = await service.sql.query(
      "select count(*)::int as rows, max(version) as version from nav_layouts where organisation_id = $1",
      [tenant.organisation.id],
    );
    expect(rows).to.deep.equal([{ rows: 1, version: 8 }]);
  });

  it("is changed only as it was seen, where If-Match says so", async () => {
    const put = (tag: string) => member.put("/nav/prefs", { items: [] }, { headers: { "If-Match": tag } });
    expect((await put("*")).status).to.equal(412);
    await member.put("/nav/prefs", { items: [] });
    expect([(await put('"2"')).status, (await put('"1"')).status]).to.deep.equal([412, 200]);
  });

  it("is another one in another organisation", async () => {
    const other = await service.tenant();
    await service.sql.query("insert into memberships (organisation_id, account_id) values ($1, $2)", [
      other.organisation.id,
      member.accountId,
    ]);
    await member.put("/nav/prefs", { items: [{ key: "here" }] });
    await organisation({ items: [{ key: "default" }] });
    expect(await read(other.owner)).to.deep.equal(NONE);
    const { rows } = await service.sql.query("select 1 from nav_layouts where organisation_id = $1", [other.organisation.id]);
    expect(rows).to.deep.equal([]);
  });
});
