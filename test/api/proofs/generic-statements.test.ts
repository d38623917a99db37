import { allMakers, saidOf } from "../../support/fixture/fixture-makers.ts";
import {
  isOpen,
  isWrite,
  longestPage,
  needsSession,
  type Operation,
  sortKeys,
} from "../../support/fixture/fixture-operations.ts";
import { prove } from "../../support/fixture/fixture-proof.ts";
import { keyOf, type Rows, sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Place } from "../../support/fixture/proofs.ts";
import type { Answer } from "../../support/http.ts";
import type { Tenant } from "../../support/service.ts";

const FEW = 3;
const MANY = 300;

describe("every operation of the document: statements", function () {
  this.timeout(240_000);
  let world: World;
  let [small, large]: Filled[] = [];
  interface Filled {
    tenant: Tenant;
    place: Place;
  }

  before(async () => {
    world = await sharedWorld();
    [small, large] = [await filled(FEW), await filled(MANY)];
  });
  after(() => world.stop());

  /** An organisation with so many rows of every kind, all of them on one company where they hang on one. */
  const filled = async (count: number): Promise<Filled> => {
    const tenant = await world.service.tenant();
    const place = await world.place(tenant);
    for (const { maker } of allMakers()) for (let n = 0; n < count; n++) await maker.make(place);
    const { rows } = await world.service.sql.query("select id from companies where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    await tenant.group(
      "Everything",
      rows.map(({ id }) => id),
      [tenant.owner.membershipId],
    );
    return { tenant, place };
  };

  const lengthOf = ({ body }: Answer): number | null =>
    Array.isArray(body?.items) ? body.items.length : Array.isArray(body) ? body.length : null;

  /** Statements of a call whose caller is known already. */
  const counted = async (operation: Operation, { tenant }: Filled, rows: Rows, query: Record<string, string>) => {
    const ask = () => world.call(operation, keyOf(tenant.owner, tenant), { rows, query });
    await ask();
    const answer = await ask();
    return { statements: answer.statements, answer };
  };

  const questions = (operation: Operation): Record<string, string>[] => {
    const paged = longestPage(operation);
    const flags = operation.query.flatMap(({ name, schema }) => (schema.type === "boolean" ? [{ [name]: "true" }] : []));
    const searches = operation.query.some(({ name }) => name === "q") ? [{ q: "e" }] : [];
    return [{}, ...flags, ...searches, ...sortKeys(operation).map((sort) => ({ sort }))].map((one) => ({ ...paged, ...one }));
  };

  it(`reads ${MANY} rows with as many statements as ${FEW}`, async () => {
    const check = async (operation: Operation) => {
      const [few, many] = [small as Filled, large as Filled];
      const [fewRows, manyRows] = [await world.rows(operation, few.place), await world.rows(operation, many.place)];
      const wrong: string[] = [];
      let grew = false;
      let isList = false;
      for (const query of questions(operation)) {
        const [one, other] = [await counted(operation, few, fewRows, query), await counted(operation, many, manyRows, query)];
        const what = JSON.stringify(query);
        if (one.answer.status !== 200 || other.answer.status !== 200)
          wrong.push(`${what}: ${one.answer.status}, ${other.answer.status}`);
        if (one.statements !== other.statements)
          wrong.push(`${what}: ${one.statements} statements for few rows, ${other.statements} for many`);
        const [less, more] = [lengthOf(one.answer), lengthOf(other.answer)];
        isList ||= less !== null;
        grew ||= less !== null && more !== null && more > less;
      }
      if (isList && !grew && saidOf("fixedLists")[operation.label] === undefined)
        wrong.push("the list is no longer for many rows: give its rows a maker, or name it in fixedLists with the reason");
      return wrong;
    };
    const reads = world.operations.filter((operation) => !isWrite(operation) && !isOpen(operation) && !needsSession(operation));
    await prove("statements equal for 3 and 300 rows", reads, check, "statements");
  });
});
