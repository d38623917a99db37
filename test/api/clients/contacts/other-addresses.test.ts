import { expect } from "chai";
import { importSheet } from "../../../support/impex.ts";
import { multipart } from "../../../support/multipart.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf, trailOf } from "../companies/company-records.ts";

describe("further addresses and numbers of a contact", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const made = async (body: object) => {
    const answer = await tenant.owner.post("/contacts", { first_name: "Anna", ...body });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const patch = (id: string, body: object) => tenant.owner.patch(`/contacts/${id}`, body);
  const HOME = { label: "home", email: "anna@home.example" };

  it("are stored in their order, numbers in E.164, and are left alone when they are not sent", async () => {
    const contact = await made({
      email: "anna@work.example",
      other_emails: [
        { email: " Anna@Home.example ", label: " " },
        { ...HOME, email: "board@club.example" },
      ],
      other_phones: [{ label: "mobile", phone: "06 12345678" }],
      birthday: "1980-02-29",
    });
    const others = {
      other_emails: [
        { label: null, email: "Anna@Home.example" },
        { label: "home", email: "board@club.example" },
      ],
      other_phones: [{ label: "mobile", phone: "+31612345678" }],
      birthday: "1980-02-29",
    };
    expect(contact).to.deep.include(others);
    expect((await patch(contact.id, { job_title: "CEO" })).body).to.deep.include(others);
    const emptied = (await patch(contact.id, { other_emails: [], other_phones: [], birthday: null })).body;
    expect(emptied).to.deep.include({ other_emails: [], other_phones: [], birthday: null });
    expect((await trailOf(service.sql, "contact", contact.id)).map(({ action }) => action)).to.deep.equal([
      "created",
      "updated",
      "updated",
    ]);
  });

  it("are refused twice, invalid, or equal to the first address", async () => {
    const refused = async (body: object) => refusalOf(await tenant.owner.post("/contacts", { first_name: "Anna", ...body }));
    expect(await refused({ other_emails: [HOME, { email: "ANNA@home.example" }] })).to.deep.equal(
      invalidOn({ other_emails: "errors.duplicate" }),
    );
    expect(await refused({ email: "anna@home.example", other_emails: [HOME] })).to.deep.equal(
      invalidOn({ other_emails: "errors.duplicate" }),
    );
    expect(await refused({ other_emails: [{ email: "nowhere" }] })).to.deep.equal(
      invalidOn({ other_emails: "errors.invalid_email" }),
    );
    const phones = [{ phone: "06 12345678" }, { phone: "+31612345678" }, { phone: "12" }];
    expect(await refused({ other_phones: phones })).to.deep.equal(invalidOn({ other_phones: "errors.invalid_phone" }));
  });

  it("lose the one that becomes the first", async () => {
    const { id } = await made({ email: "anna@work.example", other_emails: [HOME, { label: null, email: "board@club.example" }] });
    const { body } = await patch(id, { email: "Anna@home.example" });
    expect(body).to.deep.include({ email: "Anna@home.example", other_emails: [{ label: null, email: "board@club.example" }] });
  });

  it("are found by q", async () => {
    const { id } = await made({ other_emails: [HOME] });
    await made({ email: "other@work.example" });
    const { body } = await tenant.owner.get("/contacts?q=home.example");
    expect(body.items.map((one: { id: string }) => one.id)).to.deep.equal([id]);
  });

  it("file mail under the contact, unless the address is the first one of another", async () => {
    const [company, other] = [await tenant.company(), await tenant.company()];
    await made({ email: "anna@work.example", other_emails: [HOME], company_ids: [company.id] });
    const filed = async () => {
      const text = `From: ${HOME.email}\r\nMessage-ID: <${crypto.randomUUID()}@x.example>\r\nSubject: S\r\n\r\nText\r\n`;
      const { body, headers } = multipart([{ name: "file", content: text, type: "message/rfc822", fileName: "message.eml" }]);
      const answer = await tenant.owner.post("/interactions/eml", body, { headers });
      expect(answer.status, answer.text).to.equal(201);
      return [answer.body.company_id, answer.body.participants[0].contact_id];
    };
    const [named, anna] = [await filed(), (await tenant.owner.get("/contacts")).body.items[0].id];
    expect(named).to.deep.equal([company.id, anna]);
    const twin = await made({ first_name: "Twin", email: HOME.email, company_ids: [other.id] });
    expect(await filed()).to.deep.equal([other.id, twin.id]);
  });

  it("make two contacts with one address in common candidates for a merge, which keeps all of them", async () => {
    const kept = await made({ last_name: "Bos", email: "anna@work.example", phone: "+31302345678" });
    const other = await made({ first_name: "A.", email: "anna@home.example", phone: "+31612345678", birthday: "1980-02-29" });
    await patch(kept.id, { other_emails: [{ label: "home", email: "anna@HOME.example" }] });
    const { body: pairs } = await tenant.owner.get("/contacts/duplicates");
    expect(JSON.stringify(pairs)).to.contain(kept.id).and.contain(other.id);
    const { status, body } = await tenant.owner.post(`/contacts/${kept.id}/merge`, { from: other.id });
    expect(status).to.equal(200);
    expect(body.contact).to.deep.include({
      email: "anna@work.example",
      phone: "+31302345678",
      other_emails: [{ label: "home", email: "anna@HOME.example" }],
      other_phones: [{ label: null, phone: "+31612345678" }],
      birthday: "1980-02-29",
    });
    expect(body.kept.map(({ field }: { field: string }) => field))
      .to.not.include("phone")
      .and.not.include("email");
  });

  it("come from all columns of a file, join those of a contact, and go back into an export", async () => {
    const file =
      "Voornaam;E-mailadres;E-mail 2 address;Telefoon werk;Mobiel;Geboortedatum\nAnna;anna@work.example;anna@home.example;030 2345678;06-12345678;0-0-00\n";
    expect(await importSheet(tenant.owner, "contact", file)).to.deep.include({ created: 1, errors: [], left_out: [] });
    const read = async () => (await tenant.owner.get("/contacts")).body.items[0];
    expect(await read()).to.deep.include({
      email: "anna@work.example",
      other_emails: [{ label: null, email: "anna@home.example" }],
      phone: "+31302345678",
      other_phones: [{ label: "mobile", phone: "+31612345678" }],
      birthday: null,
    });
    expect(await importSheet(tenant.owner, "contact", file)).to.include({ unchanged: 1 });
    const more =
      "Voornaam;E-mailadres;E-mail 2 address;Telefoon werk;Mobiel;Geboortedatum\nAnna;anna@work.example;board@club.example;030 2345678;12;29-2-1980\n";
    const report = await importSheet(tenant.owner, "contact", more);
    const left = [{ row: 2, column: "other_phones", header: "Telefoon werk", value: "mobile: 12" }];
    expect(report).to.deep.include({ updated: 1, errors: [], left_out: left });
    const after = await read();
    expect(after.other_emails.map(({ email }: { email: string }) => email)).to.deep.equal([
      "anna@home.example",
      "board@club.example",
    ]);
    expect(after.birthday).to.equal("1980-02-29");
    const { text } = await tenant.owner.get("/impex/contact?format=csv");
    expect(text).to.contain("anna@home.example; board@club.example").and.contain("mobile: +31612345678");
    expect(await importSheet(tenant.owner, "contact", text)).to.include({ unchanged: 1 });
  });
});
