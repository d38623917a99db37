import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { refusalOf, trailOf } from "../companies/company-records.ts";

type Body = Record<string, unknown>;

describe("merging contacts", () => {
  let service: TestService;
  let tenant: Tenant;
  let [first, second] = ["", ""];
  let kept: string;
  let other: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    [first, second] = [(await tenant.company()).id, (await tenant.company()).id];
    kept = await contact({ first_name: "Jan", last_name: "Bos", company_ids: [first] });
    other = await contact({ first_name: "Jan", last_name: "Bos", email: "jan@example.com", company_ids: [second, first] });
  });
  after(() => service.stop());

  const contact = async (body: Body): Promise<string> => {
    const answer = await tenant.owner.post("/contacts", body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.id;
  };
  const merge = (body: Body = { from: other }) => tenant.owner.post(`/contacts/${kept}/merge`, body);
  const login = (id: string, accountId: string) =>
    service.sql.query("update contacts set account_id = $2 where id = $1", [id, accountId]);

  it("moves links, tasks, moments and mentions, and takes the address over", async () => {
    const task = (await tenant.owner.post("/tasks", { title: "T", company_id: first, assignee_contact_id: other })).body.id;
    const moment = await tenant.owner.post("/interactions", {
      kind: "note",
      subject: "S",
      company_id: first,
      contact_ids: [other, kept],
    });
    expect(moment.status, moment.text).to.equal(201);
    const answer = await merge();
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.contact).to.include({ id: kept, email: "jan@example.com" });
    const links = answer.body.contact.companies as { company_id: string; is_primary: boolean }[];
    expect(new Map(links.map((link) => [link.company_id, link.is_primary]))).to.deep.equal(
      new Map([
        [first, true],
        [second, true],
      ]),
    );
    expect((await tenant.owner.get(`/tasks/${task}`)).body.assignee_contact_id).to.equal(kept);
    const contacts = (await tenant.owner.get(`/interactions/${moment.body.id}`)).body.contacts as { contact_id: string }[];
    expect(contacts.map(({ contact_id: id }) => id)).to.deep.equal([kept]);
    expect((await tenant.owner.get("/contacts")).body.total).to.equal(1);
    expect((await tenant.owner.get(`/contacts/${other}`)).headers["location"]).to.equal(`/api/v1/contacts/${kept}`);
    expect((await trailOf(service.sql, "contact", kept)).map(({ action }) => action)).to.deep.equal(["created", "merged"]);
  });

  it("keeps the primary contact of a client where the other was it", async () => {
    const third = (await tenant.company()).id;
    const primary = await contact({ first_name: "P", company_ids: [third] });
    const plain = await contact({ first_name: "Q", company_ids: [third] });
    const answer = await tenant.owner.post(`/contacts/${plain}/merge`, { from: primary });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.contact.companies[0]).to.include({ company_id: third, is_primary: true });
  });

  it("takes a login of the portal over, and refuses two", async () => {
    const [one, two] = [await tenant.member("client"), await tenant.member("client")];
    await login(other, one.accountId);
    await login(kept, two.accountId);
    expect(refusalOf(await merge())).to.deep.equal([409, "conflict", null]);
    await service.sql.query("update contacts set account_id = null where id = $1", [kept]);
    const answer = await merge();
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.filled).to.include("portal");
    const { rows } = await service.sql.query("select account_id from contacts where id = $1", [kept]);
    expect(rows[0].account_id).to.equal(one.accountId);
    const seen = (await one.get("/companies")).body.items.map(({ id }: { id: string }) => id).toSorted();
    expect(seen).to.deep.equal([first, second].toSorted());
  });

  it("gives no login more than the caller sees", async () => {
    const member = await tenant.member("admin");
    await tenant.group("Some", [first], [member.membershipId]);
    await login(kept, (await tenant.member("client")).accountId);
    expect((await member.post(`/contacts/${kept}/merge`, { from: other })).status).to.equal(403);
    expect((await tenant.owner.get(`/contacts/${other}`)).status).to.equal(200);
  });

  it("refuses a caller without the permission for links", async () => {
    const grants = ["contacts.contact.read", "contacts.contact.write", "contacts.contact.delete"];
    const weak = await tenant.member("member", { grants });
    expect((await weak.post(`/contacts/${kept}/merge`, { from: other })).status).to.equal(403);
    expect((await merge({ from: kept })).status).to.equal(422);
  });
});
