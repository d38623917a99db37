import { expect } from "chai";
import type { Listing, ListRequest } from "../../../core/database/lists/list.ts";
import { sortKeys } from "../../../core/database/lists/listing-spec.ts";
import { type Order, ordersOf } from "../../../core/database/lists/order.ts";
import { NOBODY_RESTRICTED } from "../../../core/database/projection.ts";
import { groups, mine, mineOnDashboard } from "../../../services/work/dashboards/open-tasks.ts";
import { interactionPage, interactionSorts } from "../../../services/work/interactions/interaction.list.ts";
import { saidOf } from "../../support/fixture/fixture-makers.ts";
import type { Filler } from "../../support/fixture/fixtures.ts";
import { CALLERS, type Caller, callersOf } from "../../support/lists/callers.ts";
import { everyListing } from "../../support/lists/every.ts";
import { type LargeOrganisation, largeOrganisation, nodesOf, type Plan } from "../../support/lists/large.ts";

const LARGE = 100_000;
const OTHER = 1_000;
/** How many times the pages of the plain list a search may touch; its time is the bench's. */
const LOOSE = 5;
/** A condition that keeps a look into an index to one organisation, or to what one record has. */
const BOUND = /\b(\w+_)?id = /;
/** Rows of an organisation that a statement may fetch, as a multiple of its rows: the page is fetched again, and so are joined rows. */
const AGAIN = 8;
/** Pages of 8 kB that a page of 50 rows may touch at most, per row, with all that its columns join. */
const PAGES_A_ROW = 25;
/** Pages that a row may touch that is fetched by its id and sorted, with its link; and one that is sorted by the name of another record. */
const PAGES_BY_ID = 4;
const PAGES_BY_NAME = 10;
/** Rows at the beginning of an order that are read before those of a person with many, at five pages each (core/database/lists/linked.ts). */
const PAGES_NEAR = 5 * 2500;
/** Rows that an index alone returns for the cost of one row fetched from the table (core/database/lists/search.ts). */
const PRICE = 8;

describe("plans of every list, as the application role, on 100,000 rows of one organisation", function () {
  this.timeout(300_000);
  let lists: Listing[];
  let large: LargeOrganisation;
  let callers: Record<Caller, string>;

  before(async () => {
    lists = await everyListing();
    large = await largeOrganisation({ large: LARGE, other: OTHER });
    callers = await callersOf(large);
  });
  after(() => large?.close());

  const faultsOf = (plans: Plan[]): string[] =>
    plans.flatMap(nodesOf).flatMap((node) => {
      const relation = node["Relation Name"];
      const faults: string[] = [];
      const isOfAll = relation === undefined || relation === "accounts" || large.tenantTables.has(relation);
      if (/Index/.test(node["Node Type"]) && isOfAll && !BOUND.test(String(node["Index Cond"] ?? "")))
        faults.push(`walk through ${node["Index Name"]}, which has the rows of all organisations`);
      if (node["Node Type"] === "Seq Scan" && large.tenantTables.has(relation ?? ""))
        faults.push(`sequential scan on ${relation}`);
      if (/current_setting|current_organisation/.test(node.Filter ?? ""))
        faults.push(`row by row on ${relation}: ${node.Filter}`);
      return faults;
    });
  /** Nodes of these types that sort rows of the table; joins that keep a page's order do not count. */
  const sorts = (plans: Plan[], table: string, ...types: string[]): boolean =>
    plans
      .flatMap(nodesOf)
      .some(
        (node) =>
          types.includes(node["Node Type"]) &&
          !/ordinal|row_number/.test(String(node["Sort Key"])) &&
          nodesOf(node).some((inner) => inner["Relation Name"] === table),
      );

  /** What plans took of a table: rows fetched from it, and rows that an index gave alone, at their price. */
  const priceOf = (plans: Plan[], table: string): number =>
    plans.flatMap(nodesOf).reduce((sum, node) => {
      if (node["Relation Name"] !== table) return sum;
      const count = (name: string) => Number(node[name] ?? 0);
      const rows = count("Actual Rows") + count("Rows Removed by Filter") + count("Rows Removed by Index Recheck");
      return sum + (rows * count("Actual Loops")) / (node["Node Type"] === "Index Only Scan" ? PRICE : 1);
    }, 0);

  /** Omitting the sort selects the default order: not every list has a name for it. */
  const wantedOf = ({ spec }: Listing, { sort, ...parts }: Partial<ListRequest>): ListRequest => ({
    limit: 50,
    offset: 0,
    count: true,
    selection: null,
    sort: sort === spec.order ? undefined : sort,
    ...parts,
  });
  const keysOf = ({ spec }: Listing) => [...new Set([spec.order, ...sortKeys(spec.sorts)])];
  const fillerOf = ({ spec }: Listing): Filler => {
    const filler = saidOf("lists")[spec.table];
    if (!filler) throw new Error(`nothing fills '${spec.table}': add it to the lists of its module's fixtures`);
    return filler;
  };
  const isExcepted = (list: Listing, sort: string): boolean => sort.replace(/^-/, "") in fillerOf(list).excepted;
  /** Each narrowing a list has, alone. */
  const narrowingsOf = (list: Listing): [string, Partial<ListRequest>][] => {
    const { filters } = fillerOf(list);
    const declared = Object.keys(list.spec.filters ?? {});
    const missing = declared.filter((name) => !(name in filters));
    if (missing.length > 0)
      throw new Error(`the lists of the fixtures have no value for the filters ${missing.join()} of '${list.spec.table}'`);
    const recent = new Date(Date.UTC(2022, 3, 1)).toISOString();
    return [
      ["everything", {}],
      ...declared.map((name): [string, Partial<ListRequest>] => [
        name,
        { filters: { [name]: filters[name] === "$account" ? large.accountId : filters[name] } },
      ]),
      ["updated_since", { updated_since: recent }],
      ...(list.spec.visible
        ? ([
            ["a small selection", { selection: large.groups.small }],
            ["a large selection", { selection: large.groups.large }],
          ] as [string, Partial<ListRequest>][])
        : []),
    ];
  };

  /** The pages of contact moments that nothing narrows, by name: their list folds conversations and has a statement of its own. */
  const momentPages = (): [what: string, text: string, values: readonly unknown[]][] =>
    Object.keys(interactionSorts)
      .flatMap((key) => [key, `-${key}`])
      .flatMap((sort) =>
        [false, true].slice(0, sort === "-occurred_at" ? 2 : 1).map((count): [string, string, readonly unknown[]] => {
          const [{ text }, values] = interactionPage("$organisation", large.accountId, null, false, { sort, count }, {}).bound;
          return [`by ${sort}${count ? ", counted" : ""}`, text, values];
        }),
      );
  /** Lists with a search. It samples rows by their ids: those of the fixtures are the same in each run, and so is what it samples. */
  const searchable = () => {
    const found = lists.filter(({ spec }) => spec.searchable);
    for (const { spec } of found)
      for (const text of saidOf("lists")[spec.table]?.statements ?? [])
        if (new RegExp(`insert into ${spec.table} \\(id[^)]*\\)\\s*select gen_random_uuid`).test(text))
          throw new Error(`the ids of '${spec.table}' are other ones in each run: make them from the row's number`);
    return found;
  };
  const faultsOver = async (ways: (list: Listing) => [string, ListRequest][], over = lists) => {
    const found: Record<string, string[]> = {};
    const known = new Set<string>();
    let looked = 0;
    for (const list of over)
      for (const [what, wanted] of ways(list)) {
        // Two lists of one table may differ only in a selection's view; the same statement has the same plans.
        const statement = JSON.stringify(list.page("", wanted));
        if (known.has(statement)) continue;
        known.add(statement);
        const plans = await large.plansOf(list, wanted);
        if (!plans.flatMap(nodesOf).some((node) => node["Relation Name"] === list.spec.table))
          throw new Error(`no plan of ${what} was seen`);
        looked += 1;
        const faults = [...new Set(faultsOf(plans))];
        if (faults.length > 0) found[`${list.spec.table} ${what}`] = faults;
      }
    expect(looked).to.be.greaterThan(0);
    return found;
  };

  it("have no sequential scan on a tenant table and no per-row filter by row-level security, for each sort and filter", async () => {
    const ways = (list: Listing) =>
      narrowingsOf(list).flatMap(([what, parts]) =>
        keysOf(list)
          // An order that no index has reads what its narrowing finds in any other order, and sorts that.
          .filter((sort) => !isExcepted(list, sort) || !(what in (list.spec.filters ?? {})))
          .flatMap((sort) =>
            // The count is a statement part of its own that knows no order: once per narrowing is enough.
            [sort === list.spec.order, false]
              .slice(sort === list.spec.order ? 0 : 1)
              .map((count): [string, ListRequest] => [
                `by ${sort}, ${what}${count ? ", counted" : ""}`,
                wantedOf(list, { ...parts, sort, count }),
              ]),
          ),
      );
    expect(await large.unmeasured(() => faultsOver(ways))).to.deep.equal({});
  });

  it("nor for each search, common, rare and without a hit", async () => {
    const ways = (list: Listing) =>
      narrowingsOf(list).flatMap(([what, parts], at) =>
        [fillerOf(list).common, fillerOf(list).rare, "no such thing"].flatMap((q) =>
          (at === 0 ? keysOf(list) : [list.spec.order]).map((sort): [string, ListRequest] => [
            `'${q}' by ${sort}, ${what}`,
            wantedOf(list, { ...parts, q, sort, count: sort === list.spec.order }),
          ]),
        ),
      );
    expect(await large.unmeasured(() => faultsOver(ways, searchable()))).to.deep.equal({});
  });

  it("find a rare term through the trigram index, which row-level security keeps from any plain statement", async () => {
    for (const list of searchable()) {
      const byTerm = (plans: Plan[]) => plans.flatMap(nodesOf).some((node) => / ~~ /.test(String(node["Index Cond"] ?? "")));
      const { rare } = fillerOf(list);
      expect(byTerm(await large.plansOf(list, wantedOf(list, { q: rare, count: false }))), list.spec.table).to.equal(true);
      const plain = `select count(*) from ${list.spec.table} where organisation_id = $1 and search_text like '%${rare}%'`;
      expect(byTerm(await large.plansOfText(plain, ["$organisation"])), "a plain statement").to.equal(false);
    }
  });

  it("take the page of a sort by an own column from an index in that order, without sorting", async () => {
    const sorted: string[] = [];
    for (const list of lists)
      for (const sort of keysOf(list)) {
        if (isExcepted(list, sort)) continue;
        const plans = await large.plansOf(list, wantedOf(list, { sort, count: false }));
        // Instants hardly repeat, so breaking their ties costs nothing; texts such as a status repeat by the thousand.
        const repeats = list.spec.sorts[sort.replace(/^-/, "")]?.text === true;
        if (sorts(plans, list.spec.table, "Sort", ...(repeats ? ["Incremental Sort"] : [])))
          sorted.push(`${list.spec.table} by ${sort}`);
      }
    expect(sorted).to.deep.equal([]);
  });

  it("join the rows of a page one by one, where the page needs its order and no row names its place", async () => {
    const KEEP = new Set(["Nested Loop", "Subquery Scan", "Result", "Limit"]);
    /** The nodes from the top of a plan to the page, which is the first limit above a node of the table. */
    const above = (node: Plan, table: string): Plan[] | undefined => {
      if (node["Node Type"] === "Limit" && nodesOf(node).some((inner) => inner["Relation Name"] === table)) return [node];
      for (const inner of node.Plans ?? []) {
        const found = inner["Parent Relationship"] === "InitPlan" ? undefined : above(inner, table);
        if (found) return [node, ...found];
      }
      return undefined;
    };
    const turned: string[] = [];
    let looked = 0;
    for (const list of lists.filter(({ keepsOrder }) => keepsOrder))
      for (const parts of [{ count: false }, { count: true }, { count: false, selection: large.groups.small }]) {
        if (parts.selection && !list.spec.visible) continue;
        const way = (await large.plansOf(list, wantedOf(list, parts)))
          .map((plan) => above(plan, list.spec.table))
          .find((found) => found !== undefined);
        looked += way ? 1 : 0;
        const others = way?.map((node) => node["Node Type"]).filter((type) => !KEEP.has(type)) ?? ["no page was seen"];
        if (others.length > 0) turned.push(`${list.spec.table} ${JSON.stringify(parts)}: ${others.join()}`);
      }
    expect(turned).to.deep.equal([]);
    expect(looked).to.be.greaterThan(10);
  });

  it("read little more than a page behind a position, however far it is, and of changed rows", async () => {
    const dear: string[] = [];
    let looked = 0;
    const EARLY = "1970-01-01T00:00:00Z";
    /**
     * Numbers with decimals, and products: PostgreSQL's functions that compare or make them are not leakproof, so that under row-level
     * security no index begins at a value of theirs. Pages in these orders pass over the rows before the position.
     */
    const PASSED_OVER = new Set(["budget_hours", "hours", "interval", "outstanding", "total"]);
    for (const list of lists)
      for (const [what, parts] of [
        ...keysOf(list).map((sort) => [sort, { sort }] as const),
        ["change", { updated_since: EARLY }] as const,
      ]) {
        const sort = what.replace(/^-/, "");
        if (what !== "change" && (isExcepted(list, what) || list.spec.sorts[sort]?.join || PASSED_OVER.has(sort))) continue;
        for (const offset of [0, 0.6 * LARGE]) {
          const wanted = wantedOf(list, { ...parts, count: false });
          const { last } = offset === 0 ? { last: undefined } : await large.run(list, { ...wanted, offset });
          if (last === null) continue;
          looked += 1;
          const price = priceOf(await large.plansOf(list, { ...wanted, after: last }), list.spec.table);
          // Each part of the order is a search of its own, and the rows of the page may be fetched once more.
          if (price > 10 * 51) dear.push(`${list.spec.table} by ${what} behind ${offset}: ${Math.round(price)} rows`);
        }
      }
    expect(dear).to.deep.equal([]);
    expect(looked).to.be.greaterThan(lists.length * 3);
  });

  it("read only a small organisation's own rows, next to a large one", async () => {
    const dear: string[] = [];
    let looked = 0;
    /** Rows that plans fetched of one table, including those that a filter discarded. */
    const fetched = (plans: Plan[]) =>
      [...Map.groupBy(plans.flatMap(nodesOf), (node) => node["Relation Name"] ?? "").keys()]
        .filter((table) => table === "accounts" || large.tenantTables.has(table))
        .map((table) => [table, PRICE * priceOf(plans, table)] as const);
    const look = (what: string, plans: Plan[]) => {
      looked += 1;
      for (const [table, rows] of fetched(plans))
        if (rows > AGAIN * PRICE * OTHER) dear.push(`${what}: ${rows} rows of ${table}`);
    };
    for (const list of lists)
      for (const sort of keysOf(list).filter((key) => isExcepted(list, key)))
        for (const count of [false, true])
          look(
            `${list.spec.table} by ${sort}${count ? ", counted" : ""}`,
            await large.plansOf(list, wantedOf(list, { sort, count }), "other"),
          );
    for (const [what, statement, values] of momentPages())
      look(`moments ${what}`, await large.plansOfText(statement, values, "other"));
    expect(dear).to.deep.equal([]);
    expect(looked).to.be.greaterThan(40);
  });

  it("show the first conversations in each order, and count them, without reading them all", async () => {
    const dear: string[] = [];
    for (const [what, statement, values] of momentPages()) {
      const plans = await large.plansOfText(statement, values);
      const price = priceOf(plans, "interactions");
      if (price > (what.endsWith("counted") ? LARGE / PRICE + 1_000 : LARGE / 10))
        dear.push(`${what}: ${Math.round(price)} rows`);
      dear.push(...faultsOf(plans).map((fault) => `${what}: ${fault}`));
    }
    expect(dear).to.deep.equal([]);
  });

  /** Pages that a statement touches, those of the statements inside it included. */
  const touchedBy = (plans: Plan[]): number =>
    Math.max(...plans.map((plan) => Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"])));
  /** The lists of a roster, by the filter that limits them to one person's rows. */
  const byRoster = (): [Listing, string][] =>
    lists.flatMap((list) =>
      ["assignee_user_id", "mine"].flatMap((name) => (list.spec.filters?.[name]?.ids ? [[list, name] as [Listing, string]] : [])),
    );

  it("read what one person has and little more: nothing, one row in 10,000, and one in ten", async () => {
    const dear: string[] = [];
    const tables = new Set<string>();
    const look = (what: string, who: Caller, plans: Plan[], each = PAGES_BY_ID) => {
      const rows = CALLERS[who] === 0 ? 0 : LARGE / CALLERS[who];
      const bar = 50 + PAGES_A_ROW * Math.min(rows, 51) + each * rows + (rows > 5000 ? PAGES_NEAR : 0);
      const touched = touchedBy(plans);
      if (touched > bar) dear.push(`${what} of ${who}: ${touched} pages, more than ${bar}`);
    };
    for (const who of ["none", "few", "many"] as const) {
      for (const [list, name] of byRoster()) {
        tables.add(list.spec.table);
        for (const sort of keysOf(list)) {
          const each = list.spec.sorts[sort.replace(/^-/, "")]?.join ? PAGES_BY_NAME : PAGES_BY_ID;
          for (const count of [false, true]) {
            const wanted = wantedOf(list, { filters: { [name]: callers[who] }, sort, count });
            look(`${list.spec.table} by ${sort}${count ? ", counted," : ""}`, who, await large.plansOf(list, wanted), each);
          }
        }
      }
      for (const [what, { text }] of Object.entries({
        "own tasks": mine(NOBODY_RESTRICTED, false),
        "own tasks on the dashboard": mineOnDashboard(NOBODY_RESTRICTED, false),
      }))
        look(what, who, await large.plansOfText(text, ["$organisation", callers[who], 20, null]));
    }
    expect(dear).to.deep.equal([]);
    expect([...tables].sort()).to.deep.equal(["companies", "projects", "tasks"]);
  });

  it("show one person's many rows in the list's order, at its beginning, far from it, and behind a position", async () => {
    const { many } = callers;
    const differing: string[] = [];
    for (const [list, name] of byRoster())
      for (const sort of keysOf(list)) {
        const { clause, join } = ordersOf(list.spec, NOBODY_RESTRICTED).get(sort) as Order;
        const when = list.spec.filters?.[name]?.when(`'${many}'::uuid`, NOBODY_RESTRICTED);
        for (const offset of [0, 120, LARGE / 10 - 20]) {
          const wanted = wantedOf(list, { filters: { [name]: many }, sort, count: false });
          const { items, last } = await large.run(list, { ...wanted, offset });
          const { items: next } = last ? await large.run(list, { ...wanted, after: last }) : { items: [] };
          // The owner of the tables is bound to no organisation.
          const inOrder = clause.replaceAll("current_organisation()", "$1");
          const right = await large.value(`select array(select t.id::text from ${list.spec.table} t ${join}
            where t.organisation_id = $1 and ${when} order by ${inOrder} limit 100 offset ${offset})`);
          const ids = [...items, ...next].map(({ id }) => id);
          if (JSON.stringify(ids) !== JSON.stringify(right)) differing.push(`${list.spec.table} by ${sort} from ${offset}`);
        }
      }
    expect(differing).to.deep.equal([]);
  });

  it("read next to nothing for a record without links, in every list with a filter by a link table, and of contact moments", async () => {
    const NOBODY = "00000000-0000-4000-8000-000000000000";
    const dear: string[] = [];
    const found = new Set<string>();
    const look = (what: string, plans: Plan[]) => {
      const touched = touchedBy(plans);
      if (touched > 50) dear.push(`${what}: ${touched} pages`);
    };
    for (const list of lists)
      for (const [name, { type, ids }] of Object.entries(list.spec.filters ?? {})) {
        if (!ids) continue;
        found.add(`${list.spec.table} ${name}`);
        const value = type.endsWith("[]") ? [NOBODY, NOBODY] : NOBODY;
        for (const [sort, count] of keysOf(list).flatMap((key) => [[key, false] as const, [key, true] as const]))
          look(
            `${list.spec.table} by ${sort}`,
            await large.plansOf(list, wantedOf(list, { filters: { [name]: value }, sort, count })),
          );
      }
    for (const name of ["contact_id", "project_tasks"] as const)
      for (const count of [false, true]) {
        const [{ text }, values] = interactionPage(
          "$organisation",
          large.accountId,
          null,
          false,
          { count },
          { [name]: NOBODY },
        ).bound;
        look(`moments by ${name}`, await large.plansOfText(text, values));
      }
    expect(dear).to.deep.equal([]);
    expect([...found].sort()).to.deep.equal([
      "companies mine",
      "contacts company_id",
      "contacts contact_type_id",
      "contacts link",
      "projects mine",
      "tasks assignee_user_id",
      "tasks label_id",
    ]);
  });

  it("count the open tasks by project or client from an index alone, and look up the names of all groups at once", async () => {
    const { text } = groups(NOBODY_RESTRICTED, false);
    const plans = await large.plansOfText(text, ["$organisation", "2026-01-01"]);
    const nodes = plans.flatMap(nodesOf);
    const named = nodes.filter((node) => node["Relation Name"] === "companies");
    const shown = named.reduce((sum, node) => sum + Number(node["Actual Rows"]) * Number(node["Actual Loops"]), 0);
    expect(shown).to.be.within(100, 200);
    // One of the table for each, and some of the index; a look per group reads the levels of the index each time.
    expect(touchedBy(named)).to.be.lessThan(2 * shown);
    const scans = nodes.filter((node) => node["Relation Name"] === "tasks");
    expect(scans.map((node) => [node["Node Type"], node["Heap Fetches"]])).to.deep.equal([["Index Only Scan", 0]]);
  });

  it("find the first rows in another table's order, or value by value, without reading the whole organisation", async () => {
    const dear: string[] = [];
    for (const list of lists)
      for (const sort of keysOf(list)) {
        const { first, by } = list.spec.sorts[sort.replace(/^-/, "")] ?? {};
        if (!first) continue;
        const isOwn = /^t\.\w+( \+ 0)?$/.test(String(by));
        const price = priceOf(await large.plansOf(list, wantedOf(list, { sort, count: false })), list.spec.table);
        if (price > (isOwn ? 10 * 51 : LARGE / 10)) dear.push(`${list.spec.table} by ${sort}: ${Math.round(price)} rows`);
      }
    expect(dear).to.deep.equal([]);
  });

  it("look at little more than the shorter way does, where a term is searched, however many rows hold it", async () => {
    const dear: string[] = [];
    const met: number[] = [];
    for (const list of searchable()) {
      const { table, order } = list.spec;
      const other = keysOf(list).filter((key) => !isExcepted(list, key) && key.replace(/^-/, "") !== order.replace(/^-/, ""));
      const { common, rare } = fillerOf(list);
      // The last ones are of several words, of which many rows hold each and few hold both.
      for (const q of [common, "a0", "b71", "c4d2", "e90f1", rare, "qz", `${common} b71`, "b71 c4d", `${common} ${rare}`])
        for (const sort of [order, ...other.slice(0, 1)]) {
          const words = q.split(" ").map((word) => `'%${word}%'`);
          const text = `select count(*)::int from ${table} where organisation_id = $1 and search_text like all (array[${words}])`;
          const held = (await large.value(text)) as number;
          met.push(held);
          const price = priceOf(await large.plansOf(list, wantedOf(list, { q, sort, count: false })), table);
          const walk = (50 * LARGE) / held / (sort === order ? PRICE : 1);
          const collect = q.length < 3 ? LARGE / PRICE : held + LARGE / 400;
          const bar = 3 * Math.min(walk, collect) + 3 * 50 + 100;
          if (price > bar)
            dear.push(`${table} '${q}' by ${sort}, held by ${held}: ${Math.round(price)} rows, more than ${Math.round(bar)}`);
        }
    }
    expect(dear).to.deep.equal([]);
    for (const [least, most] of [
      [0, 0],
      [1, 10],
      [10, 100],
      [300, 1500],
      [5000, 20_000],
      [LARGE, LARGE],
    ] as const)
      expect(
        met.some((held) => held >= least && held <= most),
        `a term that ${least} to ${most} rows hold`,
      ).to.equal(true);
  });

  it("would be found out: without indexes the list scans, asks row-level security row by row, and sorts", async () => {
    const [list] = lists as [Listing];
    await large.without(["enable_indexscan", "enable_bitmapscan", "enable_indexonlyscan"], async () => {
      const plans = await large.plansOf(list, wantedOf(list, {}));
      const careless = await large.plansOfText(`select count(*) from ${list.spec.table} where $1 <> ''`, ["$organisation"]);
      expect(faultsOf(plans).join()).to.include(`sequential scan on ${list.spec.table}`);
      expect(faultsOf(careless).join()).to.include(`row by row on ${list.spec.table}`);
      expect(sorts(plans, list.spec.table, "Sort")).to.equal(true);
    });
  });

  it("give a search that no ILIKE could: right answers, and about as many pages as the plain list", async () => {
    for (const list of searchable()) {
      const { common, rare } = fillerOf(list);
      /** Pages that one statement touches, those of the statements inside it included; the second time, when its plan is known. */
      const pages = async (parts: Partial<ListRequest>) => {
        const wanted = wantedOf(list, { count: false, ...parts });
        await large.run(list, wanted);
        const touched = (await large.plansOf(list, wanted)).map(
          (plan) => Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"]),
        );
        return Math.max(...touched);
      };
      const counted = await large.run(list, wantedOf(list, { q: common }));
      expect([counted.items.length, counted.total]).to.deep.equal([50, LARGE]);
      expect((await large.run(list, wantedOf(list, { q: rare.toUpperCase() }))).total).to.equal(1);
      const figures = { plain: await pages({}), common: await pages({ q: common }), rare: await pages({ q: rare }) };
      const shown = Object.entries(figures).map(([what, count]) => `${what} ${count}`);
      process.stdout.write(`\n  ${list.spec.table}, pages touched for 50 of ${LARGE}: ${shown.join(", ")}\n`);
      expect(figures.common / figures.plain).to.be.lessThan(LOOSE);
      expect(figures.rare / figures.plain).to.be.lessThan(LOOSE);
    }
  });
});
