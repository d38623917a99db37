import { expect } from "chai";
import { referencesOf, replaced } from "../../support/fixture/fixture-bodies.ts";
import { allMakers, makerOf } from "../../support/fixture/fixture-makers.ts";
import {
  idParameters,
  isOpen,
  isSuccess,
  isWrite,
  longestPage,
  needsSession,
  type Operation,
  sortKeys,
} from "../../support/fixture/fixture-operations.ts";
import { prove, proveUnchanged, refusalOf } from "../../support/fixture/fixture-proof.ts";
import { nobody } from "../../support/fixture/fixture-tools.ts";
import { inTurn, isWhole } from "../../support/fixture/fixture-turns.ts";
import { type Credential, difference, keyOf, partedWorld, type Rows, type World } from "../../support/fixture/fixture-world.ts";
import type { Place } from "../../support/fixture/fixtures.ts";
import { unwritten } from "../../support/fixture/write-log.ts";
import type { Answer } from "../../support/http.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { rounds } from "../../support/tier.ts";

describe("every operation of the document: restricted selection", function () {
  this.timeout(180_000);
  let world: World;
  let tenant: Tenant;
  let restricted: Caller;
  let [seen, hidden]: Place[] = [];

  /** Two clients with a row of every kind; the administrator is restricted to the first. */
  before(async () => {
    world = await partedWorld();
    tenant = await world.service.tenant();
    [seen, hidden] = [await world.place(tenant, "Zichtbaar"), await world.place(tenant, "Verborgen")];
    for (const place of [seen, hidden])
      for (const { name, maker } of allMakers())
        if (maker.ofCompany && name !== "company_id") for (let n = 0; n < rounds(2, 3); n++) await maker.make(place as Place);
    restricted = await tenant.member("admin");
    const group = await tenant.group("Restricted", [at(seen).companyId], [restricted.membershipId]);
    await tenant.owner.put(`/companies/groups/${group}/companies`, { company_ids: [at(seen).companyId] });
    await tenant.group("Everything", [at(seen).companyId, at(hidden).companyId], []);
  });
  after(() => world.stop());

  const at = (place: Place | undefined) => place as Place;
  const closed = () => world.operations.filter((operation) => !isOpen(operation) && !needsSession(operation));
  const asRestricted = (): Credential => keyOf(restricted, tenant);
  const asOwner = (): Credential => keyOf(tenant.owner, tenant);
  const ofCompany = (name: string, { path }: Operation): boolean => makerOf(name, path).ofCompany;
  const known = new Map<Place, Map<Operation, Rows>>();
  /** Rows for the path: those of a company from the given place; the same for all reads and refusals. */
  const rowsFrom = async (operation: Operation, place: Place): Promise<Rows> => {
    const made = known.get(place) ?? new Map<Operation, Rows>();
    known.set(place, made);
    const rows = made.get(operation) ?? (await world.rows(operation, place));
    made.set(operation, rows);
    return rows;
  };
  const pageOf = (answer: Answer): { items: { id: string }[]; total: number } | null =>
    Array.isArray(answer.body?.items) && typeof answer.body.total === "number" ? answer.body : null;

  /**
   * Every way to ask a read: plain, each flag, each order, each value of a filter, and for the hidden client by name and id. In the first tier
   * plain, for the hidden client, and one of the others.
   */
  const questions = (operation: Operation): Record<string, string>[] => {
    const paged = longestPage(operation);
    const flags = operation.query
      .filter(({ name, schema }) => schema.type === "boolean" && name !== "count")
      .map(({ name }) => name);
    const asked = operation.query.flatMap(({ name, schema }): Record<string, string>[] => {
      if (name === "sort") return sortKeys(operation).map((sort) => ({ sort }));
      if (name === "q") return [{ q: "verborgen" }, { q: "e" }];
      if (schema.format === "uuid")
        return ofCompany(name, operation) ? [{ [name]: at(hidden).companyId }] : [{ [name]: tenant.owner.accountId }];
      // Deleted rows are kept for 90 days.
      if (name === "since") return [];
      if (schema.format === "date-time") return [{ [name]: "2001-01-01T00:00:00Z" }];
      if (schema.type === "boolean") return name === "count" ? [{ count: "false" }] : [];
      return [];
    });
    const settings: Record<string, string>[] = [{}, ...flags.map((name) => ({ [name]: "true" }))];
    if (!isWhole(operation)) {
      const isOfHidden = (one: Record<string, string>) => Object.values(one).some((value) => secrets().includes(value));
      const others = [...settings.slice(1), ...asked.filter((one) => !isOfHidden(one))];
      return [{}, ...asked.filter(isOfHidden), ...inTurn(operation, others)].map((one) => ({ ...paged, ...one }));
    }
    return settings.flatMap((flag) => [flag, ...asked.map((one) => ({ ...flag, ...one }))]).map((one) => ({ ...paged, ...one }));
  };
  const secrets = () => ["verborgen", at(hidden).companyId];
  const leak = ({ text }: Answer): string | undefined => secrets().find((secret) => text.toLowerCase().includes(secret));

  it("names the hidden client nowhere, in no read, for any request; the owner sees it", async () => {
    const silent: string[] = [];
    const check = async (operation: Operation) => {
      const rows = await rowsFrom(operation, at(seen));
      const wrong: string[] = [];
      let bites = false;
      const pages: Pages = { wrong: [], isPaged: true, bites: false };
      for (const query of questions(operation)) {
        const [narrow, wide] = [
          await world.call(operation, asRestricted(), { rows, query }),
          await world.call(operation, asOwner(), { rows, query }),
        ];
        comparePages(operation, query, narrow, wide, pages);
        const what = JSON.stringify(query);
        if (!isSuccess(operation, wide.status)) wrong.push(`${what}: the owner got ${wide.status} ${wide.text}`);
        // A list may refuse a filter that names a client outside of the selection, if it says so (conventions §5).
        const refuses = Object.values(query).includes(at(hidden).companyId) && idParameters(operation).length === 0;
        if (refuses && narrow.status === 404 && operation.answers.has(404)) continue;
        if (!isSuccess(operation, narrow.status)) wrong.push(`${what}: expected a success, got ${narrow.status} ${narrow.text}`);
        const reported = leak(narrow);
        if (reported) wrong.push(`${what}: leaks '${reported}': ${narrow.text.slice(0, 300)}`);
        bites ||= leak(wide) !== undefined;
      }
      if (!bites) silent.push(operation.label);
      compared.set(operation, pages);
      return wrong;
    };
    const reads = closed().filter((operation) => !isWrite(operation));
    await prove("the hidden client is named nowhere", reads, check, "selection");
    await prove("… of which the owner does see it in", reads, async ({ label }) => (silent.includes(label) ? null : []));
  });

  /** How the pages of a list for the restricted caller compare with the owner's. */
  interface Pages {
    wrong: string[];
    /** Whether each answer was a page. */
    isPaged: boolean;
    /** Whether the owner saw rows that the restricted caller must not see. */
    bites: boolean;
  }
  const compared = new Map<Operation, Pages>();
  const comparePages = (operation: Operation, query: Record<string, string>, narrow: Answer, wide: Answer, pages: Pages) => {
    const [some, all] = [pageOf(narrow), pageOf(wide)];
    if (!some || !all) {
      pages.isPaged = false;
      return;
    }
    const visible = all.items.filter((item) => !secrets().some((secret) => JSON.stringify(item).toLowerCase().includes(secret)));
    pages.bites ||= visible.length < all.items.length;
    const [got, expected] = [some.items.map(({ id }) => id).join(), visible.map(({ id }) => id).join()];
    // Only lists visible to everyone are the same for both: "mine" and "own" rows are each caller's own.
    if (query["mine"] === undefined && isSharedBy(operation, query) && got !== expected)
      pages.wrong.push(`${JSON.stringify(query)}: the order is ${got}, the owner's without the hidden rows is ${expected}`);
    if (some.total !== some.items.length)
      pages.wrong.push(`${JSON.stringify(query)}: total ${some.total} of ${some.items.length} items`);
  };

  it("counts, pages and orders exactly what may be seen", async () => {
    const check = async (operation: Operation) => {
      const pages = compared.get(operation);
      return pages?.isPaged && pages.bites ? pages.wrong : null;
    };
    await prove(
      "items, total, search and sort keep to the selection",
      closed().filter((one) => !isWrite(one)),
      check,
      "selection",
    );
  });

  /** Whether both callers read the same rows: a list of private rows is each one's own until everyone's are requested. */
  const isSharedBy = (operation: Operation, query: Record<string, string>): boolean =>
    operation.query.every(({ name }) => name !== "all_users") || query["all_users"] === "true" || query["user_id"] !== undefined;

  it("answers 404 to a row of the hidden client exactly as to no row, and writes nothing", async () => {
    const prepare = async (operation: Operation) => {
      const parameters = idParameters(operation).filter(({ name }) => ofCompany(name, operation));
      if (parameters.length === 0) return null;
      const [inside, outside] = [await rowsFrom(operation, at(seen)), await rowsFrom(operation, at(hidden))];
      const body = await world.body(operation, at(seen));
      // Before other operations are prepared, which may change settings that this one needs.
      const control = isWrite(operation) ? null : await world.call(operation, asRestricted(), { rows: inside });
      const unseen = control && control.status !== 200 ? [`the visible row: ${control.status} ${control.text}`] : [];
      return async () => {
        const wrong = [...unseen];
        for (const { name } of parameters) {
          const real = await world.call(operation, asRestricted(), {
            rows: { ...inside, [name]: outside[name] as string },
            body,
          });
          const random = await world.call(operation, asRestricted(), { rows: { ...inside, [name]: nobody() }, body });
          wrong.push(...refusalOf(real, 404, "not_found", name));
          const reported = difference(real, random);
          if (reported) wrong.push(`${name}: differs from a missing row: ${reported}`);
        }
        return wrong;
      };
    };
    await proveUnchanged("a row outside the selection 404", closed(), prepare, unwritten(world.service, tenant), "selection");
  });

  it("treats the hidden client in a body as an unknown one, and writes nothing of it", async () => {
    const prepare = async (operation: Operation) => {
      const references = referencesOf(operation.body ?? {}).filter(({ name }) => ofCompany(name, operation));
      if (references.length === 0) return null;
      const make = async () => ({ rows: await world.rows(operation, at(seen)), body: await world.body(operation, at(seen)) });
      let sent = await make();
      const theirs = new Map<string, string>();
      for (const { name } of references)
        if (!theirs.has(name))
          theirs.set(name, name === "company_id" ? at(hidden).companyId : await makerOf(name, operation.path).make(at(hidden)));
      return async () => {
        const wrong: string[] = [];
        for (const { name, place } of references) {
          const send = async (value: string) => {
            const answer = await world.call(operation, asRestricted(), {
              rows: sent.rows,
              body: replaced(sent.body, place, value),
            });
            if (answer.status < 300) sent = await make();
            return answer;
          };
          const [real, random] = [await send(theirs.get(name) as string), await send(nobody())];
          const reported = difference(real, random);
          if (reported) wrong.push(`${place.join(".")}: differs from a missing row: ${reported}`);
        }
        return wrong;
      };
    };
    const watch = async () => {
      const before = await hiddenState();
      return async () => ((await hiddenState()) === before ? [] : ["something of the hidden client was written"]);
    };
    await proveUnchanged("a body that names the hidden client", closed(), prepare, watch, "selection");
  });

  /** Digest of every row that hangs on the hidden company, or is it. */
  const hiddenState = async (): Promise<string> => {
    const { sql } = world.service;
    const { rows } = await sql.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
        where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`,
    );
    const digests = [["companies", "id"], ...rows.map(({ name }) => [name, "company_id"])].map(
      ([table, column]) => `select md5(string_agg(t::text, '' order by t::text)) from "${table}" t where ${column} = $1`,
    );
    return JSON.stringify((await sql.query(digests.join(" union all "), [at(hidden).companyId])).rows);
  };

  it("shows an empty group, not everything, to a member whose only group has no client", async () => {
    const empty = await tenant.member("admin");
    await tenant.group("Empty", [], [empty.membershipId]);
    const { body } = await empty.get("/companies");
    expect(body).to.include({ total: 0 });
  });
});
