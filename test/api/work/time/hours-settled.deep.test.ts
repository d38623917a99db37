import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { knownSteps, migrate } from "../../../../migrations/run.ts";
import { cloneDatabase, type TestDatabase } from "../../../support/database.ts";

/** The database of a cluster that no step has run on. */
const EMPTY = "kantoor";
const APPLICATION = '"kantoor_app"';

describe("entries from before they had a day and a place", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  const stepsUntil = (last: string) => knownSteps().filter((name) => name.slice(0, 4) <= last);
  before(async () => {
    database = await cloneDatabase(EMPTY);
    await migrate(database.owner, APPLICATION, stepsUntil("0039"));
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  const insert = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const row: Record<string, unknown> = { id: randomUUID(), ...values };
    const names = Object.keys(row);
    await sql.query(
      `insert into ${table} (${names.join()}) values (${names.map((_, at) => `$${at + 1}`).join()})`,
      Object.values(row),
    );
    return row["id"] as string;
  };
  const organisation = (slug: string, timezone: string) => insert("organisations", { slug, name: slug, timezone });
  const entry = (organisation_id: string, values: object = {}) =>
    insert("time_entries", {
      organisation_id,
      user_id: randomUUID(),
      started_at: "2026-08-31T22:30:00Z",
      ended_at: "2026-08-31T23:30:00Z",
      minutes: 60,
      ...values,
    });
  const read = async (id: string) => {
    const { rows } = await sql.query(
      `select work_date::text, started_at, company_id, project_id, version, updated_at > created_at as is_changed from time_entries
        where id = $1`,
      [id],
    );
    return rows[0];
  };

  it("are settled by the two steps, and by triggers while a node of the version before writes", async () => {
    const [amsterdam, newYork] = [await organisation("ams", "Europe/Amsterdam"), await organisation("nyc", "America/New_York")];
    const unknown = await organisation("odd", "Mars/Olympus");
    await insert("task_statuses", { organisation_id: amsterdam, key: "open", name: "Open", color: "sky", is_default: true });
    const company_id = await insert("companies", { organisation_id: amsterdam, name: "Aster" });
    const other = await insert("companies", { organisation_id: amsterdam, name: "Birch" });
    const project_id = await insert("projects", { organisation_id: amsterdam, name: "Site", company_id });
    const task = (values: object) => insert("tasks", { organisation_id: amsterdam, title: "T", status: "open", ...values });
    const [task_id, loose] = [await task({ project_id, company_id: other }), await task({ company_id: other })];
    const invoice = (status: string) =>
      insert("invoices", { organisation_id: amsterdam, company_id, currency: "EUR", locale: "nl", status, number: status });
    const claimed = async (status: string) => {
      const id = await entry(amsterdam, { task_id });
      const claim = [amsterdam, id, await invoice(status)];
      await sql.query("insert into time_entry_claims (organisation_id, time_entry_id, invoice_id) values ($1, $2, $3)", claim);
      return id;
    };
    const days: [id: string, date: string][] = [
      [await entry(amsterdam), "2026-09-01"],
      [await entry(amsterdam, { started_at: "2026-08-31T21:59:59Z" }), "2026-08-31"],
      [await entry(amsterdam, { started_at: "2026-03-29T00:59:59Z" }), "2026-03-29"],
      [await entry(amsterdam, { started_at: "2026-03-28T23:00:00Z" }), "2026-03-29"],
      [await entry(amsterdam, { started_at: "2026-03-29T22:00:00Z" }), "2026-03-30"],
      [await entry(amsterdam, { started_at: "2026-10-25T22:59:59Z" }), "2026-10-25"],
      [await entry(amsterdam, { started_at: "2026-10-25T23:00:00Z" }), "2026-10-26"],
      [await entry(newYork), "2026-08-31"],
      [await entry(newYork, { started_at: "2026-11-02T04:59:59Z" }), "2026-11-01"],
      [await entry(unknown), "2026-09-01"],
    ];
    const places: [id: string, company: string | null, project: string | null][] = [
      [await entry(amsterdam, { task_id }), company_id, project_id],
      [await entry(amsterdam, { task_id: loose }), other, null],
      [await entry(amsterdam, { project_id }), company_id, project_id],
      [await entry(amsterdam, { company_id: other, project_id, task_id }), other, project_id],
      [await entry(amsterdam, { company_id: other, task_id }), other, project_id],
      [await claimed("draft"), company_id, project_id],
      [await claimed("open"), null, null],
    ];

    await migrate(database.owner, APPLICATION, stepsUntil("0040"));
    // The previous version names no day: the triggers give its entries one, and their references.
    const old = [await entry(amsterdam), await entry(amsterdam, { task_id }), await entry(unknown)];
    expect((await Promise.all(old.map(read))).map((row) => [row.work_date, row.company_id, row.project_id])).to.deep.equal([
      ["2026-09-01", null, null],
      ["2026-09-01", company_id, project_id],
      ["2026-09-01", null, null],
    ]);
    const move = (id: string, more = "") =>
      sql.query(`update time_entries set started_at = '2026-05-04T22:30:00Z', version = version + 1${more} where id = $1`, [id]);
    await move(old[0] as string);
    await move(old[1] as string, ", work_date = '2026-05-04'");
    expect((await read(old[0] as string)).work_date).to.equal("2026-05-05");
    // Values written by a node that knows the day stay.
    expect((await read(old[1] as string)).work_date).to.equal("2026-05-04");

    await migrate(database.owner, APPLICATION, stepsUntil("0041"));
    for (const [id, date] of days) expect((await read(id)).work_date, date).to.equal(date);
    for (const [id, company, project] of places) {
      const row = await read(id);
      expect([row.company_id, row.project_id]).to.deep.equal([company, project]);
      expect(new Date(row.started_at).toISOString()).to.equal("2026-08-31T22:30:00.000Z");
    }
    // A filled reference is a change of the row, a day is none.
    const changed = await Promise.all([...days, ...places].map(async ([id]) => (await read(id)).version));
    expect(changed).to.deep.equal([...days.map(() => 1), 2, 2, 2, 1, 2, 2, 1]);
  });
}).timeout(60_000);
