import { expect } from "chai";
import pg from "pg";
import { errorsOf, importSheet, sendSheet, workbookOf } from "../../support/impex.ts";
import { keepEvents, until } from "../../support/jobs.ts";
import { fileBody, multipart } from "../../support/multipart.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { waitingFor } from "../../support/waiting.ts";

describe("POST /impex/company", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
    await keepEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const run = (content: string | Buffer) => importSheet(tenant.owner, "company", content);
  const tried = async (content: string | Buffer) => (await sendSheet(tenant.owner, "company", content)).body;
  interface Item extends Record<string, unknown> {
    companies?: Record<string, unknown>[];
  }
  const items = async (path: string): Promise<Item[]> => (await tenant.owner.get(path)).body.items;
  const companies = () => items("/companies?sort=name");
  const rowsIn = async (table: string): Promise<number> =>
    (await service.sql.query(`select count(*)::int as n from ${table} where organisation_id = $1`, [tenant.organisation.id]))
      .rows[0].n;
  const field = (body: object) => tenant.owner.post("/custom-fields/definitions", { entity_type: "company", ...body });

  describe("a file", () => {
    it("is only rehearsed unless dry_run is false, and changes nothing the second time", async () => {
      const file = "Bedrijfsnaam;Klantnummer;Telefoon;Branche\r\nBakker;K-1;030-2300000;Voeding\r\n";
      const rehearsed = await sendSheet(tenant.owner, "company", file);
      expect(rehearsed.status, rehearsed.text).to.equal(200);
      const counts = { rows: 1, created: 1, updated: 0, unchanged: 0 };
      expect(rehearsed.body).to.deep.equal({
        ...counts,
        also_created: 0,
        errors: [],
        left_out: [],
        namesakes: [],
        ignored_columns: ["Branche"],
        taken_as: [],
        ambiguous: [],
        sheet: null,
        header_row: 1,
      });
      for (const table of ["companies", "activity", "outbox", "company_settings"]) expect(await rowsIn(table), table).to.equal(0);
      expect(await run(file)).to.deep.include(counts);
      expect((await companies())[0]).to.include({
        name: "Bakker",
        client_number: "K-1",
        phone: "+31302300000",
        status: "active",
      });
      expect(await run(file)).to.include({ created: 0, updated: 0, unchanged: 1 });
      for (const table of ["companies", "activity", "outbox"]) expect(await rowsIn(table), table).to.equal(1);
    });

    it("refuses a second line and other control characters where a body does, and takes them in notes", async () => {
      const file = `Naam,Plaats,Opmerkingen\r\n"Bakker\nZoon",Utrecht,x\r\nSlager,"Ut\u001brecht",y\r\nSmid,Ede,"een\ntwee"\r\n`;
      expect(errorsOf(await tried(file))).to.deep.equal(["2 name errors.validation", "3 city errors.validation"]);
      expect(await run('Naam,Opmerkingen\r\nSmid,"een\ntwee"\r\n')).to.include({ created: 1 });
      expect((await companies())[0]).to.include({ name: "Smid", notes: "een\ntwee" });
    });

    it("finds its columns by Dutch and English names, ignoring case, spaces and punctuation", async () => {
      const dutch =
        "NAAM,Statutaire naam,Klantnr.,Status,Webadres,Tel,E-mail facturen,BTW nummer,KvK-nummer,Straat,Huis-nummer,Postcode,Woonplaats,Land,Opmerkingen";
      const english =
        "Company name,Legal name,Customer number,status,URL,Phone number,Invoice e-mail,VAT number,COC number,Street,House number,Zip code,Town,Country code,Remarks";
      const row = "A,A B.V.,1,Actief,a.example,030-2300000,f@a.example,NL1,8,Brink,5,3511 AA,Utrecht,NL,tekst";
      const fields = {
        name: "A",
        legal_name: "A B.V.",
        client_number: "1",
        status: "active",
        website: "a.example",
        phone: "+31302300000",
        invoice_email: "f@a.example",
        vat_number: "NL1",
        coc_number: "8",
        address_line1: "Brink",
        house_number: "5",
        postal_code: "3511 AA",
        city: "Utrecht",
        country: "NL",
        notes: "tekst",
      };
      expect(await run(`${dutch}\n${row}\n`)).to.deep.include({ created: 1, errors: [], ignored_columns: [] });
      expect((await companies())[0]).to.include(fields);
      expect(await run(`${english}\n${row.replace("Actief", "active")}\n`)).to.deep.include({
        unchanged: 1,
        ignored_columns: [],
      });
    });

    it("takes the first of several fitting columns that is not blank", async () => {
      await run(
        "Bedrijfsnaam;Naam;E-mail;E-mail facturen\nBakker B.V.;Bakker;info@b.example;f@b.example\n;Slager;info@s.example;\n",
      );
      expect((await companies()).map(({ name, invoice_email }) => [name, invoice_email])).to.deep.equal([
        ["Bakker B.V.", "f@b.example"],
        ["Slager", "info@s.example"],
      ]);
    });

    it("splits several invoice addresses of one cell as far as there is room, and names the rest", async () => {
      const many = Array.from({ length: 20 }, (_, n) => `boekhouding-${n + 10}@s.example`);
      const file = `Naam,E-mail facturen\nBakker,"F@b.example; g@b.example"\nSlager,${many.join(" ::: ")}\n`;
      const { errors, left_out } = await run(file);
      expect(errors).to.deep.equal([]);
      expect(JSON.stringify(left_out)).to.contain("boekhouding-29@s.example").and.not.to.contain("boekhouding-10@s.example");
      expect((await companies()).map(({ invoice_email }) => invoice_email)).to.deep.equal([
        "f@b.example, g@b.example",
        many.slice(0, 12).join(", "),
      ]);
    });

    it("can be a workbook with readable numbers", async () => {
      await field({ key: "omzet", data_type: "number" });
      await field({ key: "sinds", data_type: "date" });
      const file = await workbookOf([
        ["Naam", "Klantnummer", "KvK", "custom.omzet", "custom.sinds"],
        ["Bakker", 1001, 80000000, 1.234, new Date("2019-05-01T00:00:00Z")],
      ]);
      expect(await run(file)).to.deep.include({ created: 1, errors: [] });
      const [company] = await companies();
      expect(company).to.include({ client_number: "1001", coc_number: "80000000" });
      expect(company?.["custom"]).to.deep.equal({ omzet: 1.234, sinds: "2019-05-01" });
      expect(await run(file)).to.include({ unchanged: 1 });
    });

    it("is refused as a whole when it cannot be used, with a code that says why", async () => {
      const refused = async (content: string | Buffer) => {
        const { status, body } = await sendSheet(tenant.owner, "company", content, "?dry_run=false");
        const { code, message, fields, details } = body.error;
        return { status, code, message, ...(fields && { fields }), ...(details && { details }) };
      };
      const wrong = (code: string, status = 400) => ({ status, code, message: `impex.errors.${code}` });
      const fields = (all: object) => ({ status: 422, code: "validation", message: "errors.validation", fields: all });
      expect(await refused("\n\n")).to.deep.equal(wrong("empty_file"));
      expect(await refused('name\n"x')).to.deep.equal(wrong("invalid_file"));
      expect(await refused(Buffer.from("PK\x03\x04 no workbook at all"))).to.deep.equal(wrong("invalid_xlsx"));
      expect(await refused(`name${",x".repeat(500)}\na\n`)).to.deep.include(wrong("too_many_columns"));
      expect(await refused(`${"n".repeat(100_001)}\na\n`)).to.deep.equal(wrong("file_too_large", 413));
      expect(await refused("name\nx,y\n")).to.deep.equal({ ...wrong("invalid_file"), details: { row: 2 } });
      expect(await refused("city\nUtrecht\n")).to.deep.equal(fields({ name: "impex.errors.missing_column" }));
      expect(await refused(`name\n${"x\n".repeat(50_001)}`)).to.deep.equal({
        ...wrong("too_many_rows", 413),
        details: { limit: 50_000 },
      });
      expect(await refused(Buffer.concat([await workbookOf([["name"], ["x"]])]).subarray(0, 3000))).to.include({ status: 400 });
      expect(await companies()).to.deep.equal([]);
    });

    for (const [map, key] of [
      ["name", "invalid_map"],
      ["=Naam", "invalid_map"],
      ['name="Naam', "invalid_map"],
      ["name=Naam,name=Stad", "invalid_map"],
      ["nome=Naam", "unknown_column"],
      ["name=Weg", "unknown_column"],
    ] as const)
      it(`refuses the mapping ${map} by its parameter`, async () => {
        const { status, body } = await sendSheet(tenant.owner, "company", "Naam;Stad\nA;B\n", `?map=${encodeURIComponent(map)}`);
        expect([status, body.error.code, body.error.fields]).to.deep.equal([422, "validation", { map: `impex.errors.${key}` }]);
      });

    it("may name a column twice: the first filled cell counts, and the rest is left out", async () => {
      const { body } = await sendSheet(tenant.owner, "company", "Naam;naam\na;b\n;c\n");
      expect(body).to.deep.include({ created: 2, errors: [] });
      expect(body.left_out).to.deep.equal([{ row: 2, column: "name", header: "naam", value: "b" }]);
    });

    it("may hold nothing but headers, and exactly 2,000 rows", async () => {
      expect(await run("name;city\r\n")).to.include({ rows: 0, created: 0 });
      const rows = Array.from({ length: 2000 }, (_, index) => `Bedrijf ${index}`).join("\n");
      expect(await tried(`name\n${rows}\n`)).to.deep.include({ rows: 2000, created: 2000, errors: [] });
    });

    it("must be there, be a table and be its only part of that name", async () => {
      const post = (body: Buffer, headers: Record<string, string>) => tenant.owner.post("/impex/company", body, { headers });
      const missing = multipart([{ name: "note", content: "x" }]);
      expect((await post(missing.body, missing.headers)).body.error.fields).to.deep.equal({ file: "errors.required" });
      for (const [content, kind] of [
        ["%PDF-1.7", "application/pdf"],
        ["a\u0000b", "text/csv"],
      ] as const) {
        const { body, headers } = fileBody(content, kind, "a.csv");
        expect((await post(body, headers)).body.error.fields, kind).to.deep.equal({ file: "errors.upload_type" });
      }
      const plain = fileBody("name\nx\n", "text/plain", "a.txt");
      expect((await post(plain.body, plain.headers)).status).to.equal(200);
    });

    it("reports the loser when a number is used meanwhile, and writes nothing then", async () => {
      const other = new pg.Client({ connectionString: service.database.owner });
      await other.connect();
      try {
        await other.query("begin");
        await other.query(
          "insert into companies (id, organisation_id, name, client_number) values (gen_random_uuid(), $1, 'Eerst', 'K-3')",
          [tenant.organisation.id],
        );
        const rows = Array.from({ length: 400 }, (_, index) => `Bedrijf ${index},K-${index}`);
        const sent = sendSheet(tenant.owner, "company", `name,client_number\n${rows.join("\n")}\n`, "?dry_run=false");
        await until(async () => (await waitingFor(other)) === 1);
        await other.query("commit");
        const { status, body } = await sent;
        expect(status).to.equal(409);
        expect(body.error.fields).to.deep.equal({ client_number: "errors.companies.client_number_taken" });
      } finally {
        await other.end();
      }
      expect((await companies()).map(({ name }) => name)).to.deep.equal(["Eerst"]);
    });

    it("is done once under one Idempotency-Key", async () => {
      const { body, headers } = fileBody("name\nBakker\n", "text/csv", "a.csv");
      const post = (query: string) =>
        tenant.owner.post(`/impex/company${query}`, body, {
          headers: { ...headers, "Idempotency-Key": `impex-${tenant.organisation.slug}` },
        });
      const [first, second] = [await post("?dry_run=false"), await post("?dry_run=false")];
      expect(first.body).to.include({ created: 1 });
      expect(second.headers["idempotent-replayed"]).to.equal("true");
      expect(second.body).to.deep.equal(first.body);
    });

    it("is not answered with its own rehearsal under the same Idempotency-Key: another query is another request", async () => {
      const { body, headers } = fileBody("name\nBakker\n", "text/csv", "a.csv");
      const keyed = { headers: { ...headers, "Idempotency-Key": `rehearsed-${tenant.organisation.slug}` } };
      expect((await tenant.owner.post("/impex/company", body, keyed)).body).to.include({ created: 1 });
      const { status, body: refused } = await tenant.owner.post("/impex/company?dry_run=false", body, keyed);
      expect([status, refused.error.code]).to.deep.equal([409, "idempotency_conflict"]);
    });
  });

  describe("a row", () => {
    it("that is wrong is named with column and reason, and keeps every other row out", async () => {
      await field({ key: "omzet", data_type: "number" });
      await field({ key: "actief", data_type: "boolean" });
      await field({ key: "sinds", data_type: "date" });
      const file = [
        "Naam;Telefoon;Status;custom.omzet;custom.actief;custom.sinds",
        "Goed;030-2300000;actief;1.234,56;ja;31-12-2025",
        "Dubbelzinnig;;;1.234;;",
        "Onzin;12;weg;veel;misschien;31-02-2025",
        `${"x".repeat(256)};;;;;`,
      ].join("\n");
      const { status, body } = await sendSheet(tenant.owner, "company", file, "?dry_run=false");
      expect(status).to.equal(200);
      expect(body).to.include({ rows: 4, created: 0, updated: 0, unchanged: 0 });
      expect(errorsOf(body)).to.have.members([
        "3 custom.omzet impex.errors.invalid_number",
        "4 status impex.errors.invalid_option",
        "4 custom.omzet impex.errors.invalid_number",
        "4 custom.actief impex.errors.invalid_bool",
        "4 custom.sinds impex.errors.invalid_date",
        "5 name errors.validation",
      ]);
      expect(body.errors[0]).to.include({ header: "custom.omzet" });
      expect(await companies()).to.deep.equal([]);
      expect(await tried(file)).to.include({ created: 1 });
    });

    it("gives custom fields by key or label, keeps those it does not name, and fails on a required one", async () => {
      await field({
        key: "plan",
        data_type: "select",
        required: true,
        options_json: [{ value: "basic" }, { value: "pro" }],
        label_i18n: { nl: "Abonnement" },
      });
      await field({ key: "seats", data_type: "number", config_json: { min: 1, max: 50 } });
      await field({ key: "tags", data_type: "multi_select", options_json: [{ value: "a" }, { value: "b;c" }] });
      expect(errorsOf(await tried("Naam\nBakker\n"))).to.deep.equal(["2 custom.plan errors.required"]);
      expect(errorsOf(await tried("Naam;Abonnement;custom.seats\nBakker;gold;51\n"))).to.have.members([
        "2 custom.plan customfields.errors.invalid_option",
        "2 custom.seats customfields.errors.out_of_range",
      ]);
      await run('Naam;ABONNEMENT;custom.seats;custom.tags\nBakker;pro;12;"a; ""b;c"""\n');
      const custom = async () => (await companies())[0]?.["custom"];
      expect(await custom()).to.deep.equal({ plan: "pro", seats: 12, tags: ["a", "b;c"] });
      expect(await run("Naam;custom.seats\nBakker;12\n")).to.include({ unchanged: 1 });
      expect(await run("Naam;custom.seats\nBakker;13\n")).to.include({ updated: 1 });
      expect(await custom()).to.deep.equal({ plan: "pro", seats: 13, tags: ["a", "b;c"] });
    });

    it("that lacks a custom field named like a column of its own is refused on that field", async () => {
      await field({ key: "city", data_type: "text", required: true });
      const { errors } = await tried("Naam;Plaats\nBakker;Ede\n");
      expect(errors).to.deep.equal([
        { row: 2, column: "custom.city", header: null, error: "errors.required", value: null, words: [] },
      ]);
      expect(errorsOf(await tried("Plaats;Naam;custom.city\nEde;;x\n"))).to.deep.equal(["2 name errors.required"]);
    });

    it("never gets a number another row of the file brings, and all get one in their order", async () => {
      await run("Naam;Klantnummer\nEen;\nTwee;0002\nDrie;\n");
      expect((await companies()).map(({ name, client_number }) => `${name} ${client_number}`)).to.deep.equal([
        "Drie 0003",
        "Een 0001",
        "Twee 0002",
      ]);
      expect((await tenant.owner.post("/companies", { name: "Vier" })).body.client_number).to.equal("0004");
    });

    it("gets no number where numbering is not automatic", async () => {
      await tenant.owner.put("/companies/settings", { client_number_auto: false });
      await run("Naam\nEen\nTwee\n");
      expect((await companies()).map((company) => company["client_number"])).to.deep.equal([null, null]);
    });

    it("may hold a hundred thousand characters where the field does, and is refused where it does not", async () => {
      const long = "é".repeat(100_000);
      expect(errorsOf(await tried(`name\n${long}\n`))).to.deep.equal(["2 name errors.validation"]);
      await run(`name,notes\nBakker,${long}\n`);
      expect((await companies())[0]?.["notes"]).to.have.length(100_000);
      const { errors } = await tried(`name,notes\nBakker,${long}é\n`);
      expect(errors).to.deep.equal([
        {
          row: 2,
          column: "notes",
          header: "notes",
          error: "errors.validation",
          value: `${"é".repeat(60)}… (more than 100,000 characters)`,
          words: [],
        },
      ]);
    });

    it("loses the apostrophe that guards a formula and keeps every other", async () => {
      await run("Naam;Notities\n'=1+1;'+31 bellen\n't Wapen;'s avonds\n");
      expect((await companies()).map(({ name, notes }) => [name, notes])).to.have.deep.members([
        ["=1+1", "+31 bellen"],
        ["'t Wapen", "'s avonds"],
      ]);
    });

    it("writes the same trail and event as any other write", async () => {
      await run("Naam;Klantnummer\nBakker;K-1\n");
      await run("Naam;Klantnummer;Plaats;Status\nBakker;K-1;Utrecht;archived\n");
      const [company] = await companies();
      const trail = (await tenant.owner.get(`/activity?entity_type=company&entity_id=${company?.["id"]}`)).body;
      expect(trail.map(({ action, payload }: { action: string; payload: unknown }) => [action, payload])).to.deep.equal([
        ["updated", { changes: { city: { from: null, to: "Utrecht" }, status: { from: "active", to: "archived" } } }],
        ["created", {}],
      ]);
      expect(trail[0].actor_name).to.be.a("string");
      const { rows } = await service.sql.query("select event from outbox where organisation_id = $1 order by id", [
        tenant.organisation.id,
      ]);
      expect(rows.map(({ event }) => event)).to.deep.equal(["company.created", "company.status_changed"]);
    });
  });
});
