import { expect } from "chai";
import type pg from "pg";
import { requestDeletion } from "../../../operator/lifecycle.ts";
import { asOwner } from "../../../operator/owner.ts";
import { purge } from "../../../operator/purge.ts";
import { fillClient } from "../../support/fixture/crossed-records.ts";
import { allMakers } from "../../support/fixture/fixture-makers.ts";
import { sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Tenant } from "../../support/service.ts";

const TABLES = `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`;

/** Every row of an organisation, by table. */
async function rowsOf(sql: pg.Client, id: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name } of (await sql.query<{ name: string }>(TABLES)).rows) {
    const { rows } = await sql.query(
      `select coalesce(string_agg(r.text, E'\\n' order by r.text), '') as rows
         from (select to_jsonb(t)::text as text from "${name}" t where organisation_id = $1) r`,
      [id],
    );
    if (rows[0].rows !== "") found[name] = rows[0].rows;
  }
  return found;
}

describe("a purge", function () {
  this.timeout(600_000);
  let world: World;
  let [gone, stays]: Tenant[] = [];
  before(async () => {
    world = await sharedWorld();
    [gone, stays] = [await world.service.tenant(), await world.service.tenant()];
    for (const tenant of [gone, stays] as Tenant[]) {
      const place = await world.place(tenant);
      await fillClient(place, 2);
      for (const { maker } of allMakers()) if (!maker.ofCompany) await maker.make(place);
    }
  });
  after(() => world.stop());

  it("leaves no row of an organisation that has rows of every kind, and every row of another", async () => {
    const { sql } = world.service;
    const [mine, theirs] = [(gone as Tenant).organisation, (stays as Tenant).organisation];
    const [before, kept] = [await rowsOf(sql, mine.id), await rowsOf(sql, theirs.id)];
    expect(Object.keys(before).length).to.be.greaterThan(90);
    await requestDeletion(sql, mine.id, 1, null);
    const { rows, accounts } = await asOwner((client) => purge(client, mine.id));
    expect(rows).to.be.greaterThan(200);
    expect(accounts).to.be.greaterThan(0);
    expect(await rowsOf(sql, mine.id)).to.deep.equal({});
    expect((await sql.query("select from organisations where id = $1", [mine.id])).rowCount).to.equal(0);
    expect(await rowsOf(sql, theirs.id)).to.deep.equal(kept);
  });
});
