import { expect } from "chai";
import { fileBody } from "../../support/multipart.ts";
import { sharedService, type Tenant } from "../../support/service.ts";

const CARD = [
  "BEGIN:VCARD",
  "VERSION:3.0",
  "N:de Vries;Anna;;;",
  "ORG:Zeilmakerij Wind;Verkoop",
  "TITLE:Inkoper",
  "EMAIL;type=HOME:anna@home.example",
  "EMAIL;type=WORK,pref:anna@wind.example",
  "TEL;type=CELL:+31612345678",
  "TEL;type=WORK:+31302345678",
  "BDAY:1985-04-12",
  "ADR;type=WORK:;;Dorpsstraat 1;Utrecht;;3511 AA;Nederland",
  "END:VCARD",
].join("\r\n");

describe("cards of people, imported as contacts", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await (await sharedService()).tenant();
  });

  const send = (type: string, query = "?dry_run=false", card = CARD) => {
    const { body, headers } = fileBody(card, type, "contacten.vcf");
    return tenant.owner.post(`/impex/contact${query}`, body, { headers });
  };

  it("fill all fields of a contact, name the client, and say what they leave out", async () => {
    const { id: company } = await tenant.company({ name: "Zeilmakerij Wind" });
    const { status, body, text } = await send("text/vcard");
    expect(status, text).to.equal(200);
    expect(body).to.include({ created: 1 });
    expect(body.ignored_columns).to.have.members(["ADR", "ORG unit"]);
    const [contact] = (await tenant.owner.get("/contacts")).body.items;
    expect(contact).to.deep.include({
      ...{ first_name: "Anna", last_name: "de Vries", job_title: "Inkoper", birthday: "1985-04-12" },
      ...{ email: "anna@wind.example", other_emails: [{ label: "home", email: "anna@home.example" }] },
      ...{ phone: "+31612345678", other_phones: [{ label: "work", phone: "+31302345678" }] },
    });
    expect(contact.companies.map((link: { company_id: string }) => link.company_id)).to.deep.equal([company]);
  });

  for (const type of ["text/x-vcard", "text/directory", "application/octet-stream", "text/plain"])
    it(`are taken as ${type} too, and the same card changes nothing`, async () => {
      const { status, body, text } = await send(type);
      expect(status, text).to.equal(200);
      expect(body).to.include({ created: 0, updated: 0, unchanged: 1 });
    });

  it("are refused as a whole if the file is cut off", async () => {
    const { status, body } = await send("text/vcard", "", CARD.slice(0, 60));
    expect([status, body.error.code]).to.deep.equal([400, "invalid_file"]);
  });

  it("come back from the card that the service writes", async () => {
    const [{ id }] = (await tenant.owner.get("/contacts")).body.items;
    const { text } = await tenant.owner.get(`/contacts/${id}/vcard`);
    expect((await send("text/vcard", "?dry_run=false", text)).body).to.include({ created: 0, updated: 0, unchanged: 1 });
  });
});
