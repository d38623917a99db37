import { expect } from "chai";
import { errorsOf, fetchSheet, importSheet, sendSheet } from "../../support/impex.ts";
import { type LeaveService, type LeaveTenant, startLeaveService } from "../../support/leave.ts";

/** Records that differ in nothing but their id. */
describe("an export with namesakes", () => {
  let service: LeaveService;
  let source: LeaveTenant;
  let target: LeaveTenant;

  before(async () => {
    service = await startLeaveService("2028-06-01");
    source = await service.leaveTenant();
    target = await service.leaveTenant();
    for (const tenant of [source, target]) await tenant.owner.put("/companies/settings", { client_number_auto: false });
    const company = async (body: object) => {
      const made = await source.owner.post("/companies", body);
      expect(made.status, made.text).to.equal(201);
      return made.body.id as string;
    };
    const [one, other] = [await company({ name: "Bakker", city: "Ede" }), await company({ name: "Bakker", city: "Utrecht" })];
    // A name that is another company's number.
    await company({ name: "Slager", client_number: "K-1" });
    const third = await company({ name: "K-1" });
    for (const body of [
      { first_name: "Jan", last_name: "Jansen", company_ids: [one] },
      { first_name: "Jan", last_name: "Jansen", company_ids: [other] },
      { first_name: "Jan", last_name: "Jansen", job_title: "Chef", company_ids: [other, third] },
      { first_name: "Eva" },
      { first_name: "Eva", phone: "06-12345678" },
    ])
      expect((await source.owner.post("/contacts", body)).status).to.equal(201);
    // Left from a version that did not separate addresses.
    await service.sql.query("update contacts set email = 'oud@x.example' where organisation_id = $1 and first_name = 'Eva'", [
      source.organisation.id,
    ]);
  });
  after(() => service.stop());

  const bytes = ({ host, owner }: LeaveTenant, path: string) => fetchSheet(service.port, host, owner.key, `/impex/${path}`);
  const linksOf = async ({ organisation }: LeaveTenant) =>
    (
      await service.sql.query(
        `select k.first_name, k.job_title, k.phone, c.name, c.city, c.client_number, l.is_primary
           from contacts k left join contact_links l on l.contact_id = k.id left join companies c on c.id = l.company_id
          where k.organisation_id = $1 order by 1, 2, 3, 4, 5, 6`,
        [organisation.id],
      )
    ).rows;

  for (const format of ["csv", "xlsx"] as const)
    it(`is accepted by its own import, every row as itself, in ${format}`, async () => {
      for (const [entity, rows] of [
        ["company", 4],
        ["contact", 5],
      ] as const) {
        const file = await bytes(source, `${entity}?format=${format}`);
        const report = await importSheet(source.owner, entity, format === "csv" ? file.toString() : file);
        expect(report).to.deep.include({ rows, created: 0, updated: 0, unchanged: rows, errors: [] });
      }
    });

  it("imports elsewhere with every link, and a second import of the file changes nothing", async () => {
    const files = {
      company: (await bytes(source, "company")).toString(),
      contact: (await bytes(source, "contact")).toString().replaceAll("oud@x.example", ""),
    };
    for (const [entity, rows] of [
      ["company", 4],
      ["contact", 5],
    ] as const) {
      expect(await importSheet(target.owner, entity, files[entity])).to.deep.include({ created: rows, errors: [] });
      expect(await importSheet(target.owner, entity, files[entity])).to.include({ created: 0, updated: 0, unchanged: rows });
    }
    expect(await linksOf(target)).to.deep.equal(await linksOf(source));
    // The copy's own export is accepted too.
    const copy = (await bytes(target, "contact")).toString();
    expect(await importSheet(target.owner, "contact", copy)).to.include({ unchanged: 5 });
  });

  it("changes the very row an id names, after any other changes", async () => {
    const tenant = await service.leaveTenant();
    await importSheet(tenant.owner, "company", "name;client_number\nBakker;1\nSlager;2\n");
    const file = (await bytes(tenant, "company")).toString();
    const [first] = (await tenant.owner.get("/companies?sort=name")).body.items;
    await tenant.owner.patch(`/companies/${first.id}`, { name: "Bakkerij", client_number: "9" });
    expect(await importSheet(tenant.owner, "company", file)).to.include({ created: 0, updated: 1, unchanged: 1 });
    expect((await tenant.owner.get(`/companies/${first.id}`)).body).to.include({ name: "Bakker", client_number: "1" });
  });

  it("finds records made under foreign ids, even after a rename", async () => {
    const tenant = await service.leaveTenant();
    const id = "0190f3a0-0000-7000-8000-000000000001";
    const file = `id;name\n${id};Bakker\n`;
    expect(await importSheet(tenant.owner, "company", file)).to.include({ created: 1 });
    const [made] = (await tenant.owner.get("/companies")).body.items;
    expect(made.id).not.to.equal(id);
    await tenant.owner.patch(`/companies/${made.id}`, { name: "Anders", client_number: "X" });
    expect(await importSheet(tenant.owner, "company", `${file.trim()}\n`)).to.include({ created: 0, updated: 1 });
    expect((await tenant.owner.get(`/companies/${made.id}`)).body.name).to.equal("Bakker");
    expect((await tenant.owner.get("/companies")).body.total).to.equal(1);
  });

  it("never reaches another organisation's rows, nor hidden ones", async () => {
    const [one, other] = [await service.leaveTenant(), await service.leaveTenant()];
    const foreign = await one.company({ name: "Van een ander" });
    const report = await importSheet(other.owner, "company", `id;name\n${foreign.id};Overgenomen\n`);
    expect(report).to.include({ created: 1, updated: 0 });
    expect((await one.owner.get(`/companies/${foreign.id}`)).body.name).to.equal("Van een ander");
    expect((await other.owner.get(`/companies/${foreign.id}`)).status).to.equal(404);

    const hidden = await one.company({ name: "Geheim" });
    const seen = await one.company({ name: "Zichtbaar" });
    const member = await one.member("admin");
    await one.group("G", [seen.id], [member.membershipId]);
    const real = (entity: string, file: string) => sendSheet(member, entity, file, "?dry_run=false");
    expect((await real("company", `id;name\n${hidden.id};Gekaapt\n`)).status).to.equal(403);
    expect((await one.owner.get(`/companies/${hidden.id}`)).body.name).to.equal("Geheim");
    const contact = (await one.owner.post("/contacts", { first_name: "Verborgen", company_ids: [hidden.id] })).body;
    expect((await real("contact", `id;first_name\n${contact.id};Gekaapt\n`)).body).to.include({ created: 1 });
    expect((await one.owner.get(`/contacts/${contact.id}`)).body.first_name).to.equal("Verborgen");
    // An import does not create a record again that the caller cannot see.
    const [made] = (await one.owner.get("/contacts?q=gekaapt")).body.items;
    await one.owner.post(`/contacts/${made.id}/links`, { company_id: hidden.id });
    expect(errorsOf((await real("contact", `id;first_name\n${contact.id};Gekaapt\n`)).body)).to.deep.equal([
      "2 id errors.not_found",
    ]);
  });

  it("may not hold an id twice, and a column of another program's ids means nothing", async () => {
    const { owner } = await service.leaveTenant();
    const id = "0190f3a0-0000-7000-8000-000000000002";
    const twice = (await sendSheet(owner, "company", `id;name\n${id};A\n${id.toUpperCase()};B\n`)).body;
    expect(errorsOf(twice)).to.deep.equal(["2 id errors.duplicate", "3 id errors.duplicate"]);
    const mixed = (await sendSheet(owner, "company", `id;name\n${id};A\n17;B\n`)).body;
    expect(errorsOf(mixed)).to.deep.equal(["3 id errors.validation"]);
    const foreign = (await sendSheet(owner, "company", "ID;Naam\n17;A\n18;B\n")).body;
    expect(foreign).to.deep.include({ created: 2, errors: [], ignored_columns: ["ID"] });
  });

  it("of leave imports as exported: former people, used days", async () => {
    const tenant = await service.leaveTenant();
    const row = `${tenant.employee.email};sick;2027-03-01;2027-03-02;12,5;goedgekeurd;griep`;
    await importSheet(tenant.owner, "leave_request", `email;leave_type_key;start_date;end_date;hours;status;note\n${row}\n`);
    const file = (await bytes(tenant, "leave_request?all_users=true")).toString();
    const again = await importSheet(tenant.owner, "leave_request", file);
    expect(again).to.deep.include({ rows: 1, created: 0, unchanged: 1, errors: [] });
    const changed = (await sendSheet(tenant.owner, "leave_request", file.replace("griep", "hoofdpijn"))).body;
    expect(errorsOf(changed)).to.deep.equal(["2 note impex.errors.unknown_column"]);
    const elsewhere = await service.leaveTenant();
    const moved = file.replace(tenant.employee.email, elsewhere.employee.email);
    expect(await importSheet(elsewhere.owner, "leave_request", moved)).to.include({ created: 1 });
    expect(await importSheet(elsewhere.owner, "leave_request", moved)).to.include({ created: 0, unchanged: 1 });
  });
}).timeout(60_000);
