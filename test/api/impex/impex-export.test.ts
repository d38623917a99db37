import { expect } from "chai";
import { cellsOf, fetchSheet, importSheet, sendSheet } from "../../support/impex.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

const READ = ["companies.company.read", "contacts.contact.read"];
const WRITE = ["companies.company.write", "contacts.contact.write", "contacts.link.write"];

describe("/impex", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const rowsOf = ({ text }: { text: string }) =>
    text
      .replace(/^\ufeff/, "")
      .trimEnd()
      .split("\r\n");
  const exported = async (path: string, caller: Caller = tenant.owner) => {
    const answer = await caller.get(`/impex/${path}`);
    expect(answer.status, answer.text).to.equal(200);
    return rowsOf(answer).slice(1);
  };
  const names = async (path: string, caller?: Caller) => (await exported(path, caller)).map((row) => row.split(",")[1]);
  const bytes = (path: string) => fetchSheet(service.port, tenant.host, tenant.owner.key, `/impex/${path}`);

  describe("GET /impex/<entity>", () => {
    it("answers a file: CSV in UTF-8 with byte order mark, or a workbook", async () => {
      await tenant.company({ name: "Café" });
      const csv = await tenant.owner.get("/impex/company");
      expect(csv.headers["content-type"]).to.equal("text/csv");
      expect(csv.headers["content-disposition"]).to.equal('attachment; filename="companies.csv"');
      expect(csv.headers["cache-control"]).to.equal("no-store");
      const raw = await bytes("company");
      expect([...raw.subarray(0, 3)]).to.deep.equal([0xef, 0xbb, 0xbf]);
      const workbook = await tenant.owner.get("/impex/company?format=xlsx");
      expect(workbook.headers["content-type"]).to.contain("spreadsheetml");
      expect(workbook.headers["content-disposition"]).to.equal('attachment; filename="companies.xlsx"');
      const [header, row] = await cellsOf(await bytes("company?format=xlsx"));
      expect(header?.slice(0, 4)).to.deep.equal(["id", "name", "legal_name", "client_number"]);
      expect(row?.[1]).to.equal("Café");
      expect((await tenant.owner.get("/impex/company?format=pdf")).body.error.fields).to.deep.equal({
        format: "errors.validation",
      });
      expect((await tenant.owner.get("/impex/nonsense")).status).to.equal(404);
    });

    it("guards text that a spreadsheet would run, in every text column of CSV, and no number", async () => {
      for (const [key, data_type] of [
        ["omzet", "number"],
        ["kop", "text"],
      ] as const)
        await tenant.owner.post("/custom-fields/definitions", { entity_type: "company", key, data_type });
      const { id } = await tenant.company({
        name: "=cmd|'/C calc'!A1",
        notes: "@SUM(1)",
        client_number: "-1",
        custom: { omzet: -5.5, kop: "+x" },
      });
      const [row] = await exported("company");
      expect(row).to.equal(`${id},'=cmd|'/C calc'!A1,,'-1,active,,,,,,,,,,,,'@SUM(1),'+x,-5.5`);
      const [, cells] = await cellsOf(await bytes("company?format=xlsx"));
      // The text cells of a workbook are never formulas.
      expect(cells?.[1]).to.equal("=cmd|'/C calc'!A1");
      expect(cells?.at(-1)).to.equal(-5.5);
    });

    it("has a column per active custom field, dates as dates", async () => {
      for (const [key, data_type, position] of [
        ["sinds", "date", 2],
        ["vip", "boolean", 1],
      ] as const)
        await tenant.owner.post("/custom-fields/definitions", { entity_type: "company", key, data_type, position });
      await tenant.owner.post("/custom-fields/definitions", {
        entity_type: "company",
        key: "oud",
        data_type: "text",
        active: false,
      });
      await tenant.company({ name: "A", custom: { sinds: "2019-05-01", vip: true } });
      const { text } = await tenant.owner.get("/impex/company");
      expect(rowsOf({ text })[0]).to.match(/,notes,custom\.vip,custom\.sinds$/);
      expect(rowsOf({ text })[1]).to.match(/,yes,2019-05-01$/);
      const [, cells] = await cellsOf(await bytes("company?format=xlsx"));
      expect(cells?.slice(-2)).to.deep.equal([true, new Date("2019-05-01T00:00:00Z")]);
    });

    it("takes the filters of the list and orders by key, not by the list's order", async () => {
      await tenant.company({ name: "Zee", client_number: "1", status: "lead" });
      await tenant.company({ name: "Aap", client_number: "2" });
      await tenant.company({ name: "Bes", client_number: "3", responsible_user_id: tenant.owner.accountId });
      expect(await names("company")).to.deep.equal(["Zee", "Aap", "Bes"]);
      expect(await names("company?status=lead")).to.deep.equal(["Zee"]);
      expect(await names("company?q=aa")).to.deep.equal(["Aap"]);
      expect(await names("company?mine=true")).to.deep.equal(["Bes"]);
      expect(await names("company?updated_since=2099-01-01T00:00:00Z")).to.deep.equal([]);
      const { id } = (await tenant.owner.get("/companies?q=zee")).body.items[0];
      await tenant.owner.post("/contacts", { first_name: "Jan", company_ids: [id] });
      await tenant.owner.post("/contacts", { first_name: "Eva" });
      expect(await names(`contact?company_id=${id}`)).to.deep.equal(["Jan"]);
      expect(await names("contact?q=ev")).to.deep.equal(["Eva"]);
      expect((await tenant.owner.get("/impex/company?q=".concat("x".repeat(201)))).status).to.equal(422);
    });

    it("gives every row of a long list once", async () => {
      await service.sql.query(
        `insert into companies (id, organisation_id, name, client_number)
         select gen_random_uuid(), $1, 'Bedrijf ' || n, lpad(n::text, 5, '0') from generate_series(1, 1203) n`,
        [tenant.organisation.id],
      );
      const rows = await names("company");
      expect(rows).to.deep.equal(Array.from({ length: 1203 }, (_, n) => `Bedrijf ${n + 1}`));
    });
  });

  describe("GET /impex/<entity>/template", () => {
    it("is a file with the columns of an import and nothing else, in both formats", async () => {
      const { text } = await tenant.owner.get("/impex/contact/template");
      expect(text).to.equal(
        "\ufefffirst_name,last_name,job_title,email,phone,other_emails,other_phones,birthday,notes,companies,company_name,contact_types,primary\r\n",
      );
      expect((await tenant.owner.get("/impex/company/template")).text).to.match(/,notes,contact_first_name,.*,contact_role\r\n$/);
      expect(await cellsOf(await bytes("contact/template?format=xlsx"))).to.have.length(1);
      expect((await sendSheet(tenant.owner, "contact", text)).body).to.include({ rows: 0 });
    });
  });

  describe("permissions", () => {
    const callers = async (...grants: string[]) => tenant.member("member", { grants });

    it("are those of spreadsheets and of the records, both", async () => {
      const table: [grants: string[], exports: number, imports: number][] = [
        [[...READ, ...WRITE], 403, 403],
        [["impex.export", "impex.import"], 403, 403],
        [["impex.export", ...READ], 200, 403],
        [["impex.import", ...WRITE], 403, 200],
      ];
      for (const [grants, exports, imports] of table) {
        const caller = await callers(...grants);
        for (const [entity, file] of [
          ["company", "name\nA\n"],
          ["contact", "first_name\nA\n"],
        ] as const) {
          const what = `${entity} with ${grants}`;
          expect((await caller.get(`/impex/${entity}`)).status, what).to.equal(exports);
          expect((await caller.get(`/impex/${entity}/template`)).status, what).to.equal(imports);
          expect((await sendSheet(caller, entity, file)).status, what).to.equal(imports);
        }
      }
    });

    it("belong to administrators only by default", async () => {
      const [admin, member] = [await tenant.member("admin"), await tenant.member("member")];
      expect((await admin.get("/impex/company")).status).to.equal(200);
      expect((await sendSheet(admin, "company", "name\nA\n")).status).to.equal(200);
      expect((await member.get("/impex/company")).status).to.equal(403);
      expect((await sendSheet(member, "company", "name\nA\n")).status).to.equal(403);
    });

    it("of contacts and links are required if a file has columns for them", async () => {
      const plain = await callers("impex.import", "companies.company.write", "contacts.contact.write");
      expect((await sendSheet(plain, "company", "name\nA\n")).status).to.equal(200);
      expect((await sendSheet(plain, "company", "name,contact_email\nA,a@b.example\n")).status).to.equal(403);
      expect((await sendSheet(plain, "contact", "first_name\nA\n")).status).to.equal(200);
      expect((await sendSheet(plain, "contact", "first_name,companies\nA,\n")).status).to.equal(403);
    });

    it("let a service account import under its name", async () => {
      const robot = await tenant.serviceAccount(["impex.import", "companies.company.write"]);
      await importSheet(robot, "company", "name\nA\n");
      const { rows } = await service.sql.query("select actor_name from activity where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      expect(rows).to.deep.equal([{ actor_name: robot.email }]);
    });
  });

  describe("a restricted selection", () => {
    it("holds for exports, links and contacts in them, and filters", async () => {
      const [seen, hidden] = [await tenant.company({ name: "Zichtbaar" }), await tenant.company({ name: "Geheim" })];
      const member = await tenant.member("admin");
      await tenant.group("G", [seen.id], [member.membershipId]);
      await tenant.owner.post("/contacts", { first_name: "Beide", company_ids: [seen.id, hidden.id] });
      await tenant.owner.post("/contacts", { first_name: "Verborgen", company_ids: [hidden.id] });
      await tenant.owner.post("/contacts", { first_name: "Los" });
      expect(await names("company", member)).to.deep.equal(["Zichtbaar"]);
      expect(await names("company?q=geheim", member)).to.deep.equal([]);
      const contacts = await exported("contact", member);
      expect(contacts.map((row) => row.split(",")[1])).to.deep.equal(["Beide", "Los"]);
      expect(contacts.join()).not.to.contain(hidden["client_number"]);
      expect((await member.get(`/impex/contact?company_id=${hidden.id}`)).status).to.equal(404);
      const empty = await tenant.member("admin");
      await tenant.group("Leeg", [], [empty.membershipId]);
      expect(await names("company", empty)).to.deep.equal([]);
    });

    it("lets no member create a company, use a hidden number, or reach a hidden record without permission", async () => {
      const [seen, hidden] = [await tenant.company({ name: "Zichtbaar" }), await tenant.company({ name: "Geheim" })];
      const member = await tenant.member("admin");
      await tenant.group("G", [seen.id], [member.membershipId]);
      await tenant.owner.post("/contacts", { first_name: "Verborgen", email: "v@x.example", company_ids: [hidden.id] });
      const real = (entity: string, file: string) => sendSheet(member, entity, file, "?dry_run=false");
      expect((await real("company", "name\nNieuw\n")).body.error.code).to.equal("forbidden");
      expect((await real("company", "name\nGeheim\n")).status).to.equal(403);
      const change = await real("company", "name,city\nZichtbaar,Utrecht\n");
      expect(change.body).to.deep.include({ updated: 1 });
      const number = await real("company", `name,client_number\nZichtbaar,${hidden["client_number"]}\n`);
      expect(number.body.errors[0]).to.include({ column: "client_number", error: "errors.companies.client_number_taken" });
      const email = await real("contact", "first_name,email\nIk,V@x.example\n");
      expect(email.body.errors[0]).to.include({ column: "email", error: "errors.contact_email_exists" });
      const link = await real("contact", `first_name,companies\nIk,${hidden["client_number"]}\nJij,Geheim\n`);
      expect(link.body.errors.map(({ error }: { error: string }) => error)).to.deep.equal(
        Array(2).fill("impex.errors.unresolved_reference"),
      );
      expect((await tenant.owner.get("/companies?q=nieuw")).body.total).to.equal(0);
      expect((await tenant.owner.get(`/companies/${hidden.id}`)).body.city).to.equal(null);
    });
  });
});
