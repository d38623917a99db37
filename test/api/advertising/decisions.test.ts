import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

describe("decisions of advertising (marketing-ads §3.9)", () => {
  let service: TestService;
  let tenant: Tenant;
  let path: string;
  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    path = await newAccount("1");
  });
  after(() => service.stop());

  const newAccount = async (customerId: string) => {
    const text = `insert into ads_accounts (id, organisation_id, customer_id, descriptive_name) values (gen_random_uuid(), $1, $2, 'A') returning id`;
    const { rows } = await service.sql.query(text, [tenant.organisation.id, customerId]);
    return `/ads-platform/accounts/${rows[0].id}/decisions`;
  };
  const note = async (body: object) => (await tenant.owner.post(path, { decision: "excluded", ...body })).body;
  const list = async (query = "") => (await tenant.owner.get(`${path}?${query}`)).body;

  it("notes a decision with its defaults, and answers the row", async () => {
    const { status, body } = await tenant.owner.post(path, {
      subject: " Cheap  bread ",
      decision: "excluded",
      reason: "no margin",
    });
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      subject_type: "search_term",
      subject: "Cheap  bread",
      scope: "account",
      decision: "excluded",
      reason: "no margin",
      applied: false,
      source: "manual",
      payload: {},
      impersonator_name: null,
      expires_on: null,
      withdrawn_at: null,
      withdrawn_by_name: null,
      state: null,
    });
    expect(body.decided_by_name).to.not.equal("");
    expect((await list()).items).to.deep.equal([body]);
  });

  it("answers null if the same decision is valid: by subject and scope, ignoring case and spaces", async () => {
    expect(await note({ subject: "Cheap bread" })).to.include({ decision: "excluded" });
    expect(await note({ subject: "cheap  BREAD" })).to.equal(null);
    expect(await note({ subject: "cheap bread", scope: "campaign:7" })).to.include({ scope: "campaign:7" });
    expect(await note({ subject: "cheap bread", decision: "kept" }), "another one is newer").to.include({ decision: "kept" });
    expect(await note({ subject: "cheap bread" })).to.include({ decision: "excluded" });
    expect((await list()).total).to.equal(4);
  });

  it("notes one of twenty equal decisions that are sent at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => note({ subject: "cheap bread" })));
    expect(answers.filter((answer) => answer !== null)).to.have.length(1);
    expect((await list("include_withdrawn=true")).total).to.equal(1);
  });

  it("keeps a decision valid until its last day in the organisation's zone, or until it is withdrawn", async () => {
    await service.sql.query("update organisations set timezone = 'Pacific/Kiritimati' where id = $1", [tenant.organisation.id]);
    const today = new Intl.DateTimeFormat("en-CA", { timeZone: "Pacific/Kiritimati" }).format(new Date());
    const { id } = await note({ subject: "a", expires_on: today });
    expect(await note({ subject: "a" })).to.equal(null);
    await service.sql.query("update ads_decisions set expires_on = expires_on - 1 where id = $1", [id]);
    const next = await note({ subject: "a" });
    expect(next).to.include({ decision: "excluded" });
    await tenant.owner.delete(`${path}/${next.id}`);
    expect(await note({ subject: "a" })).to.include({ decision: "excluded" });
  });

  it("refuses unknown words on their fields, and a blank subject", async () => {
    const refused = async (body: object) => (await tenant.owner.post(path, body)).body.error.fields;
    expect(await refused({ subject: "  ", decision: "excluded" })).to.deep.equal({
      subject: "errors.ads_platform_decision_subject_required",
    });
    expect(await refused({ subject: "a", decision: "burnt", subject_type: "word", scope: "house" })).to.deep.equal({
      decision: "errors.validation",
      subject_type: "errors.validation",
      scope: "errors.validation",
    });
    expect(await refused({ decision: "kept" })).to.deep.equal({ subject: "errors.required" });
  });

  it("lists newest first, by type and decision, in pages, counted or not", async () => {
    for (const subject of ["a", "b", "c"]) await note({ subject });
    await note({ subject: "k", subject_type: "keyword", decision: "paused", scope: "ad_group:5" });
    const subjects = async (query: string) => (await list(query)).items.map(({ subject }: { subject: string }) => subject);
    expect(await subjects("")).to.deep.equal(["k", "c", "b", "a"]);
    expect(await subjects("limit=2&offset=1")).to.deep.equal(["c", "b"]);
    expect(await subjects("subject_type=keyword")).to.deep.equal(["k"]);
    expect(await subjects("decision=excluded")).to.deep.equal(["c", "b", "a"]);
    expect([await subjects("decision=burnt"), (await list("limit=1")).total, (await list("count=false")).total]).to.deep.equal([
      [],
      4,
      null,
    ]);
    expect((await tenant.owner.get(`${path}?limit=201`)).status).to.equal(422);
  });

  it("withdraws one, once; it is listed on request", async () => {
    const made = await note({ subject: "a" });
    const first = await tenant.owner.delete(`${path}/${made.id}`);
    expect([first.status, first.body.withdrawn_at === null, first.body.withdrawn_by_name]).to.deep.equal([
      200,
      false,
      made.decided_by_name,
    ]);
    expect((await tenant.owner.delete(`${path}/${made.id}`)).body).to.deep.equal(first.body);
    expect([(await list()).items, (await list("include_withdrawn=true")).items]).to.deep.equal([[], [first.body]]);
    const text =
      "select action, payload from activity where organisation_id = $1 and action like 'ads.%' order by created_at, id";
    const about = { subject_type: "search_term", subject: "a", scope: "account", decision: "excluded" };
    expect((await service.sql.query(text, [tenant.organisation.id])).rows).to.deep.equal([
      { action: "ads.decision_noted", payload: about },
      { action: "ads.decision_withdrawn", payload: about },
    ]);
  });

  it("finds no decision of another account or organisation", async () => {
    const made = await note({ subject: "a" });
    const other = await newAccount("2");
    expect((await tenant.owner.delete(`${other}/${made.id}`)).status).to.equal(404);
    expect((await tenant.owner.delete(`${path}/${randomUUID()}`)).status).to.equal(404);
    expect((await (await service.tenant()).owner.get(path)).status).to.equal(404);
    expect((await (await tenant.member("member")).post(path, { subject: "a", decision: "kept" })).status).to.equal(403);
    expect((await (await tenant.member("member")).get(path)).status, "members read").to.equal(200);
  });
});
