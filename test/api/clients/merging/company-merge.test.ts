import { expect } from "chai";
import { keepEvents } from "../../../support/jobs.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { refusalOf, trailOf } from "../companies/company-records.ts";

type Body = Record<string, unknown>;

describe("merging clients", () => {
  let service: TestService;
  let tenant: Tenant;
  let kept: string;
  let other: string;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    kept = (await tenant.company({ name: "Bakkerij Jansen", city: "Zeist", notes: "One", client_number: "K1" })).id;
    other = (await tenant.company({ name: "Bakkerij Jansen B.V.", city: "Gent", vat_number: "NL1", notes: "Two" })).id;
  });
  after(() => service.stop());

  const merge = (body: Body = { from: other }, call = {}) => tenant.owner.post(`/companies/${kept}/merge`, body, call);
  const created = async (path: string, body: Body): Promise<string> => {
    const answer = await tenant.owner.post(path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id;
  };
  const count = (answer: { body: Body }, part: "moved" | "dropped") =>
    Object.fromEntries((answer.body[part] as { records: string; count: number }[]).map((row) => [row.records, row.count]));

  it("moves what refers to the other, fills what is empty, and says what it left out", async () => {
    const [project, task] = [
      await created("/projects", { name: "Site", company_id: other }),
      await created("/tasks", { title: "Call", company_id: other }),
    ];
    const before = (await tenant.owner.get(`/tasks/${task}`)).body;
    const answer = await merge();
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.deep.include({ dry_run: false, merged: { id: other, name: "Bakkerij Jansen B.V." } });
    expect(answer.body.company).to.include({
      id: kept,
      name: "Bakkerij Jansen",
      city: "Zeist",
      vat_number: "NL1",
      notes: "One\n\nTwo",
    });
    expect(answer.body.company.client_number).to.equal("K1");
    expect(answer.body.filled.toSorted()).to.deep.equal(["notes", "vat_number"]);
    expect(answer.body.kept).to.deep.include({ field: "city", kept: "Zeist", other: "Gent" });
    expect(answer.body.kept).to.deep.include({ field: "name", kept: "Bakkerij Jansen", other: "Bakkerij Jansen B.V." });
    expect(count(answer, "moved")).to.include({ projects: 1, tasks: 1 });
    expect((await tenant.owner.get(`/projects/${project}`)).body.company_id).to.equal(kept);
    const after = await tenant.owner.get(`/tasks/${task}`);
    expect(after.body.company_id).to.equal(kept);
    expect(Date.parse(after.body.updated_at)).to.be.greaterThan(Date.parse(before.updated_at));
    expect((await tenant.owner.get("/companies")).body.total).to.equal(1);
  });

  it("refers readers of the old id to the kept client, also after a second merge", async () => {
    await merge();
    const referred = await tenant.owner.get(`/companies/${other}`);
    expect(referred.status, referred.text).to.equal(308);
    expect(referred.headers["location"]).to.equal(`/api/v1/companies/${kept}`);
    expect(referred.body.error).to.deep.include({ code: "moved", details: { id: kept } });
    const third = await tenant.company({ name: "Third" });
    expect((await tenant.owner.post(`/companies/${third.id}/merge`, { from: kept })).status).to.equal(200);
    for (const id of [kept, other])
      expect((await tenant.owner.get(`/companies/${id}`)).headers["location"]).to.equal(`/api/v1/companies/${third.id}`);
    expect((await tenant.owner.post("/tasks", { title: "T", company_id: other })).status).to.be.oneOf([404, 422]);
    expect((await tenant.owner.patch(`/companies/${other}`, { name: "N" })).status).to.equal(404);
  });

  it("shows an alias to those alone who see the kept client", async () => {
    await merge();
    const elsewhere = await tenant.company({ name: "Elsewhere" });
    const member = await tenant.member("admin");
    await tenant.group("Some", [elsewhere.id], [member.membershipId]);
    expect((await member.get(`/companies/${other}`)).status).to.equal(404);
    const stranger = await service.tenant();
    expect((await stranger.owner.get(`/companies/${other}`)).status).to.equal(404);
  });

  it("stores nothing in a dry run, and answers the same", async () => {
    await created("/tasks", { title: "Call", company_id: other });
    const dry = await merge({ from: other, dry_run: true });
    expect(dry.status, dry.text).to.equal(200);
    expect((await tenant.owner.get(`/companies/${other}`)).status).to.equal(200);
    expect((await tenant.owner.get(`/companies/${kept}`)).body.vat_number).to.equal(null);
    expect((await trailOf(service.sql, "company", other)).map(({ action }) => action)).to.deep.equal(["created"]);
    const { rows } = await service.sql.query("select 1 from outbox where organisation_id = $1 and event like '%.merged'", [
      tenant.organisation.id,
    ]);
    expect(rows).to.have.length(0);
    const real = await merge();
    for (const part of ["merged", "filled", "kept", "moved", "dropped"]) expect(real.body[part]).to.deep.equal(dry.body[part]);
  });

  it("makes one of what both have: people, groups, contacts and settings", async () => {
    const [ann, bob] = [await tenant.member("member"), await tenant.member("member")];
    const roster = (...ids: string[]) => ids.map((user_id, index) => ({ user_id, is_primary: index === 0 }));
    await tenant.owner.patch(`/companies/${kept}`, { assignees: roster(ann.accountId) });
    await tenant.owner.patch(`/companies/${other}`, { assignees: roster(bob.accountId, ann.accountId) });
    await tenant.group("Both", [kept, other], []);
    await tenant.group("Other", [other], []);
    const contact = await created("/contacts", { first_name: "Jan", company_ids: [kept, other] });
    const second = await created("/contacts", { first_name: "Piet", company_ids: [other] });
    for (const id of [kept, other]) {
      const saved = await tenant.owner.put(`/reports/profiles/${id}`, { display_name: `Of ${id}` });
      expect(saved.status, saved.text).to.be.oneOf([200, 404]);
    }
    const answer = await merge();
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.company.assignees).to.deep.equal([
      { user_id: ann.accountId, is_primary: true },
      { user_id: bob.accountId, is_primary: false },
    ]);
    expect(count(answer, "moved")).to.include({ company_assignees: 1, company_group_companies: 1, contact_links: 1 });
    expect(count(answer, "dropped")).to.include({ company_assignees: 1, company_group_companies: 1, contact_links: 1 });
    const groups = (await tenant.owner.get("/companies/groups")).body as { company_ids: string[] }[];
    for (const group of groups) expect(group.company_ids).to.deep.equal([kept]);
    const links = async (id: string) => (await tenant.owner.get(`/contacts/${id}`)).body.companies;
    expect(await links(contact)).to.have.length(1);
    expect((await links(contact))[0]).to.include({ company_id: kept, is_primary: true });
    expect((await links(second))[0]).to.include({ company_id: kept, is_primary: false });
  });

  it("keeps the bill-to text of issued documents, and allows the merge that a deletion refuses", async () => {
    const invoice = await created("/invoicing/invoices", {
      company_id: other,
      lines: [{ description: "Work", quantity: "1", unit_price: "10.00" }],
    });
    await service.sql.query("update invoices set status = 'open', number = 'F1' where id = $1", [invoice]);
    const before = (await tenant.owner.get(`/invoicing/invoices/${invoice}`)).body;
    expect((await tenant.owner.delete(`/companies/${other}`)).status).to.equal(409);
    expect((await merge()).status).to.equal(200);
    const after = (await tenant.owner.get(`/invoicing/invoices/${invoice}`)).body;
    expect(after.customer).to.deep.equal(before.customer);
    expect(after.company_id).to.equal(kept);
  });

  it("writes the trail of both, and reports the events", async () => {
    await merge();
    const line = (await trailOf(service.sql, "company", kept)).at(-1);
    expect(line?.action).to.equal("merged");
    expect(line?.payload).to.deep.include({ company_id: other, name: "Bakkerij Jansen B.V.", filled: { vat_number: "NL1" } });
    expect(JSON.stringify(line?.payload)).to.not.contain("Two");
    expect((await trailOf(service.sql, "company", other)).at(-1)?.action).to.equal("merged_into");
    const { rows } = await service.sql.query(
      "select payload from outbox where organisation_id = $1 and event = 'company.merged'",
      [tenant.organisation.id],
    );
    expect(rows[0]?.payload).to.include({ company_id: kept, merged_company_id: other });
  });

  it("refuses one client twice, a client that is not seen, and an old state", async () => {
    expect(refusalOf(await merge({ from: kept.toUpperCase() }))).to.deep.equal([
      422,
      "validation",
      { from: "errors.merge_with_itself" },
    ]);
    const stranger = await service.tenant();
    const foreign = await stranger.company();
    expect((await merge({ from: foreign.id })).status).to.equal(404);
    expect((await merge({ from: other }, { headers: { "if-match": '"99"' } })).status).to.equal(412);
    const member = await tenant.member("admin");
    await tenant.group("Some", [kept], [member.membershipId]);
    expect((await member.post(`/companies/${kept}/merge`, { from: other })).status).to.equal(404);
    for (const grants of [["companies.company.delete"], ["companies.company.write"]]) {
      const weak = await tenant.member("member", { grants: ["companies.company.read", ...grants] });
      expect((await weak.post(`/companies/${kept}/merge`, { from: other })).status).to.equal(403);
    }
    expect((await merge()).status).to.equal(200);
    expect((await merge()).status).to.equal(404);
  });
});
