import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

/** The panels of the texts (clients §3.8), in their order. */
const PANELS = {
  "companies.details": 10,
  "contacts.company": 20,
  "projects.company": 25,
  "tasks.company": 30,
  "interactions.company": 35,
  "time.company": 40,
  "marketing.overview": 50,
  "reporting.reports": 55,
  "workspace.folder": 55,
  "subscriptions.company": 60,
  "invoicing.company": 65,
  "websites.company": 70,
  "domains.company": 75,
  "activity.trail": 90,
};
interface Declared {
  contributes?: { tile?: { key: string; position: number } };
}
/** The tiles of the texts (clients §3.9), in their order. */
const TILES = {
  "invoicing.outstanding": 10,
  "tasks.open": 20,
  "time.month": 30,
  "interactions.last": 40,
  "domains.renewal": 50,
};

describe("the panels and tiles of the texts (clients §3.8, §3.9)", () => {
  let service: TestService;
  let tenant: Tenant;
  let path: string;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    path = `/companies/${(await tenant.company()).id}`;
  });
  after(() => service.stop());

  const positions = (items: { key: string; position: number }[]) =>
    Object.fromEntries(items.map(({ key, position }) => [key, position]));

  it("are all on the page of a client, at their places", async () => {
    const { body } = await tenant.owner.get(`${path}/panels`);
    expect(positions(body)).to.deep.equal(PANELS);
    expect(Object.keys(positions(body))).to.deep.equal(Object.keys(PANELS));
  });

  it("are all declared: a tile appears once it has something to show", async () => {
    const declared = service.node.broker.registry
      .getActionList({ onlyLocal: true })
      .flatMap(({ action }) => (action as Declared | undefined)?.contributes?.tile ?? []);
    expect(positions(declared)).to.include(TILES);
  });

  it("of marketing and files show what is stored of the client, and how much there is", async () => {
    const { id } = await tenant.company();
    const { sql } = service;
    const organisation = tenant.organisation.id;
    await sql.query(
      `insert into drive_links (id, organisation_id, company_id, drive_file_id, drive_url, name, is_folder, is_root)
       select gen_random_uuid(), $1, $2, 'file' || n, 'https://drive.google.com/' || n, 'File ' || n, n = 0, n = 0 from generate_series(0, 6) n`,
      [organisation, id],
    );
    await sql.query(
      `insert into marketing_links (id, organisation_id, company_id, source, external_id, display_name, active)
       select gen_random_uuid(), $1, $2, 'seranking', n::text, 'Site ' || n, n > 0 from generate_series(0, 6) n`,
      [organisation, id],
    );
    const { body } = await tenant.owner.get(`/companies/${id}/panels`);
    const data = (key: string) => body.find((panel: { key: string }) => panel.key === key).data;
    const names = (links: { name?: string; display_name?: string }[]) => links.map((link) => link.name ?? link.display_name);
    expect(data("workspace.folder").folder).to.include({ name: "File 0", is_root: true });
    expect(names(data("workspace.folder").links))
      .to.have.length(5)
      .and.not.include("File 0");
    expect(data("workspace.folder").total).to.equal(6);
    expect(names(data("marketing.overview").links)).to.deep.equal([1, 2, 3, 4, 5].map((n) => `Site ${n}`));
    expect(data("marketing.overview").total).to.equal(6);
  });

  it("are not computed without their permission, or while their module is off", async () => {
    const caller = await tenant.member("member", { grants: ["companies.company.read", "workspace.drive.read"] });
    const keys = async () => (await caller.get(`${path}/panels`)).body.map(({ key }: { key: string }) => key);
    expect(await keys()).to.deep.equal(["companies.details", "workspace.folder"]);
    await service.sql.query(
      "update organisations set enabled_modules = array_remove(enabled_modules, 'workspace') where id = $1",
      [tenant.organisation.id],
    );
    expect(await keys()).to.deep.equal(["companies.details"]);
  });
});
