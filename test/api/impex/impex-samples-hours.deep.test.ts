import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { createMember, createOrganisation } from "../../../operator/organisations.ts";
import { HOURS_SAMPLES, PROJECTS, TEAM } from "../../../samples/hours.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { sendSheet } from "../../support/impex.ts";
import { startService, type TestService } from "../../support/service.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

const at = (name: string) => path.join(import.meta.dirname, "../../../samples", name);

interface Sample {
  file: string;
  switched?: true;
  ignored: readonly string[];
  /** Minutes of all rows. */
  minutes: number;
  /** Entries by their place in the order of start and person, as far as they are looked at. */
  rows: readonly [place: number, fields: Record<string, unknown>][];
}

const [noor, thijs, zoe] = TEAM.map(({ email }) => email);
const RATES = ["Billable Rate (EUR)", "Billable Amount (EUR)"];
const FIRST = { employee: noor, company: "Bakkerij De Linde", project: "Webwinkel", billable: true };

const samples: readonly Sample[] = [
  {
    file: "toggl-detailed.csv",
    ignored: ["Tags", "Amount (EUR)"],
    minutes: 21_750,
    rows: [
      [0, { ...FIRST, task: "Afrekenen", description: "Overleg met de klant", started_at: "2026-01-01 08:00:00", minutes: 15 }],
      [1, { employee: thijs, project: "Huisstijl", task: null, description: 'Schets "A" en "B", met commentaar', minutes: 22 }],
      [2, { employee: zoe, project: "Menukaart, seizoen", description: "Eerste regel\nTweede regel" }],
      [3, { project: 'Campagne "Lente"', task: "Advertenties", billable: false }],
    ],
  },
  {
    file: "clockify-detailed.csv",
    ignored: ["Group", "Tags", ...RATES],
    minutes: 21_750,
    rows: [
      [0, { ...FIRST, task: null, started_at: "2026-01-01 08:00:00", ended_at: "2026-01-01 08:15:00" }],
      [
        4,
        { employee: thijs, description: null, started_at: "2026-01-01 12:20:00", ended_at: "2026-01-01 13:03:00", minutes: 43 },
      ],
      [299, { started_at: "2026-02-22 13:55:00" }],
    ],
  },
  {
    file: "harvest-detailed.csv",
    switched: true,
    ignored: [
      ...["Project Code", "Invoiced?", "Approved?", "Roles", "Billable Rate", "Billable Amount", "Cost Rate"],
      ...["Cost Amount", "Currency", "External Reference URL"],
    ],
    minutes: 30_150,
    rows: [[1, { ...FIRST, description: "Design: Overleg", started_at: "2026-01-01 09:00:00", minutes: 15 }]],
  },
];

const STORED = `select a.email as employee, c.name as company, p.name as project, k.title as task, t.description, t.minutes, t.billable,
    to_char(t.started_at at time zone 'Europe/Amsterdam', 'YYYY-MM-DD HH24:MI:SS') as started_at,
    to_char(t.ended_at at time zone 'Europe/Amsterdam', 'YYYY-MM-DD HH24:MI:SS') as ended_at
  from time_entries t join accounts a on a.id = t.user_id left join companies c on c.id = t.company_id
  left join projects p on p.id = t.project_id left join tasks k on k.id = t.task_id
  where t.organisation_id = $1 order by t.started_at, a.email, t.description, t.minutes`;
type Stored = Record<string, unknown> & { minutes: number; started_at: string; ended_at: string };

/** The people, clients, projects and tasks that the files name. */
async function fillAgency(sql: pg.Client, organisationId: string): Promise<void> {
  for (const { first, last, email } of TEAM) {
    const { rows } = await sql.query("select id from accounts where email = $1", [email]);
    const person = { email, fullName: `${first} ${last}`, role: "member" as const };
    if (rows.length === 0) await createMember(sql, organisationId, person);
    else await sql.query("insert into memberships (organisation_id, account_id) values ($1, $2)", [organisationId, rows[0].id]);
  }
  await sql.query(
    "insert into companies (id, organisation_id, name) select gen_random_uuid(), $1, n from (select distinct unnest($2::text[]) n) names",
    [organisationId, PROJECTS.map(({ client }) => client)],
  );
  await sql.query(
    `insert into projects (id, organisation_id, name, company_id)
     select gen_random_uuid(), $1, w.name, c.id from unnest($2::text[], $3::text[]) w(name, client)
       join companies c on c.organisation_id = $1 and c.name = w.client`,
    [organisationId, PROJECTS.map(({ name }) => name), PROJECTS.map(({ client }) => client)],
  );
  await sql.query(
    `insert into task_statuses (id, organisation_id, key, name, color, is_default) values (gen_random_uuid(), $1, 'open', 'Open', 'sky', true)
     on conflict do nothing`,
    [organisationId],
  );
  await sql.query(
    `insert into tasks (id, organisation_id, title, status, project_id)
     select gen_random_uuid(), $1, w.task, 'open', p.id from unnest($2::text[], $3::text[]) w(task, project)
       join projects p on p.organisation_id = $1 and p.name = w.project`,
    [organisationId, PROJECTS.map(({ task }) => task), PROJECTS.map(({ name }) => name)],
  );
}

/** What arrived over HTTP, by file. */
const arrivals = new Map<string, { report: Record<string, unknown>; rows: Stored[] }>();

describe("hours as Toggl, Clockify and Harvest export them", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it("are what their maker makes", async () => {
    expect(Object.keys(HOURS_SAMPLES)).to.have.members(samples.map(({ file }) => file));
    for (const [name, make] of Object.entries(HOURS_SAMPLES))
      expect(Buffer.from(make()).equals(await readFile(at(name))), name).to.equal(true);
  });

  for (const { file, switched, ignored, minutes, rows } of samples)
    it(`import unaided, and change nothing the second time: ${file}`, async () => {
      const tenant = await service.tenant();
      await fillAgency(service.sql, tenant.organisation.id);
      const query = `?dry_run=false${switched ? "&describe_unknown_tasks=true" : ""}`;
      const send = async () => sendSheet(tenant.owner, "time_entry", await readFile(at(file)), query, file);
      const answer = await send();
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.errors).to.deep.equal([]);
      expect(answer.body).to.include({ rows: 300, created: 300 });
      expect(answer.body.ignored_columns).to.deep.equal(ignored);
      const { rows: stored } = await service.sql.query<Stored>(STORED, [tenant.organisation.id]);
      expect(stored).to.have.length(300);
      expect(stored.reduce((total, one) => total + one.minutes, 0)).to.equal(minutes);
      for (const [place, fields] of rows) expect(stored[place], String(place)).to.include(fields);
      arrivals.set(file, { report: answer.body, rows: stored });
      expect((await send()).body).to.include({ created: 0, updated: 0, unchanged: 300 });
    });

  it("keep work beyond midnight, and entries of no minutes", () => {
    for (const file of ["toggl-detailed.csv", "clockify-detailed.csv"]) {
      const { rows } = arrivals.get(file) as { rows: Stored[] };
      const late = rows.filter((row) => row.started_at.slice(0, 10) < row.ended_at.slice(0, 10));
      expect(late.length, file).to.equal(2);
      expect(Math.max(...late.map((row) => row.minutes))).to.be.lessThan(135);
      const empty = rows.filter((row) => row.minutes === 0);
      expect(empty.length, file).to.equal(6);
      for (const { started_at, ended_at } of empty) expect(ended_at).to.equal(started_at);
    }
  });
}).timeout(60_000);

describe("the same hours on the command line", () => {
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

  for (const [index, { file, switched }] of samples.entries())
    it(`arrive as they do over HTTP: ${file}`, async () => {
      const slug = `hours${index}`;
      const { id } = await createOrganisation(sql, { slug, name: slug });
      await fillAgency(sql, id);
      const argv = ["import", "time-entries", at(file), "--org", slug, "--json"];
      const ran = await cli(environmentOf(database), switched ? [...argv, "--describe-unknown-tasks"] : argv);
      expect(ran.status, ran.err).to.equal(0);
      const { entity: _entity, organisation: _slug, dry_run: _rehearsal, ...report } = ran.json;
      const { rows } = await sql.query<Stored>(STORED, [id]);
      expect({ report, rows }).to.deep.equal(arrivals.get(file));
    });
}).timeout(60_000);
