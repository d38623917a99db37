import { plain, replaced, type Schema } from "../../support/fixture/fixture-bodies.ts";
import { isOpen, isWrite, type Operation } from "../../support/fixture/fixture-operations.ts";
import { prove } from "../../support/fixture/fixture-proof.ts";
import { inTurn } from "../../support/fixture/fixture-turns.ts";
import { type Credential, partedWorld, type World } from "../../support/fixture/fixture-world.ts";
import type { Answer } from "../../support/http.ts";
import type { Tenant } from "../../support/service.ts";

const [FIRST, LAST] = ["0001-01-01", "9999-12-31"];
/** The values of a parameter of days and one of instants; a range ends where the calendar does. */
const ENDS = { date: [FIRST, LAST], "date-time": [`${FIRST}T00:00:00Z`, `${LAST}T23:59:59Z`] } as const;

/** The two ends for a schema of a day or an instant, or null for any other. */
function endsOf(schema: Schema): readonly [string, string] | null {
  const { format } = plain(schema);
  return format === "date" || format === "date-time" ? ENDS[format] : null;
}

describe("every operation of the document: the ends of the calendar", function () {
  this.timeout(180_000);
  let world: World;
  let tenant: Tenant;

  before(async () => {
    world = await partedWorld();
    tenant = await world.refusing();
  });
  after(() => world.stop());

  const credential = async (operation: Operation): Promise<Credential> =>
    isOpen(operation) ? { host: tenant.host } : world.lastingOwner(operation, tenant);
  const failed = ({ status, text }: Answer, what: string): string[] =>
    status >= 500 && status !== 503 ? [`${what}: ${status} ${text.slice(0, 200)}`] : [];

  it("answers or refuses a query of the first day, the last day and all between them", async () => {
    const check = async (operation: Operation) => {
      const dated = operation.query.flatMap(({ name, schema }) => {
        const ends = endsOf(schema);
        return ends ? [{ name, ends }] : [];
      });
      if (dated.length === 0) return null;
      const as = await credential(operation);
      let sent = await world.prepared(operation, tenant);
      const queries: [what: string, query: Record<string, string>][] = [
        ["the first day", Object.fromEntries(dated.map(({ name, ends }) => [name, ends[0]]))],
        ["the last day", Object.fromEntries(dated.map(({ name, ends }) => [name, ends[1]]))],
        [
          "all days",
          Object.fromEntries(
            dated.map(({ name, ends }) => [name, /(^|_)(to|until|before|end)(_|$)/.test(name) ? ends[1] : ends[0]]),
          ),
        ],
      ];
      const wrong: string[] = [];
      for (const [what, query] of inTurn(operation, queries)) {
        const answer = await world.call(operation, as, { ...sent, query });
        wrong.push(...failed(answer, what));
        if (answer.status < 300 && isWrite(operation)) sent = await world.renewed(operation, tenant);
      }
      return wrong;
    };
    await prove("ends of the calendar in queries", world.operations, check, "malformed");
  });

  it("takes or refuses a body with a date at an end of the calendar", async () => {
    const check = async (operation: Operation) => {
      const { properties = {} } = plain(operation.body as Schema);
      const dated = Object.entries(properties).flatMap(([field, schema]) =>
        (endsOf(schema) ?? []).map((value) => [field, value] as const),
      );
      if (dated.length === 0) return null;
      const as = await credential(operation);
      const wrong: string[] = [];
      let { rows, body } = await world.prepared(operation, tenant);
      for (const [field, value] of dated) {
        const answer = await world.call(operation, as, { rows, body: replaced(body, [field], value) });
        wrong.push(...failed(answer, `${field} = ${value}`));
        if (answer.status < 300) ({ rows, body } = await world.renewed(operation, tenant));
      }
      return wrong;
    };
    const withBody = world.operations.filter(({ body, mediaType }) => body !== null && mediaType === "application/json");
    await prove("ends of the calendar in bodies", withBody, check, "malformed");
  });
});
