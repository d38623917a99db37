import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "./company-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
interface Group {
  id: string;
  name: string;
  position: number;
  company_ids: string[];
  membership_ids: string[];
}

describe("company groups", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const groups = async (query = ""): Promise<Group[]> => (await tenant.owner.get(`/companies/groups${query}`)).body;
  const create = (name: unknown) => tenant.owner.post("/companies/groups", { name });
  const put = (id: string, part: "companies" | "memberships", body: unknown) =>
    tenant.owner.put(`/companies/groups/${id}/${part}`, body);
  const lines = async (id: string) =>
    (await trailOf(service.sql, "company_group", id)).map(({ action, payload }) => [action, payload]);

  it("start at position 0 without members", async () => {
    const { status, body } = await create("Retail");
    expect(status).to.equal(201);
    expect(body).to.deep.equal({ id: body.id, name: "Retail", position: 0, company_ids: [], membership_ids: [] });
    expect(await groups()).to.deep.equal([body]);
  });

  it("are listed by position", async () => {
    for (const [name, position] of [
      ["c", 0],
      ["a", 2],
      ["b", -1],
      ["B", 0],
    ] as const) {
      const { body } = await create(name);
      await tenant.owner.patch(`/companies/groups/${body.id}`, { position });
    }
    expect((await groups()).map(({ name }) => name)).to.deep.equal(["b", "B", "c", "a"]);
  });

  it("are listed up to 500, and since an instant", async () => {
    await service.sql.query(
      `insert into company_groups (id, organisation_id, name, position, updated_at)
       select gen_random_uuid(), $1, 'g' || n, n, '2026-01-01'::timestamptz + n * interval '1 minute' from generate_series(1, 501) n`,
      [tenant.organisation.id],
    );
    const all = await groups();
    expect([all.length, all[0]?.name, all[499]?.name]).to.deep.equal([500, "g1", "g500"]);
    expect((await groups("?updated_since=2026-01-01T08:20:00")).map(({ name }) => name)).to.deep.equal(["g500", "g501"]);
  });

  const names: [what: string, name: unknown, key: string][] = [
    ["missing", undefined, "errors.required"],
    ["empty", "", "errors.validation"],
    ["over 255 characters", "x".repeat(256), "errors.validation"],
    ["no text", 7, "errors.validation"],
  ];
  for (const [what, name, key] of names)
    it(`refuse a name that is ${what}`, async () => {
      expect(refusalOf(await create(name))).to.deep.equal(invalidOn({ name: key }));
    });

  it("have a name of their own, on create and on rename, within the organisation", async () => {
    const duplicate = invalidOn({ name: "errors.duplicate" });
    const [one, two] = [(await create("One")).body, (await create("Two")).body];
    expect(refusalOf(await create("One"))).to.deep.equal(duplicate);
    expect(refusalOf(await create(" One "))).to.deep.equal(duplicate);
    const blank = invalidOn({ name: "errors.validation" });
    expect(refusalOf(await create("  "))).to.deep.equal(blank);
    expect(refusalOf(await tenant.owner.patch(`/companies/groups/${two.id}`, { name: " " }))).to.deep.equal(blank);
    expect(refusalOf(await tenant.owner.patch(`/companies/groups/${two.id}`, { name: "One" }))).to.deep.equal(duplicate);
    expect((await tenant.owner.patch(`/companies/groups/${one.id}`, { name: "One" })).status).to.equal(200);
    const racing = await Promise.all([create("Three"), create("Three")]);
    expect(racing.map(({ status }) => status).sort()).to.deep.equal([201, 422]);
    const other = await service.tenant();
    expect((await other.owner.post("/companies/groups", { name: "One" })).status).to.equal(201);
  });

  it("are renamed and moved, each alone or together; null is refused", async () => {
    const { id } = (await create("One")).body;
    const patch = (body: unknown) => tenant.owner.patch(`/companies/groups/${id}`, body);
    expect((await patch({ name: "Uno" })).body).to.include({ name: "Uno", position: 0 });
    expect((await patch({ position: 3 })).body).to.include({ name: "Uno", position: 3 });
    expect((await patch({ name: "Eins", position: 1, id: UNKNOWN, company_ids: [UNKNOWN] })).body).to.deep.include({
      id,
      name: "Eins",
      position: 1,
      company_ids: [],
    });
    for (const field of ["name", "position"])
      expect(refusalOf(await patch({ [field]: null }))).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
  });

  describe("PUT companies and memberships", () => {
    it("replace the set whole, collapse duplicates, drop unknown ids, and answer 204", async () => {
      const { id } = (await create("One")).body;
      const [a, b] = [(await tenant.company()).id, (await tenant.company()).id];
      const member = await tenant.member("member");
      const other = await service.tenant();
      const foreign = (await other.company()).id;
      const first = await put(id, "companies", { company_ids: [a, b, a, a.toUpperCase(), UNKNOWN, foreign] });
      expect([first.status, first.text]).to.deep.equal([204, ""]);
      await put(id, "memberships", {
        membership_ids: [member.membershipId, member.membershipId, UNKNOWN, other.owner.membershipId],
      });
      expect(await groups()).to.deep.equal([
        { id, name: "One", position: 0, company_ids: [a, b].sort(), membership_ids: [member.membershipId] },
      ]);
      await put(id, "companies", { company_ids: [b] });
      await put(id, "memberships", { membership_ids: [] });
      expect((await groups())[0]).to.deep.include({ company_ids: [b], membership_ids: [] });
      await put(id, "companies", { company_ids: [] });
      expect((await groups())[0]?.company_ids).to.deep.equal([]);
    });

    it("touch the group, and leave it alone when the set stays the same", async () => {
      const { id } = (await create("One")).body;
      const company = (await tenant.company()).id;
      const stamp = async () =>
        (await service.sql.query("select updated_at from company_groups where id = $1", [id])).rows[0].updated_at as string;
      const before = await stamp();
      await put(id, "companies", { company_ids: [company] });
      const after = await stamp();
      expect(after > before).to.equal(true);
      await put(id, "companies", { company_ids: [company, company] });
      expect(await stamp()).to.equal(after);
    });

    it("lose a member with the membership, which touches the group", async () => {
      const member = await tenant.member("member");
      const id = await tenant.group("Revoked", [], [member.membershipId]);
      const { rows } = await service.sql.query("select to_json(statement_timestamp()) #>> '{}' as now");
      expect((await tenant.owner.delete(`/members/${member.membershipId}`)).status).to.equal(204);
      const since = await groups(`?updated_since=${encodeURIComponent(rows[0].now)}`);
      expect(since.map((group) => [group.id, group.membership_ids])).to.deep.equal([[id, []]]);
    });

    it("refuse a body of another shape, and a group that is not there", async () => {
      const { id } = (await create("One")).body;
      expect(refusalOf(await put(id, "companies", {}))).to.deep.equal(invalidOn({ company_ids: "errors.required" }));
      expect(refusalOf(await put(id, "companies", { company_ids: ["x"] }))).to.deep.equal(
        invalidOn({ "0": "errors.validation" }),
      );
      expect(refusalOf(await put(id, "memberships", { membership_ids: null }))).to.deep.equal(
        invalidOn({ membership_ids: "errors.validation" }),
      );
      expect((await put(UNKNOWN, "companies", { company_ids: [] })).status).to.equal(404);
      expect((await put("x", "companies", { company_ids: [] })).status).to.equal(422);
    });

    it("at the same moment leave one of the sets, not a mixture", async () => {
      const { id } = (await create("One")).body;
      const [a, b, c, d] = [await tenant.company(), await tenant.company(), await tenant.company(), await tenant.company()].map(
        (company) => company.id,
      ) as [string, string, string, string];
      const sets = [
        [a, b],
        [c, d],
      ];
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => put(id, "companies", { company_ids: sets[index % 2] })),
      );
      expect(answers.every(({ status }) => status === 204)).to.equal(true);
      expect([sets[0]?.toSorted(), sets[1]?.toSorted()]).to.deep.include((await groups())[0]?.company_ids);
    });
  });

  it("of another organisation do not exist", async () => {
    const { id } = (await create("One")).body;
    const { owner } = await service.tenant();
    const answers = [
      await owner.patch(`/companies/groups/${id}`, { name: "X" }),
      await owner.delete(`/companies/groups/${id}`),
      await owner.put(`/companies/groups/${id}/companies`, { company_ids: [] }),
      await owner.put(`/companies/groups/${id}/memberships`, { membership_ids: [] }),
    ];
    for (const answer of answers) expect(refusalOf(answer)).to.deep.equal([404, "not_found", null]);
    expect((await owner.get("/companies/groups")).body).to.deep.equal([]);
  });

  it("need companies.group.manage throughout", async () => {
    const { id } = (await create("One")).body;
    const member = await tenant.member("member");
    const answers = await Promise.all([
      member.get("/companies/groups"),
      member.post("/companies/groups", { name: "X" }),
      member.patch(`/companies/groups/${id}`, { name: "X" }),
      member.delete(`/companies/groups/${id}`),
      member.put(`/companies/groups/${id}/companies`, { company_ids: [] }),
      member.put(`/companies/groups/${id}/memberships`, { membership_ids: [] }),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([403, 403, 403, 403, 403, 403]);
  });

  it("leave a trail of real changes", async () => {
    const { id } = (await create("One")).body;
    const [company, member] = [await tenant.company(), await tenant.member("member")];
    await tenant.owner.patch(`/companies/groups/${id}`, { name: "One", position: 0 });
    await tenant.owner.patch(`/companies/groups/${id}`, { position: 4 });
    await tenant.owner.patch(`/companies/groups/${id}`, { name: "Two" });
    await put(id, "companies", { company_ids: [company.id, UNKNOWN] });
    await put(id, "companies", { company_ids: [company.id] });
    await put(id, "memberships", { membership_ids: [member.membershipId] });
    await put(id, "memberships", { membership_ids: [] });
    expect((await tenant.owner.delete(`/companies/groups/${id}`)).status).to.equal(204);
    expect((await tenant.owner.delete(`/companies/groups/${id}`)).status).to.equal(404);
    expect(await lines(id)).to.deep.equal([
      ["created", { name: "One" }],
      ["updated", { changes: { name: { from: "One", to: "Two" } } }],
      ["companies_changed", { name: "Two", count: 1 }],
      ["memberships_changed", { name: "Two", count: 1 }],
      ["memberships_changed", { name: "Two", count: 0 }],
      ["deleted", { name: "Two" }],
    ]);
  });
});
