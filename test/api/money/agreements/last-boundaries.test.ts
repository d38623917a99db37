import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { knownSteps, migrate } from "../../../../migrations/run.ts";
import { cloneDatabase, type TestDatabase } from "../../../support/database.ts";

/** The database of a cluster that no step has run on. */
const EMPTY = "kantoor";
const APPLICATION = '"kantoor_app"';

describe("agreements whose cycle ended before their last boundary was stored", () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let organisation: string;
  let client: string;
  const stepsUntil = (last: string) => knownSteps().filter((name) => name.slice(0, 4) <= last);
  before(async () => {
    database = await cloneDatabase(EMPTY);
    await migrate(database.owner, APPLICATION, stepsUntil("0096"));
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    organisation = randomUUID();
    await sql.query("insert into organisations (id, slug, name) values ($1, 'ended', 'Ended')", [organisation]);
    client = await insert("companies", { name: "Aster" });
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  const insert = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const row: Record<string, unknown> = { id: randomUUID(), organisation_id: organisation, ...values };
    const names = Object.keys(row);
    await sql.query(
      `insert into ${table} (${names.join()}) values (${names.map((_, at) => `$${at + 1}`).join()})`,
      Object.values(row),
    );
    return row["id"] as string;
  };
  const agreement = (values: object = {}) =>
    insert("subscriptions", {
      company_id: client,
      name: "Hosting",
      start_date: "2025-01-15",
      end_date: "2025-06-20",
      activated_at: "2025-01-15T09:00:00Z",
      ...values,
    });
  const changed = (entity_id: string, changes: object, created_at = "2025-03-01T09:00:00Z") =>
    insert("activity", { entity_type: "subscription", entity_id, action: "updated", payload: { changes }, created_at });
  const document = (subscription_id: string, period_end: string) =>
    insert("invoices", { company_id: client, currency: "EUR", locale: "nl", subscription_id, period_end });
  const claim = async (source_id: string, period_end: string) => {
    const invoice_id = await insert("invoices", { company_id: client, currency: "EUR", locale: "nl" });
    await sql.query(
      "insert into period_claims (organisation_id, source, source_id, period_end, invoice_id) values ($1, 'subscription', $2, $3, $4)",
      [organisation, source_id, period_end, invoice_id],
    );
  };

  it("get it where their rows show it, and stay without one elsewhere", async () => {
    const rows: [what: string, id: string, boundary: string | null][] = [];
    const row = async (what: string, boundary: string | null, values: object = {}) => {
      const id = await agreement(values);
      rows.push([what, id, boundary]);
      return id;
    };
    await row("from the start", "2025-06-15");
    await row("a boundary on the last day", "2025-06-15", { end_date: "2025-06-15", status: "paused" });
    await row("a clamp that sticks", "2025-06-28", { start_date: "2025-01-31", end_date: "2025-06-30" });
    await row("the end of the month", "2025-06-30", { start_date: "2025-01-31", end_date: "2025-06-30", anchor: "month_end" });
    await row("half a year", "2025-01-10", { start_date: "2024-01-10", interval: "quarterly", interval_count: 2 });
    await claim(await row("from a billed period", "2025-06-01"), "2025-03-01");
    await document(await row("from a cancelled document", "2025-06-03"), "2025-04-03");
    await claim(await row("billed past its end", "2025-06-15"), "2025-07-15");
    await changed(await row("from a next date that was set", "2025-06-05"), {
      next_invoice_date: { from: "2025-03-15", to: "2025-03-05" },
    });
    await changed(await row("a next date past the end", "2025-08-01"), {
      next_invoice_date: { from: "2025-03-15", to: "2025-08-01" },
    });
    await changed(await row("an end that was set", "2025-06-15"), { end_date: { from: null, to: "2025-06-20" } });
    await changed(await row("an end that moved earlier", "2025-06-15"), { end_date: { from: "2025-09-01", to: "2025-06-20" } });
    await changed(
      await row("a start that changed in the draft", "2025-06-15"),
      { start_date: { from: "2025-01-01", to: "2025-01-15" } },
      "2025-01-10T09:00:00Z",
    );

    await changed(await row("an end that moved later", null), { end_date: { from: "2025-03-01", to: "2025-06-20" } });
    await changed(await row("a cleared next date", null), { next_invoice_date: { from: "2025-03-15", to: null } });
    await changed(await row("another length", null), { interval: { from: "yearly", to: "monthly" } });
    await row("a first boundary past the end", null, { end_date: "2025-02-01" });
    await row("a next date", null, { next_invoice_date: "2025-06-15" });
    await row("no end", null, { end_date: null });
    await row("never activated", null, { status: "draft", activated_at: null });
    const future = await row("not begun", null, { start_date: "9000-01-15", end_date: "9000-06-20" });
    await changed(future, { next_invoice_date: { from: null, to: "9000-02-15" } });

    await migrate(database.owner, APPLICATION, stepsUntil("0098"));
    for (const [what, id, boundary] of rows) {
      const found = await sql.query("select last_boundary::text as boundary from subscriptions where id = $1", [id]);
      expect(found.rows, what).to.deep.equal([{ boundary }]);
    }
  });
}).timeout(60_000);
