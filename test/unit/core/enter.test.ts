import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { enter } from "../../../core/database/connection/database.ts";
import type { RequestStore } from "../../../core/request/context.ts";
import { createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

describe("entering an organisation", () => {
  let database: TestDatabase;
  let owner: pg.Client;
  let application: pg.Client;
  let known: { id: string; revision: string };

  before(async () => {
    database = await cloneDatabase();
    [owner, application] = [database.owner, database.application].map(
      (connectionString) => new pg.Client({ connectionString }),
    ) as [pg.Client, pg.Client];
    await owner.connect();
    await application.connect();
    const { id } = await createOrganisation(owner, { slug: "enter", name: "Enter" });
    const { rows } = await owner.query("select access_revision from organisations where id = $1", [id]);
    known = { id, revision: String(rows[0].access_revision) };
  });
  after(async () => {
    await owner.end();
    await application.end();
    await database.drop();
  });

  /** A transaction's binding, and whether it may write; or the code of the refusal. */
  async function outcome(text: string, values: readonly unknown[]): Promise<unknown> {
    await application.query("begin");
    try {
      await application.query(text, [...values]);
      const { rows } = await application.query(
        "select current_organisation() as organisation, current_setting('transaction_read_only') as read_only, (select count(*)::int from organisations) as seen",
      );
      return rows[0];
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await application.query("rollback");
    }
  }

  const cases: [string, (is: typeof known) => { id: string; revision: string }, boolean][] = [
    ["the revision as it is", (is) => is, true],
    ["a revision of before", (is) => ({ ...is, revision: String(Number(is.revision) - 1) }), false],
    ["a revision to come", (is) => ({ ...is, revision: String(Number(is.revision) + 1) }), false],
    ["no such organisation", (is) => ({ ...is, id: randomUUID() }), false],
  ];
  for (const [name, of, isCurrent] of cases)
    for (const guarded of [true, false])
      for (const readOnly of [true, false])
        it(`${name}, ${guarded ? "guarded" : "not guarded"}, ${readOnly ? "to read" : "to write"}: as the function has it`, async () => {
          const organisation = of(known);
          const [{ text }, values] = enter({ guarded, organisation } as RequestStore, readOnly);
          const found = await outcome(text, values);
          const asked = [organisation.id, guarded ? organisation.revision : null, readOnly];
          expect(found).to.deep.equal(await outcome("select enter_organisation($1, $2, $3)", asked));
          const seen = organisation.id === known.id ? 1 : 0;
          const bound = { organisation: organisation.id, read_only: readOnly ? "on" : "off", seen };
          expect(found).to.deep.equal(guarded && !isCurrent ? "KT001" : bound);
        });
});
