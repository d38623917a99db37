import { expect } from "chai";
import { cellsOf, fetchSheet, importSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

const CUSTOM = [
  { key: "plan", data_type: "select", required: true, options_json: [{ value: "basic" }, { value: "pro" }] },
  { key: "omzet", data_type: "number" },
  { key: "sinds", data_type: "date" },
  { key: "gesproken", data_type: "datetime" },
  { key: "vip", data_type: "boolean" },
  { key: "labels", data_type: "multi_select", options_json: [{ value: "a" }, { value: "b; c" }, { value: 'd "e"' }] },
  { key: "verhaal", data_type: "long_text" },
];
const COMPANIES = [
  { name: "=SUM(A1)", client_number: "0007", notes: 'regel een\nregel **twee**; met "tekens", en é', phone: "030-2300000" },
  {
    name: "Bakker",
    legal_name: "'t Bakkertje",
    client_number: "-1",
    status: "lead",
    website: "@home.example",
    city: "’s-Gravenhage",
  },
  { name: "Bakker", client_number: "K;2", status: "archived", country: "BE", postal_code: "+1000", house_number: "1-3" },
  {
    name: "''=dubbel",
    vat_number: "NL1",
    coc_number: "00012345",
    address_line1: "Straat",
    address_line2: "2e",
    invoice_email: "a@b.example",
  },
  { name: "Slager; Zn.", legal_name: "a" },
];
const VALUES = [
  { plan: "pro", omzet: 1.234, sinds: "2025-12-31", gesproken: "2025-12-31T14:30:00Z", vip: true, labels: ["b; c", 'd "e"'] },
  { plan: "basic", omzet: -1234567.89, sinds: "1899-01-01", vip: false, verhaal: "- een\n- twee" },
  { plan: "pro", omzet: 1e-7, labels: ["a"] },
  { plan: "basic", omzet: 0, verhaal: "=1+1" },
  { plan: "basic", omzet: 1234 },
];

/** Everything an agency types, and everything that goes wrong in spreadsheets. */
describe("export, import elsewhere, export", () => {
  let service: TestService;
  let source: Tenant;
  let target: Tenant;

  /** An organisation with the custom fields and contact types both have. */
  const prepared = async () => {
    const tenant = await service.tenant();
    for (const entity_type of ["company", "contact"])
      for (const definition of CUSTOM)
        expect((await tenant.owner.post("/custom-fields/definitions", { entity_type, ...definition })).status).to.equal(201);
    for (const key of ["billing", "technical"]) await tenant.owner.post("/contacts/types", { key });
    return tenant;
  };

  before(async () => {
    service = await sharedService();
    [source, target] = [await prepared(), await prepared()];
    const { owner } = source;
    await owner.put("/companies/settings", { client_number_auto: false });
    await target.owner.put("/companies/settings", { client_number_auto: false });
    const ids: string[] = [];
    for (const [index, company] of COMPANIES.entries())
      ids.push((await source.company({ ...company, custom: VALUES[index] })).id);
    const [billing, technical] = (await owner.get("/contacts/types")).body.map(({ id }: { id: string }) => id);
    const contact = async (body: object, custom: object = { plan: "pro" }): Promise<string> => {
      const made = await owner.post("/contacts", { custom, ...body });
      expect(made.status, made.text).to.equal(201);
      return made.body.id;
    };
    const jan = await contact(
      { first_name: "Jan", last_name: "de Vries", email: "Jan@X.example", phone: "+31612345678", company_ids: ids },
      VALUES[0],
    );
    const eva = await contact({ first_name: "Eva", job_title: "+chef", notes: "a\nb", company_ids: [ids[2]] }, VALUES[1]);
    await contact({ first_name: "Eva", company_ids: [ids[1]] }, VALUES[2]);
    await contact({ first_name: "Los", last_name: "Zand" }, VALUES[3]);
    await contact({ first_name: "-Aap", last_name: "=Noot", email: "aap@x.example", company_ids: [ids[4]] });
    await owner.patch(`/contacts/${jan}/links/${ids[0]}`, { is_primary: true, contact_type_id: billing });
    await owner.patch(`/contacts/${eva}/links/${ids[2]}`, { is_primary: true, contact_type_id: technical });
    await owner.patch(`/contacts/${jan}/links/${ids[3]}`, { is_primary: false });
  });
  after(() => service.stop());

  const bytes = ({ host, owner }: Tenant, path: string) => fetchSheet(service.port, host, owner.key, `/impex/${path}`);
  const empty = () =>
    service.sql
      .query(`delete from contacts where organisation_id = '${target.organisation.id}'`)
      .then(() => service.sql.query(`delete from companies where organisation_id = '${target.organisation.id}'`));

  /** The same rows without the ids they begin with, which are an organisation's own. */
  const withoutIds = (csv: string) =>
    csv.replace(/^\ufeffid,/, "").replaceAll(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12},/gm, "");
  const cells = async (path: string, tenant: Tenant) =>
    (await cellsOf(await bytes(tenant, `${path}?format=xlsx`))).map((row) => row.slice(1));

  for (const format of ["csv", "xlsx"] as const)
    it(`gives the same ${format === "csv" ? "text" : "cells"} again in ${format}, and changes nothing when repeated`, async () => {
      await empty();
      for (const entity of ["company", "contact"]) {
        const first = await bytes(source, `${entity}?format=${format}`);
        const sent = format === "csv" ? first.toString() : first;
        const report = await importSheet(target.owner, entity, sent);
        expect(report.errors).to.deep.equal([]);
        expect(report).to.include({ created: 5, updated: 0, unchanged: 0 });
        expect(await importSheet(target.owner, entity, sent)).to.include({ created: 0, updated: 0, unchanged: 5 });
        expect(await importSheet(source.owner, entity, sent)).to.include({ created: 0, updated: 0, unchanged: 5 });
        const second = await bytes(target, `${entity}?format=${format}`);
        if (format === "csv") expect(withoutIds(second.toString())).to.equal(withoutIds(first.toString()));
        expect(await cells(entity, target)).to.deep.equal(await cells(entity, source));
      }
    });
});
