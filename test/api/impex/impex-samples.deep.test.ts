import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { createOrganisation } from "../../../operator/organisations.ts";
import { SAMPLES } from "../../../samples/make.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { cellsOf, sendSheet } from "../../support/impex.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

const at = (name: string) => path.join(import.meta.dirname, "../../../samples", name);

interface Sample {
  file: string;
  entity: "company" | "contact";
  switches?: string;
  report: Record<string, unknown>;
  ignored: readonly string[];
  leftOut?: number;
  /** What arrived: rows by client number or e-mail address, as far as they are looked at. */
  rows: readonly [key: string, fields: Record<string, unknown>][];
}

const LISTED: Sample["rows"] = [
  [
    "001001",
    {
      name: "Bakkerij De Linde",
      status: "active",
      address_line1: "Dorpsstraat",
      house_number: "1 a",
      postal_code: "3511 AA",
      city: "Utrecht",
      country: "NL",
      phone: "+31302300000",
      invoice_email: "facturen@bakkerij-de-linde.example",
    },
  ],
  ["001002", { name: "Slagerij De Linde", status: "lead", house_number: "14" }],
  ["001003", { status: "archived", city: "’s-Hertogenbosch" }],
  ["001004", { city: "Gent", country: "BE", phone: "+3292231313" }],
  ["001074", { name: "Slagerij Königsberg" }],
];
const NUMBERED: Sample["rows"] = [
  [
    "1001",
    { name: "Bakkerij De Linde", country: "NL", phone: "+31302300000", vat_number: "NL800000000B01", coc_number: "60000000" },
  ],
  ["1004", { name: "Drukkerij De Linde", country: "BE", phone: "+3292231313", vat_number: null }],
  ["1006", { city: "Köln", country: "DE", phone: "+49221221005" }],
  ["1017", { name: "Kwekerij ’t Anker" }],
];
const OUTLOOK_IGNORED =
  "Suffix,Initials,Web Page,Gender,Anniversary,Location,Language,Pager,Home Street,Home City,Home Postal Code,Home Country,Business Fax,Department,Business Street,Business City,Business Postal Code,Business Country,Sensitivity,Priority,Private,Categories";
const GOOGLE_IGNORED =
  "Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,Name Prefix,Name Suffix,Nickname,File As,Organization Department,Photo,Labels,E-mail 1 - Label,Phone 1 - Label";

const samples: readonly Sample[] = [
  {
    file: "hubspot-companies.csv",
    entity: "company",
    report: { rows: 300, created: 300, also_created: 0 },
    ignored: ["Record ID", "Company owner", "Create Date", "Last Activity Date", "Industry"],
    rows: [
      [
        "0001",
        {
          name: "Bakkerij De Linde",
          status: "active",
          country: "NL",
          website: "https://www.bakkerij-de-linde.example",
          address_line1: "Dorpsstraat 1",
          notes: '"Vaste klant", sinds jaren.\nBelt op maandag.',
        },
      ],
      ["0002", { status: "lead", phone: "+31202300007" }],
      ["0004", { city: "Gent", country: "BE", status: "lead" }],
      ["0006", { city: "Köln", country: "DE", status: "active" }],
      // Without a name the domain is all there is.
      ["0050", { name: "bloemisterij-noorderlicht.example" }],
    ],
  },
  {
    file: "moneybird-contacten.csv",
    entity: "company",
    report: { rows: 300, created: 300, also_created: 120 },
    ignored: ["IBAN", "Betalingstermijn"],
    // The general address next to that for invoices.
    leftOut: 300,
    rows: [
      ...NUMBERED,
      [
        "1001",
        { invoice_email: "facturen@bakkerij-de-linde.example", address_line1: "Dorpsstraat 1", address_line2: "2e etage" },
      ],
      // A private person is a client under its own name.
      ["1010", { name: "Thijs van Vos", status: "active" }],
    ],
  },
  {
    file: "exact-relaties.csv",
    entity: "company",
    report: { rows: 300, created: 300 },
    ignored: ["Zoekcode", "Kredietlimiet"],
    rows: [
      ...NUMBERED,
      ["1001", { status: "active", notes: "Tarief € 60 per uur", website: "www.bakkerij-de-linde.example" }],
      ["1002", { status: "lead" }],
      ["1003", { status: "lead", city: "’s-Hertogenbosch" }],
      ["1004", { status: "active" }],
    ],
  },
  {
    file: "outlook-contacts.csv",
    entity: "contact",
    switches: "create_companies",
    report: { rows: 300, created: 300, also_created: 100 },
    ignored: OUTLOOK_IGNORED.split(","),
    // A form of address is not a function.
    leftOut: 100,
    rows: [
      [
        "jan.jansen.0@mail.example",
        {
          first_name: "Jan",
          last_name: "Jansen",
          job_title: null,
          phone: "+31302400000",
          notes: 'Zegt "bel na vijven"',
          companies: "Bakkerij De Linde",
        },
      ],
      [
        "daan.brouwer.2@mail.example",
        { first_name: "Daan", last_name: "de Brouwer", job_title: "Office manager", phone: "+31612340022" },
      ],
      ["noor.visser.3@mail.example", { last_name: "van Visser", job_title: null, companies: "Slagerij De Linde" }],
    ],
  },
  {
    file: "google-contacts.csv",
    entity: "contact",
    switches: "create_companies",
    report: { rows: 300, created: 300, also_created: 150 },
    ignored: GOOGLE_IGNORED.split(","),
    rows: [
      [
        "jan.jansen.0@mail.example",
        {
          first_name: "Jan Maria",
          last_name: "Jansen",
          job_title: "Inkoper",
          phone: "+31612340000",
          notes: "Ontmoet op de beurs",
          companies: "Bakkerij De Linde",
        },
      ],
      ["sem.peters.4@mail.example", { first_name: "Sem", last_name: "van der Peters", companies: null }],
    ],
  },
  {
    file: "vcard-contacts.csv",
    entity: "contact",
    switches: "create_companies",
    report: { rows: 300, created: 300, also_created: 100 },
    ignored: ["ADR;TYPE=WORK", "REV"],
    // The units behind the names of organisations.
    leftOut: 300,
    rows: [
      // Of this one only the full name is known.
      [
        "jan.jansen.0@mail.example",
        { first_name: "Jan", last_name: "Jansen", phone: "+31612340000", companies: "Bakkerij De Linde" },
      ],
      ["sem.peters.4@mail.example", { first_name: "Sem", last_name: "van der Peters", phone: "+31302400028" }],
      ["ipek.kok.10@mail.example", { first_name: "İpek", last_name: "van der Kok", job_title: "Inkoper" }],
    ],
  },
  {
    file: "klanten-met-voorblad.xlsx",
    entity: "company",
    report: { rows: 300, created: 300, sheet: "Klanten", header_row: 4 },
    ignored: ["Klant sinds"],
    rows: LISTED,
  },
  { file: "klanten-sep.csv", entity: "company", report: { rows: 300, created: 300, header_row: 1 }, ignored: [], rows: LISTED },
  { file: "klanten-unicode.csv", entity: "company", report: { rows: 300, created: 300 }, ignored: [], rows: LISTED },
];

const COMPANIES = `select coalesce(client_number, name) as key, t.*, null as companies from companies t where organisation_id = $1 order by 1`;
const CONTACTS = `select t.email as key, t.*, (select string_agg(c.name, '; ' order by c.name) from contact_links l join companies c on c.id = l.company_id
    where l.contact_id = t.id) as companies from contacts t where organisation_id = $1 order by 1`;
/** What two organisations cannot have in common. */
const OWN = ["id", "organisation_id", "created_at", "updated_at"];

type Stored = Record<string, unknown> & { key: string };
async function stored(sql: pg.Client, entity: string, organisationId: string): Promise<Stored[]> {
  const { rows } = await sql.query(entity === "company" ? COMPANIES : CONTACTS, [organisationId]);
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !OWN.includes(column))) as Stored);
}

/** What arrived over HTTP, by file. */
const arrivals = new Map<string, { report: Record<string, unknown>; rows: Stored[] }>();

describe("exports of the tools that agencies come from", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  it("are what their maker makes", async () => {
    expect(Object.keys(SAMPLES)).to.have.members(samples.map(({ file }) => file));
    for (const [name, make] of Object.entries(SAMPLES)) {
      const [made, kept] = [Buffer.from((await make()) as Buffer), await readFile(at(name))];
      if (!name.endsWith(".xlsx")) expect(made.equals(kept), name).to.equal(true);
      else expect(await cellsOf(made), name).to.deep.equal(await cellsOf(kept));
    }
  });

  for (const { file, entity, switches, report, ignored, leftOut = 0, rows } of samples)
    it(`import unaided, and change nothing the second time: ${file}`, async () => {
      const query = `?dry_run=false${switches === undefined ? "" : `&${switches}=true`}`;
      const send = async () => sendSheet(tenant.owner, entity, await readFile(at(file)), query, file);
      const answer = await send();
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.errors).to.deep.equal([]);
      expect(answer.body).to.include(report);
      expect(answer.body.ignored_columns).to.deep.equal(ignored);
      expect(answer.body.left_out).to.have.length(leftOut);
      const arrived = await stored(service.sql, entity, tenant.organisation.id);
      for (const [key, fields] of rows)
        expect(
          arrived.find((row) => row.key === key),
          key,
        ).to.include(fields);
      arrivals.set(file, { report: answer.body, rows: arrived });
      expect((await send()).body).to.include({ created: 0, updated: 0, unchanged: 300, also_created: 0 });
    });
}).timeout(60_000);

describe("the same files on the command line", () => {
  let database: TestDatabase;
  let sql: pg.Client;

  before(async () => {
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  for (const [index, { file, entity, switches }] of samples.entries())
    it(`arrive as they do over HTTP: ${file}`, async () => {
      const slug = `samples${index}`;
      const { id } = await createOrganisation(sql, { slug, name: slug });
      const argv = ["import", entity === "company" ? "companies" : "contacts", at(file), "--org", slug, "--json"];
      const ran = await cli(
        environmentOf(database),
        switches === undefined ? argv : [...argv, `--${switches.replaceAll("_", "-")}`],
      );
      expect(ran.status, ran.err).to.equal(0);
      const { entity: _entity, organisation: _slug, dry_run: _rehearsal, ...report } = ran.json;
      expect({ report, rows: await stored(sql, entity, id) }).to.deep.equal(arrivals.get(file));
    });
}).timeout(60_000);
