import { expect } from "chai";
import pg from "pg";
import type { Listing } from "../../../core/database/lists/list.ts";
import { filledAtOnce } from "../../support/fixture/fixture-filled.ts";
import type { Answer } from "../../support/http.ts";
import { holdSchedules } from "../../support/jobs.ts";
import { type Callers, everyReference, MOMENTS, type Reference } from "../../support/lists/answers.ts";
import { everyListing } from "../../support/lists/every.ts";
import { seeded } from "../../support/lists/seeded.ts";
import { type Caller, startService, type TestService } from "../../support/service.ts";
import { rounds, tier } from "../../support/tier.ts";

/**
 * Rows of each list and questions asked of it; the first tier has few of either. In the large organisation a search samples twice, and
 * neither walking nor collecting is always the shorter way; in the small one everything is collected.
 */
const LARGE = { rows: rounds(1_500, 12_000), questions: rounds(6, 80) };
const SMALL = { rows: rounds(300, 600), questions: rounds(3, 25) };
type Size = typeof LARGE;
/** Pages that are read by cursor behind an answer, and of how many answers one is followed so. */
const PAGES = rounds(1, 2);
const FOLLOWED = rounds(2, 5);

/** An organisation with rows, and who asks about them. */
interface Asked {
  organisation: string;
  callers: Callers;
  size: Size;
}

interface Question {
  caller: keyof Callers;
  sort: string;
  limit: number;
  offset: number;
  count: boolean;
  q: string;
  since: string;
  /** A filter as requested, and its meaning. */
  filter: readonly [query: string, condition: string];
}

describe("the answers of every list equal those of a plain query", function () {
  this.timeout(300_000);
  const chance = seeded(2026);
  let service: TestService;
  let references: readonly Reference[];
  let lists: Listing[];
  const organisations: Asked[] = [];

  before(async () => {
    // Only the log has the reason for a missing answer among thousands.
    service = await startService({ SERVICE_LOG_LEVEL: "error" });
    // A job would execute the runs of rules that wait, and change their rows.
    await holdSchedules(service, "%");
    [references, lists] = [await everyReference(), await everyListing()];
    for (const size of [LARGE, SMALL]) {
      const tenant = await service.tenant();
      const [few, many, client] = [await tenant.member("admin"), await tenant.member("admin"), await tenant.member("client")];
      const callers = { owner: tenant.owner, few, many, client };
      organisations.push({ organisation: tenant.organisation.id, callers, size });
    }
    const superuser = new pg.Client({ connectionString: service.database.superuser });
    await superuser.connect();
    await filledAtOnce(superuser, async () => {
      for (const { organisation, callers, size } of organisations)
        for (const { fill } of references) await fill(superuser, organisation, callers, size.rows, chance);
    });
    await superuser.query("vacuum analyze");
    await superuser.end();
  });
  after(() => service.stop());

  const askingOf = ({ asking, visible }: Reference): readonly (keyof Callers)[] =>
    asking ?? (visible ? ["owner", "few", "many"] : ["owner"]);

  function anyQuestion(reference: Reference, { callers, size: { rows } }: Asked): Question {
    const { random, pick } = chance;
    const { terms, orders, filters } = reference;
    const term = terms.length > 0 && random() < 0.7 ? pick(terms) : "";
    const phrase = random() < 0.2 && /^[^"]+$/.test(term) ? `"${term}"` : term;
    const words = term && random() < 0.4 ? `${phrase}  ${pick(terms)}` : phrase;
    const caller = pick(askingOf(reference));
    return {
      caller,
      sort: pick(Object.keys(orders(null))),
      limit: pick([1, 7, 50, 50, 200]),
      offset: pick([0, 0, 0, 13, rows / 30, rows - 20]),
      count: random() < 0.5,
      q: random() < 0.3 ? words.toUpperCase() : words,
      since: random() < 0.5 ? pick(MOMENTS) : "",
      filter: random() < 0.3 ? pick([["", "true"] as const, ...filters(callers, callers[caller])]) : ["", "true"],
    };
  }

  /**
   * Each order separately, at its beginning and after six in ten rows: about as many companies have an assignee and contacts a company, so
   * that another table's values end there. Then each term in the default order, which a search walks, both ways.
   */
  function plainQuestions(reference: Reference, { size: { rows } }: Asked): Question[] {
    const { table, orders, terms } = reference;
    const [caller] = askingOf(reference) as [keyof Callers];
    const plain = { caller, limit: 200, offset: 0, count: false, q: "", since: "", filter: ["", "true"] } as const;
    const sorts = Object.keys(orders(null));
    const order = lists.find(({ spec }) => spec.table === table)?.spec.order.replace(/^-/, "") as string;
    const walked = sorts.includes("") ? [""] : [order, `-${order}`];
    return [
      ...sorts.flatMap((sort) => [0, 0.6 * rows - 100].map((offset) => ({ ...plain, sort, offset }))),
      ...[...terms, ...terms.map((term) => `${terms[0]} ${term}`)].flatMap((q) =>
        walked.map((sort) => ({ ...plain, sort, q, limit: 50 })),
      ),
    ];
  }

  /** Ids of all rows that meet a condition about `$2`, or in an order; each is read once from the whole table. */
  const read = new Map<string, Promise<string[]>>();
  function idsOf(organisation: string, table: string, condition: string, order: string | null, q = ""): Promise<string[]> {
    const key = JSON.stringify([organisation, table, condition, order, q]);
    let ids = read.get(key);
    if (!ids) {
      const text = `select array(select t.id::text from ${table} t where t.organisation_id = $1 and ($2::text is null or ${condition})
        ${order === null ? "" : `order by ${order}`}) as ids`;
      ids = service.sql.query(text, [organisation, q]).then(({ rows }) => rows[0].ids);
      read.set(key, ids);
    }
    return ids;
  }

  /** The expected rows from the offset on: changed ones are in the order of their change, whatever `sort` says (conventions §10). */
  async function plainly(
    { table, changed = "t.updated_at", fields, orders, visible }: Reference,
    { organisation, callers }: Asked,
    { caller, sort, offset, q, since, filter }: Question,
  ): Promise<{ ids: string[]; total: number }> {
    const membership = caller === "owner" || !visible ? null : callers[caller].membershipId;
    const plain = (text: string) => `lower(unaccent(normalize(${text}, NFKC)) collate "und-x-icu")`;
    const held = fields.map((field) => `position(${plain("$2")} in ${plain(field)}) > 0`);
    const conditions = [
      ...(since ? [`${changed} >= '${since}'`] : []),
      ...(filter[1] === "true" ? [] : [filter[1]]),
      ...(membership && visible ? [visible(membership)] : []),
    ];
    const sets: Set<string>[] = [];
    for (const word of q.match(/"[^"]+"|\S+/g) ?? [])
      sets.push(new Set(await idsOf(organisation, table, `(${held.join(" or ")})`, null, word.replace(/^"(.+)"$/, "$1"))));
    for (const condition of conditions) sets.push(new Set(await idsOf(organisation, table, condition, null)));
    const inOrder = await idsOf(organisation, table, "true", since ? `${changed}, t.id` : (orders(membership)[sort] as string));
    const found = inOrder.filter((id) => sets.every((set) => set.has(id)));
    return { ids: found.slice(offset), total: found.length };
  }

  const idsIn = ({ body }: Answer): string[] => body.items.map(({ id }: { id: string }) => id);

  /** The pages behind a page, by cursor, at most `PAGES` of them. */
  async function pagesBehind(caller: Caller, address: string, first: Answer): Promise<{ ids: string[]; isWhole: boolean }> {
    const ids: string[] = [];
    let cursor: string | null = first.body.next_cursor;
    for (let page = 0; page < PAGES && cursor !== null; page++) {
      const { status, body, text } = await caller.get(`${address}&cursor=${encodeURIComponent(cursor)}`);
      expect(status, `${address}: ${text.slice(0, 300)}`).to.equal(200);
      ids.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    return { ids, isWhole: cursor === null };
  }

  it("for any question, in a large organisation and in a small one", async () => {
    for (const reference of references) {
      const met = { all: 0, full: 0, empty: 0 };
      for (const asked of organisations) {
        const random = Array.from({ length: asked.size.questions }, () => anyQuestion(reference, asked));
        const plain = plainQuestions(reference, asked).filter((_, index) => index % rounds(6, 1) === 0);
        for (const question of [...plain, ...random]) {
          const { caller, sort, limit, offset, count, q, since, filter } = question;
          const parameters = new URLSearchParams({
            ...(sort && { sort }),
            ...(q && { q }),
            ...(since && { updated_since: since }),
          });
          const address = `${reference.path}?${parameters}&limit=${limit}&count=${count}${reference.everyone ?? ""}${filter[0]}`;
          const path = `${address}&offset=${offset}`;
          const answer = await asked.callers[caller].get(path);
          expect(answer.status, `${path} as ${caller}: ${answer.text.slice(0, 300)}`).to.equal(200);
          const { ids: wanted, total } = await plainly(reference, asked, question);
          const ids = wanted.slice(0, limit);
          const answered = { ids: idsIn(answer), total: answer.body.total };
          expect(answered, `${path} as ${caller}`).to.deep.equal({ ids, total: count ? total : ids.length });
          if (met.all % FOLLOWED === 0) {
            const behind = await pagesBehind(asked.callers[caller], address, answer);
            const rest = wanted.slice(limit, behind.isWhole ? undefined : (PAGES + 1) * limit);
            expect(behind.ids, `behind ${path} as ${caller}`).to.deep.equal(rest);
          }
          met.all += 1;
          if (ids.length === limit) met.full += 1;
          if (ids.length === 0) met.empty += 1;
        }
      }
      // Answers of one kind only would prove little. The few questions of the first tier may have them by chance.
      if (tier() === "first") continue;
      expect(met.full, reference.path).to.be.greaterThan(met.all / 5);
      expect(met.empty, reference.path).to.be.within(1, met.all / 2);
    }
  });

  it("of all lists", () => {
    const tables = lists.map(({ spec }) => spec.table);
    expect(references.map(({ table }) => table).sort(), "each in test/fixtures/<module>/lists.ts").to.deep.equal(tables.sort());
  });
});
