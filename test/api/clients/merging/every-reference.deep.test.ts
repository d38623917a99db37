import { expect } from "chai";
import { declaredReferences, kindsOf } from "../../../../core/references/references.ts";
import { fillClient } from "../../../support/fixture/crossed-records.ts";
import { startWorld, type World } from "../../../support/fixture/fixture-world.ts";
import type { Place } from "../../../support/fixture/fixtures.ts";

interface Column {
  table: string;
  column: string;
}

const COLUMNS = `select c.relname as table, a.attname::text as column from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
   and a.atttypid = any('{uuid, uuid[], jsonb, text}'::regtype[]::oid[]) and exists (
     select from pg_attribute o where o.attrelid = c.oid and o.attname = 'organisation_id') order by 1, 2`;

/** Columns that still have the id of a merged record: a record of what happened, or of what was sent. */
const HISTORY: Record<string, string> = {
  "activity.payload": "the line of the merge names the record",
  "automation_runs.payload": "a run keeps the event that started it",
  "automation_runs.actions": "a run keeps what it did",
  "automation_matches.payload": "a match keeps its event",
  "idempotency_keys.response_body": "an answer is repeated as it was",
  "notification_events.payload": "a notification keeps its event",
  "outbox.payload": "an event keeps the record that it was about",
  "webhook_deliveries.payload": "a delivery keeps the record that it reported",
  "mails.link": "a mail keeps its link, which the alias serves",
  "reports.data_snapshot": "a report keeps what it printed",
};

describe("every reference to a merged record", function () {
  this.timeout(600_000);
  let world: World;
  before(async () => {
    world = await startWorld({}, [], "run");
  });
  after(() => world.stop());

  /** Names of the columns in which an id occurs. */
  async function namesOf(id: string, { tenant, sql }: Place): Promise<string[]> {
    const { rows } = await sql.query<Column>(COLUMNS);
    const text = rows
      .map(
        ({ table, column }) => `select '${table}.${column}' as name where exists (select from "${table}" t
          where t.organisation_id = $1 and t."${column}"::text like '%' || $2 || '%')`,
      )
      .join(" union all ");
    const found = await sql.query<{ name: string }>(text, [tenant.organisation.id, id]);
    return found.rows.map(({ name }) => name).toSorted();
  }

  /** Lets one row of every declared column without a foreign key name a record. */
  async function nameEverywhere(kind: string, id: string, { tenant, sql }: Place): Promise<string[]> {
    const named: string[] = [];
    for (const [name, { to, kind: by, holds, left }] of declaredReferences()) {
      const [table = "", column = ""] = name.split(".");
      if (left !== undefined || (by === undefined && to !== kind && to !== "any")) continue;
      const value =
        { list: "array[$2::uuid]", json: `jsonb_build_array(jsonb_build_object('id', $2::uuid))` }[holds as string] ?? "$2::uuid";
      const sets = [`${column} = ${value}`, ...(by === undefined ? [] : [`${by} = '${kindsOf(kind)[0]}'`])];
      const { rowCount } = await sql
        .query(
          `update ${table} set ${sets.join(", ")} where organisation_id = $1
             and ctid = (select min(ctid) from ${table} where organisation_id = $1)`,
          [tenant.organisation.id, id],
        )
        .catch((error: Error) => {
          throw new Error(`${name}: ${error.message}`);
        });
      if (rowCount) named.push(name);
    }
    return named;
  }

  for (const kind of ["company", "contact"] as const)
    it(`moves, or is history: ${kind}`, async () => {
      const tenant = await world.service.tenant();
      const [mine, others] = [await world.place(tenant, "Keeps"), await world.place(tenant, "Goes")];
      await fillClient(mine, 2);
      await fillClient(others, 2);
      const contactOf = async ({ companyId, sql }: Place) =>
        (await sql.query("select contact_id as id from contact_links where company_id = $1 limit 1", [companyId])).rows[0].id;
      const [kept, from] =
        kind === "company" ? [mine.companyId, others.companyId] : [await contactOf(mine), await contactOf(others)];
      const named = await nameEverywhere(kind, from, others);
      expect(named.length).to.be.greaterThan(6);
      const before = await namesOf(from, others);
      expect(before).to.include.members(named);
      expect(before.length).to.be.greaterThan(kind === "company" ? 20 : 8);

      const path = kind === "company" ? "companies" : "contacts";
      const answer = await tenant.owner.post(`/${path}/${kept}/merge`, { from });
      expect(answer.status, answer.text).to.equal(200);

      const left = [...declaredReferences()].flatMap(([name, { left: why }]) => (why === undefined ? [] : [name]));
      const known = new Set([...left, ...Object.keys(HISTORY)]);
      expect((await namesOf(from, others)).filter((name) => !known.has(name))).to.deep.equal([]);
      const after = await namesOf(kept, others);
      const moved = before.filter((name) => !known.has(name) && !/^(companies|contacts)\.id$/.test(name));
      expect(after).to.include.members(moved);
    });
});
