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
import { inTurn } from "../../support/fixture/fixture-turns.ts";
import { keyOf, type Rows, sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Place } from "../../support/fixture/fixtures.ts";
import type { Answer } from "../../support/http.ts";
import type { Tenant } from "../../support/service.ts";
import { rounds } from "../../support/tier.ts";

const FEW = rounds(1, 3);
const MANY = rounds(5, 60);

describe("every operation of the document: statements and pages", function () {
  this.timeout(480_000);
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

  /** An organisation with so many rows of every kind, all of them of one company where they refer to one. */
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

  const ask = (operation: Operation, { tenant }: Filled, rows: Rows, query: Record<string, string>): Promise<Answer> =>
    world.call(operation, keyOf(tenant.owner, tenant), { rows, query });

  const questions = (operation: Operation): Record<string, string>[] => {
    const paged = longestPage(operation);
    const flags = operation.query.flatMap(({ name, schema }) => (schema.type === "boolean" ? [{ [name]: "true" }] : []));
    const searches = operation.query.some(({ name }) => name === "q") ? [{ q: "e" }] : [];
    const others = [...searches, ...sortKeys(operation).map((sort) => ({ sort }))];
    return [{}, ...flags, ...inTurn(operation, others)].map((one) => ({ ...paged, ...one }));
  };

  it(`reads ${MANY} rows with as many statements as ${FEW}`, async () => {
    const check = async (operation: Operation) => {
      const [few, many] = [small as Filled, large as Filled];
      const [fewRows, manyRows] = [await world.rows(operation, few.place), await world.rows(operation, many.place)];
      const wrong: string[] = [];
      const expected = operation.declared.status ?? 200;
      let grew = false;
      let isList = false;
      const pair = async (query: Record<string, string>): Promise<[one: Answer, other: Answer]> => [
        await ask(operation, few, fewRows, query),
        await ask(operation, many, manyRows, query),
      ];
      // From here on both callers are cached, and so is the operation's data in memory.
      await pair({});
      for (const query of questions(operation)) {
        let [one, other] = await pair(query);
        // Cached data may have expired in between; rows would count the second time too.
        if (one.statements !== other.statements) [one, other] = await pair(query);
        const what = JSON.stringify(query);
        if (one.status !== expected || other.status !== expected) wrong.push(`${what}: ${one.status}, ${other.status}`);
        if (one.statements !== other.statements)
          wrong.push(`${what}: ${one.statements} statements for few rows, ${other.statements} for many`);
        const [less, more] = [lengthOf(one), lengthOf(other)];
        isList ||= less !== null;
        grew ||= less !== null && more !== null && more > less;
      }
      if (isList && !grew && saidOf("fixedLists")[operation.label] === undefined)
        wrong.push("the list is no longer for many rows: give its rows a maker, or name it in fixedLists with the reason");
      return wrong;
    };
    const reads = world.operations.filter((operation) => !isWrite(operation) && !isOpen(operation) && !needsSession(operation));
    await prove("statements equal for 3 and 100 rows", reads, check, "statements");
  });

  it("walks through the pages of each list by cursor, each row once and in order, and ends a delta on its last page", async () => {
    const BEGINNING = "1970-01-01T00:00:00Z";
    const check = async (operation: Operation): Promise<string[] | null> => {
      const names = new Set(operation.query.map(({ name }) => name));
      if (!names.has("offset") || !(names.has("updated_since") || names.has("cursor"))) return null;
      if (!names.has("cursor")) return ["it takes an offset, but no cursor: it returns no `page(…)`"];
      const many = large as Filled;
      const rows = await world.rows(operation, many.place);
      const wrong: string[] = [];
      const queries: Record<string, string>[] = [{}, ...(names.has("updated_since") ? [{ updated_since: BEGINNING }] : [])];
      for (const query of queries) {
        const what = JSON.stringify(query);
        const whole = await ask(operation, many, rows, { ...longestPage(operation), ...query });
        const ids: string[] = [];
        for (let cursor: string | null = null; ; ) {
          const page = await ask(operation, many, rows, { limit: "2", ...query, ...(cursor !== null && { cursor }) });
          if (page.status !== 200) return [...wrong, `${what}: ${page.status} ${page.text}`];
          ids.push(...page.body.items.map(({ id }: { id: string }) => id));
          cursor = page.body.next_cursor;
          const isEnd = page.headers["updated-until"] !== undefined;
          if ("updated_since" in query && isEnd !== (cursor === null))
            wrong.push(`${what}: Updated-Until is not where the walk ends`);
          if (cursor === null) break;
        }
        const expected: string[] = whole.body.items.map(({ id }: { id: string }) => id);
        if (new Set(ids).size !== ids.length) wrong.push(`${what}: a row came twice`);
        // The longest page may be shorter than the list.
        if (
          ids.slice(0, expected.length).join() !== expected.join() ||
          (whole.body.next_cursor === null && ids.length !== expected.length)
        )
          wrong.push(`${what}: ${ids.length} rows by cursor, ${expected.length} in one page, or in another order`);
      }
      return wrong;
    };
    const reads = world.operations.filter((operation) => !isWrite(operation) && !isOpen(operation) && !needsSession(operation));
    await prove("pages by cursor equal the whole list", reads, check, "statements");
  });
});
