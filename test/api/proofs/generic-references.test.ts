import { expect } from "chai";
import { CrossedWorld, MARKER } from "../../support/fixture/crossed-world.ts";
import {
  idParameters,
  isOpen,
  isWrite,
  longestPage,
  needsSession,
  type Operation,
} from "../../support/fixture/fixture-operations.ts";
import { prove } from "../../support/fixture/fixture-proof.ts";
import { inTurn } from "../../support/fixture/fixture-turns.ts";
import { type Credential, keyOf, type Rows, sharedWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Answer } from "../../support/http.ts";

/** Characters in front of a marker that show its location. */
const BEFORE = 200;

/** References by writes of the API, client logins, MCP, streams and mail: generic-names.deep.test.ts. */
describe("every operation of the document: names of records that the caller does not see, by references in the tables", function () {
  this.timeout(180_000);
  let world: World;
  let crossed: CrossedWorld;
  let [asRestricted, asOwner] = [] as unknown as [Credential, Credential];

  before(async () => {
    world = await sharedWorld();
    crossed = new CrossedWorld(world);
    await crossed.fill({ own: 2, others: 1 });
    await crossed.lookAtCrossings();
    const { tenant, restricted } = crossed;
    [asRestricted, asOwner] = [keyOf(restricted, tenant), keyOf(tenant.owner, tenant)];
  });
  after(() => world.stop());

  const isFor = (operation: Operation) => !isOpen(operation) && !needsSession(operation);
  /** Rows that refer to the hidden client, and an ordinary one if there are none. */
  const rowsOf = async (operation: Operation, most: number): Promise<Rows[]> => {
    const [base, ...referring] = await crossed.rowsFor(operation);
    return referring.length > 0 ? inTurn(operation, referring, most) : [base ?? (await world.rows(operation, crossed.seen))];
  };
  const leak = (what: unknown, { status, text }: Answer): string[] => {
    const at = text.indexOf(MARKER);
    const shown = at < 0 ? [] : [`${JSON.stringify(what)}: ${text.slice(Math.max(0, at - BEFORE), at + MARKER.length)}`];
    return status >= 500 ? [...shown, `${status} ${text}`] : shown;
  };

  it("are in no answer to restricted staff; the owner reads them", async () => {
    let bites = 0;
    const check = async (operation: Operation) => {
      const flags = operation.query.filter(({ name, schema }) => schema.type === "boolean" && name !== "count");
      const page = longestPage(operation);
      const wrong: string[] = [];
      for (const rows of await rowsOf(operation, 3)) {
        const questions = [page, ...inTurn(operation, flags).map(({ name }) => ({ ...page, [name]: "true" }))];
        for (const query of questions)
          wrong.push(...leak({ rows, query }, await world.call(operation, asRestricted, { rows, query })));
        if ((await world.call(operation, asOwner, { rows, query: page })).text.includes(MARKER)) bites += 1;
      }
      return wrong;
    };
    const reads = world.operations.filter((one) => isFor(one) && !isWrite(one) && one.declared.streams === undefined);
    await prove("no name that a reference would show to restricted staff", reads, check);
    expect(bites, "answers in which the owner reads a name").to.be.greaterThan(40);
  });

  it("are in no answer to a write of restricted staff that changes nothing", async () => {
    const check = async (operation: Operation) => {
      const wrong: string[] = [];
      for (const rows of await rowsOf(operation, 1))
        wrong.push(...leak(rows, await world.call(operation, asRestricted, { rows, body: {} })));
      return wrong;
    };
    const changes = world.operations.filter((one) => isFor(one) && one.method === "PATCH" && idParameters(one).length > 0);
    await prove("no name that a reference would show in the answer of a change", changes, check);
  });
});
