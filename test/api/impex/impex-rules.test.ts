import { expect } from "chai";
import { CUT_MARK } from "../../../core/impex/files/cell.ts";
import { cellsOf, errorsOf, fetchSheet, importSheet, sendSheet, workbookOf } from "../../support/impex.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { workbookWith } from "../../support/workbook.ts";

describe("the rules of an import", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const bytes = (path: string) => fetchSheet(service.port, tenant.host, tenant.owner.key, `/impex/${path}`);
  const first = async (path: string) => (await tenant.owner.get(path)).body.items[0];

  it("are those of the body: the file trims, stores and refuses the same", async () => {
    const table: [field: string, text: string][] = [
      ["name", "  Bakker  "],
      ["legal_name", " B.V. "],
      ["client_number", " K-1 "],
      ["website", " https://a.example "],
      ["website", "javascript:alert(1)"],
      ["phone", " 030-2300000 "],
      ["phone", "12"],
      ["invoice_email", " Info@A.example "],
      ["invoice_email", "geen adres"],
      ["postal_code", "x".repeat(17)],
      ["notes", "  <b>vet</b> \n"],
    ];
    for (const [field, text] of table) {
      const [one, other] = [await service.tenant(), await service.tenant()];
      const posted = await one.owner.post("/companies", { name: "A", [field]: text });
      const columns: Record<string, string> = { name: "A", [field]: text };
      const file = `${Object.keys(columns).join(",")}\n${Object.values(columns).map(quoted).join(",")}\n`;
      const { body } = await sendSheet(other.owner, "company", file, "?dry_run=false");
      const what = `${field} ${JSON.stringify(text)}`;
      if (posted.status === 422) {
        expect(
          Object.fromEntries(body.errors.map(({ column, error }: Record<string, string>) => [column, error])),
          what,
        ).to.deep.equal(posted.body.error.fields);
        continue;
      }
      expect(posted.status, what).to.equal(201);
      expect(body.errors, what).to.deep.equal([]);
      expect((await other.owner.get("/companies")).body.items[0][field], what).to.equal(posted.body[field]);
    }
  });

  it("find a client again by a name or number with blanks around it", async () => {
    const run = async (entity: string, content: string) =>
      (await sendSheet(tenant.owner, entity, content, "?dry_run=false")).body;
    const file = 'name,client_number\n" Bakker "," K-1 "\n" Slager ",\n';
    expect(await run("company", file)).to.deep.include({ created: 2, errors: [] });
    expect(await run("company", file)).to.include({ unchanged: 2 });
    expect(await run("company", 'name,client_number\nBakkerij," K-1"\n')).to.include({ updated: 1 });
    const people = 'first_name,last_name,companies\n" Jan "," de Vries ",K-1\n';
    expect(await run("contact", people)).to.include({ created: 1 });
    expect(await run("contact", people)).to.include({ unchanged: 1 });
  });

  it("take a failed formula for an error with its value, in both kinds of file, and never for a blank", async () => {
    const csv = (await sendSheet(tenant.owner, "company", "name,city\nBakker,#N/A\n")).body;
    const file = await workbookOf([
      ["name", "city"],
      ["Bakker", { error: "#REF!" }],
    ]);
    const book = (await sendSheet(tenant.owner, "company", file)).body;
    for (const [body, value] of [
      [csv, "#N/A"],
      [book, "#REF!"],
    ])
      expect(body.errors).to.deep.equal([
        { row: 2, column: "city", header: "city", error: "errors.validation", value, words: [] },
      ]);
  });

  it("store no cell of sixty megabytes that a small workbook unpacks to", async () => {
    const file = workbookWith({
      texts: ["name", "notes", "Bakker", Buffer.alloc(60_000_000, "x")],
      rows: [
        [0, 1],
        [2, 3],
      ],
    });
    const { status, body } = await sendSheet(tenant.owner, "company", file, "?dry_run=false");
    expect([status, errorsOf(body)]).to.deep.equal([200, ["2 notes errors.validation"]]);
    expect((await tenant.owner.get("/companies")).body.total).to.equal(0);
  });

  it("leave alone values that an export has cut off with a mark", async () => {
    const notes = "é".repeat(40_000);
    const { id } = await tenant.company({ name: "Bakker", notes });
    const file = await bytes("company?format=xlsx");
    const [header, row] = await cellsOf(file);
    const cell = String(row?.[(header as string[]).indexOf("notes")]);
    expect(cell).to.have.length(32_767);
    expect(cell.endsWith(CUT_MARK)).to.equal(true);
    expect(await importSheet(tenant.owner, "company", file)).to.deep.include({ unchanged: 1, updated: 0, errors: [] });
    expect((await tenant.owner.get(`/companies/${id}`)).body.notes).to.equal(notes);
  });

  it("name a word that is not understood, with those that would be", async () => {
    const { errors } = (await sendSheet(tenant.owner, "company", "name,status,country\nA,weg,Atlantis\n")).body;
    expect(errors.map(({ column, value }: Record<string, unknown>) => [column, value])).to.have.deep.members([
      ["status", "weg"],
      ["country", "Atlantis"],
    ]);
    for (const { words } of errors) expect(words).not.to.be.empty;
    expect(errors.find(({ column }: { column: string }) => column === "status").words).to.include.members([
      "lead",
      "prospect",
      "actief",
    ]);
  });

  it("write numbers as number cells of a workbook, and what only looks like one as text", async () => {
    await tenant.owner.post("/custom-fields/definitions", { entity_type: "company", key: "omzet", data_type: "number" });
    await tenant.company({ name: "Bakker", client_number: "00007", coc_number: "80000000", custom: { omzet: 1234.5 } });
    const [header, row] = await cellsOf(await bytes("company?format=xlsx"));
    const cell = (key: string) => row?.[(header as string[]).indexOf(key)];
    expect([cell("custom.omzet"), cell("client_number"), cell("coc_number")]).to.deep.equal([1234.5, "00007", "80000000"]);
  });

  it("read a number under a format of zeros as it is shown", async () => {
    const file = workbookWith({
      texts: ["name", "client_number", "Bakker"],
      formats: ["00000"],
      rows: [
        [0, 1],
        [2, { value: 7, style: 0 }],
      ],
    });
    expect(await importSheet(tenant.owner, "company", file)).to.include({ created: 1 });
    expect((await first("/companies")).client_number).to.equal("00007");
  });

  it("say companies where a client login has to name one", async () => {
    const grants = ["impex.import", "contacts.contact.write", "contacts.contact.read"];
    const client = await tenant.member("member", { grants });
    const { id } = await tenant.company({ name: "Bakker" });
    const contact = (await tenant.owner.post("/contacts", { first_name: "Anna", company_ids: [id] })).body.id;
    await service.sql.query("update contacts set account_id = $2 where id = $1", [contact, client.accountId]);
    const { body } = await sendSheet(client, "contact", "first_name\nJan\n");
    expect(errorsOf(body)).to.deep.equal(["2 companies errors.contact_company_required"]);
  });
}).timeout(60_000);
