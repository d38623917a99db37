import { expect } from "chai";
import { everyListing } from "../../support/lists/every.ts";
import { type Callers, MOMENTS, REFERENCES, type Reference } from "../../support/lists/references.ts";
import { seeded } from "../../support/lists/seeded.ts";
import { startService, type TestService } from "../../support/service.ts";

/** Rows of each list: enough that a search samples twice, and that neither walking nor collecting is always the shorter way. */
const ROWS = 12_000;
/** Questions asked of each list. */
const QUESTIONS = 150;

interface Question {
  caller: keyof Callers;
  sort: string;
  limit: number;
  offset: number;
  count: boolean;
  q: string;
  since: string;
  /** A narrowing as it is asked for, and what it means. */
  filter: readonly [query: string, condition: string];
}

describe("the answers of every list equal those of a plain query", function () {
  this.timeout(300_000);
  const chance = seeded(2026);
  let service: TestService;
  let organisation: string;
  let callers: Callers;

  before(async () => {
    service = await startService();
    const [tenant, other] = [await service.tenant(), await service.tenant()];
    organisation = tenant.organisation.id;
    callers = { owner: tenant.owner, few: await tenant.member("admin"), many: await tenant.member("admin") };
    for (const { fill } of REFERENCES) {
      await fill(service.sql, organisation, callers, ROWS, chance);
      await fill(service.sql, other.organisation.id, { owner: other.owner, few: other.owner, many: other.owner }, 600, chance);
    }
    await service.sql.query("vacuum analyze");
  });
  after(() => service.stop());

  function anyQuestion({ terms, orders, filters, visible }: Reference): Question {
    const { random, pick } = chance;
    const term = terms.length > 0 && random() < 0.7 ? pick(terms) : "";
    const caller = visible ? pick(["owner", "few", "many"] as const) : "owner";
    return {
      caller,
      sort: pick(Object.keys(orders(null))),
      limit: pick([1, 7, 50, 50, 200]),
      offset: pick([0, 0, 0, 13, 400, ROWS - 20]),
      count: random() < 0.5,
      q: random() < 0.3 ? term.toUpperCase() : term,
      since: random() < 0.5 ? pick(MOMENTS) : "",
      filter: random() < 0.3 ? pick([["", "true"] as const, ...filters(callers, callers[caller])]) : ["", "true"],
    };
  }

  /** Ids of all rows that meet a condition, or in an order; each is read once from the whole table. */
  const read = new Map<string, Promise<string[]>>();
  function idsOf(table: string, condition: string, order: string, q: string): Promise<string[]> {
    const key = JSON.stringify([table, condition, order, q]);
    let ids = read.get(key);
    if (!ids) {
      const text = `select array(select t.id::text from ${table} t where t.organisation_id = $1 and ($2::text is null or ${condition}) order by ${order}) as ids`;
      ids = service.sql.query(text, [organisation, q]).then(({ rows }) => rows[0].ids);
      read.set(key, ids);
    }
    return ids;
  }

  /** What is to be answered. */
  async function plainly(
    { table, fields, orders, visible }: Reference,
    { caller, sort, limit, offset, q, since, filter }: Question,
  ): Promise<{ ids: string[]; total: number }> {
    const membership = caller === "owner" || !visible ? null : callers[caller].membershipId;
    const held = fields.map((field) => `position(lower($2 collate "und-x-icu") in lower(${field} collate "und-x-icu")) > 0`);
    const conditions = [
      ...(q ? [`(${held.join(" or ")})`] : []),
      ...(since ? [`t.updated_at >= '${since}'`] : []),
      filter[1],
      ...(membership && visible ? [visible(membership)] : []),
    ];
    const sets: Set<string>[] = [];
    for (const condition of conditions) sets.push(new Set(await idsOf(table, condition, "t.id", q)));
    const inOrder = await idsOf(table, "true", orders(membership)[sort] as string, "");
    const found = inOrder.filter((id) => sets.every((set) => set.has(id)));
    return { ids: found.slice(offset, offset + limit), total: found.length };
  }

  for (const reference of REFERENCES)
    it(`GET ${reference.path}`, async () => {
      const met = { full: 0, empty: 0 };
      for (let n = 0; n < QUESTIONS; n++) {
        const asked = anyQuestion(reference);
        const { caller, sort, limit, offset, count, q, since, filter } = asked;
        const parameters = new URLSearchParams({ sort, ...(q && { q }), ...(since && { updated_since: since }) });
        const path = `${reference.path}?${parameters}&limit=${limit}&offset=${offset}&count=${count}${reference.everyone ?? ""}${filter[0]}`;
        const { status, body, text } = await callers[caller].get(path);
        expect(status, `${path} as ${caller}: ${text.slice(0, 300)}`).to.equal(200);
        const { ids, total } = await plainly(reference, asked);
        const answered = { ids: body.items.map(({ id }: { id: string }) => id), total: body.total };
        expect(answered, `${path} as ${caller}`).to.deep.equal({ ids, total: count ? total : ids.length });
        if (ids.length === limit) met.full += 1;
        if (ids.length === 0) met.empty += 1;
      }
      // Answers that are all of one kind would prove little.
      expect(met.full).to.be.greaterThan(QUESTIONS / 5);
      expect(met.empty).to.be.within(1, (2 * QUESTIONS) / 3);
    });

  it("whatever lists there are", async () => {
    const tables = (await everyListing()).map(({ spec }) => spec.table);
    expect(REFERENCES.map(({ table }) => table).sort()).to.deep.equal(tables.sort());
  });
});
