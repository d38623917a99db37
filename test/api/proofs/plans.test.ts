import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import pg from "pg";
import { closeDatabase, connect, enter, openDatabase } from "../../../core/database/database.ts";
import type { Listing, ListRequest } from "../../../core/database/list.ts";
import { sortKeys } from "../../../core/database/listing-spec.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { createMember, createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { filledAtOnce } from "../../support/fixture/fixture-filled.ts";
import { saidOf } from "../../support/fixture/fixture-makers.ts";
import type { Filler } from "../../support/fixture/proofs.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const LARGE = 100_000;
const OTHER = 1_000;
/** How many times the pages of the plain list a search may touch; its time is the bench's. */
const LOOSE = 5;

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  Filter?: string;
  Plans?: Plan[];
  [detail: string]: unknown;
}

const walk = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(walk)];

describe("plans of every list, as the application role, on 100,000 rows of one organisation", function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let client: pg.PoolClient;
  let tenantTables: Set<string>;
  let organisation: Parameters<typeof systemRequest>[1];
  let accountId: string;
  let groups: { small: string[]; large: string[] };
  let lists: Listing[];
  let notices: string[] = [];

  before(async () => {
    lists = await everyListing();
    database = await cloneDatabase();
    const filling: (() => Promise<void>)[] = [];
    const owner = new pg.Client({ connectionString: database.superuser });
    await owner.connect();
    for (const [slug, rows] of [
      ["large", LARGE],
      ["other", OTHER],
    ] as const) {
      const made = await createOrganisation(owner, { slug, name: slug });
      const { accountId: person } = await createMember(owner, made.id, {
        email: `${slug}@plans.test`,
        fullName: slug,
        role: "owner",
      });
      await createMember(owner, made.id, { email: `colleague@${slug}.test`, fullName: "Colleague", role: "member" });
      filling.push(async () => {
        for (const { statements } of Object.values(saidOf("lists")))
          for (const text of statements) await owner.query(text, [made.id, rows, person]);
      });
      if (slug === "large") [organisation, accountId] = [made, person];
    }
    await filledAtOnce(owner, async () => {
      for (const fill of filling) await fill();
    });
    const { rows: found } = await owner.query("select id from company_groups where organisation_id = $1 order by position", [
      organisation.id,
    ]);
    groups = { small: [found[0].id], large: [found.at(-1).id] };
    // What autovacuum does on a live table; without it there is neither a statistic nor a visibility map.
    await owner.query("vacuum analyze");
    const { rows } = await owner.query(
      "select attrelid::regclass::text as name from pg_attribute where attname = 'organisation_id' and attrelid in (select oid from pg_class where relkind = 'r')",
    );
    tenantTables = new Set(rows.map(({ name }) => name));
    await owner.end();

    // The kernel's own connection, with all its settings; only a superuser may load what tells the plans, nested ones included.
    openDatabase({ databasePool: 1, databaseUrl: database.superuser }, () => {});
    client = await connect();
    client.on("notice", ({ message }) => notices.push(message ?? ""));
    for (const text of [
      "load 'auto_explain'",
      "set auto_explain.log_nested_statements = on",
      "set auto_explain.log_format = json",
      "set auto_explain.log_min_duration = 0",
      "set session authorization kantoor_app",
      "set client_min_messages = log",
    ])
      await client.query(text);
  });
  after(async () => {
    client?.release(true);
    await closeDatabase();
    await database.drop();
  });

  async function everyListing(): Promise<Listing[]> {
    const files = globSync("{services,integrations}/**/*.list.ts", { cwd: ROOT }).sort();
    const modules = await Promise.all(files.map((file) => import(pathToFileURL(path.join(ROOT, file)).href)));
    return modules.flatMap((module: Record<string, unknown>) =>
      Object.values(module).filter((value): value is Listing => !!(value as Listing)?.functions),
    );
  }

  /** Runs a statement of a list as the kernel does, bound to the large organisation. */
  const run = async (list: Listing, wanted: ListRequest) => {
    const [{ text, name }, values] = list.page(organisation.id, wanted);
    const [binding, bound] = enter(systemRequest("plans", organisation, "read"), true);
    await client.query("begin");
    await client.query({ ...binding, values: bound as unknown[] });
    const { rows } = await client.query({ text, name, values });
    await client.query("commit");
    return { items: JSON.parse(rows[0].items) as { name: string }[], total: rows[0].total as number | null };
  };

  const heard = async (work: () => Promise<unknown>): Promise<Plan[]> => {
    notices = [];
    await work();
    return notices.flatMap((notice) =>
      notice.includes("plan:") ? [JSON.parse(notice.slice(notice.indexOf("{"))).Plan as Plan] : [],
    );
  };
  /** The plans of everything a statement ran, inside of functions too. */
  const plansOf = (list: Listing, wanted: ListRequest): Promise<Plan[]> => heard(() => run(list, wanted));
  const plansOfText = (text: string, values: unknown[]): Promise<Plan[]> =>
    heard(async () => {
      await client.query("begin");
      await client.query("select set_config('app.organisation_id', $1, true)", [organisation.id]);
      await client.query(text, values);
      await client.query("commit");
    });

  const faultsOf = (plans: Plan[]): string[] =>
    plans.flatMap(walk).flatMap((node) => {
      const relation = node["Relation Name"];
      const faults: string[] = [];
      if (node["Node Type"] === "Seq Scan" && tenantTables.has(relation ?? "")) faults.push(`sequential scan on ${relation}`);
      if (/current_setting|current_organisation/.test(node.Filter ?? ""))
        faults.push(`row by row on ${relation}: ${node.Filter}`);
      return faults;
    });
  /** Nodes of these types that order rows of the table. */
  const sorts = (plans: Plan[], table: string, ...types: string[]): boolean =>
    plans
      .flatMap(walk)
      .some((node) => types.includes(node["Node Type"]) && walk(node).some((inner) => inner["Relation Name"] === table));

  const wantedOf = (parts: Partial<ListRequest>): ListRequest => ({
    limit: 50,
    offset: 0,
    count: true,
    selection: null,
    ...parts,
  });
  const keysOf = ({ spec }: Listing) => [...new Set([spec.order, ...sortKeys(spec.sorts)])];
  const fillerOf = ({ spec }: Listing): Filler => {
    const filler = saidOf("lists")[spec.table];
    if (!filler) throw new Error(`nothing fills '${spec.table}': add it to the lists in the proofs.ts of its module`);
    return filler;
  };
  /** Each narrowing a list has, alone. */
  const narrowingsOf = (list: Listing): [string, Partial<ListRequest>][] => {
    const { filters } = fillerOf(list);
    const declared = Object.keys(list.spec.filters ?? {});
    const missing = declared.filter((name) => !(name in filters));
    if (missing.length > 0)
      throw new Error(`the lists of proofs.ts have no value for the filters ${missing.join()} of '${list.spec.table}'`);
    const recent = new Date(Date.UTC(2022, 3, 1)).toISOString();
    return [
      ["everything", {}],
      ...declared.map((name): [string, Partial<ListRequest>] => [
        name,
        { filters: { [name]: filters[name] === "$account" ? accountId : filters[name] } },
      ]),
      ["updated_since", { updated_since: recent }],
      ...(list.spec.visible
        ? ([
            ["a small selection", { selection: groups.small }],
            ["a large selection", { selection: groups.large }],
          ] as [string, Partial<ListRequest>][])
        : []),
    ];
  };

  const searchable = () => lists.filter(({ spec }) => spec.searchable);
  const faultsOver = async (ways: (list: Listing) => [string, ListRequest][], over = lists) => {
    const found: Record<string, string[]> = {};
    let looked = 0;
    for (const list of over)
      for (const [what, wanted] of ways(list)) {
        const plans = await plansOf(list, wanted);
        if (!plans.flatMap(walk).some((node) => node["Relation Name"] === list.spec.table))
          throw new Error(`no plan of ${what} was seen`);
        looked += 1;
        const excepted = (wanted.sort ?? list.spec.order).replace(/^-/, "") in fillerOf(list).excepted;
        // Ordered by what another table holds, the whole organisation has to be read; row by row it may not be asked either.
        const faults = [...new Set(faultsOf(plans))].filter((fault) => !excepted || !fault.startsWith("sequential"));
        if (faults.length > 0) found[`${list.spec.table} ${what}`] = faults;
      }
    expect(looked).to.be.greaterThan(0);
    return found;
  };

  it("have no sequential scan on a tenant table and no per-row filter by row-level security, for each sort and filter", async () => {
    const ways = (list: Listing) =>
      narrowingsOf(list).flatMap(([what, parts]) =>
        keysOf(list).flatMap((sort) =>
          // The count is a statement part of its own that knows no order: once per narrowing is enough.
          [sort === list.spec.order, false]
            .slice(sort === list.spec.order ? 0 : 1)
            .map((count): [string, ListRequest] => [
              `by ${sort}, ${what}${count ? ", counted" : ""}`,
              wantedOf({ ...parts, sort, count }),
            ]),
        ),
      );
    expect(await faultsOver(ways)).to.deep.equal({});
  });

  it("nor for each search, common, rare and without a hit", async () => {
    const ways = (list: Listing) =>
      narrowingsOf(list).flatMap(([what, parts], at) =>
        [fillerOf(list).common, fillerOf(list).rare, "no such thing"].flatMap((q) =>
          (at === 0 ? keysOf(list) : [list.spec.order]).map((sort): [string, ListRequest] => [
            `'${q}' by ${sort}, ${what}`,
            wantedOf({ ...parts, q, sort, count: sort === list.spec.order }),
          ]),
        ),
      );
    expect(await faultsOver(ways, searchable())).to.deep.equal({});
  });

  it("find a rare term through the trigram index, which row-level security keeps from any plain statement", async () => {
    for (const list of searchable()) {
      const byTerm = (plans: Plan[]) => plans.flatMap(walk).some((node) => / ~~ /.test(String(node["Index Cond"] ?? "")));
      const { rare } = fillerOf(list);
      expect(byTerm(await plansOf(list, wantedOf({ q: rare, count: false }))), list.spec.table).to.equal(true);
      const plain = `select count(*) from ${list.spec.table} where organisation_id = $1 and search_text like '%${rare}%'`;
      expect(byTerm(await plansOfText(plain, [organisation.id])), "a plain statement").to.equal(false);
    }
  });

  it("take the page of a sort by an own column from an index in that order, without sorting", async () => {
    const sorted: string[] = [];
    for (const list of lists)
      for (const sort of keysOf(list)) {
        if (sort.replace(/^-/, "") in fillerOf(list).excepted) continue;
        const plans = await plansOf(list, wantedOf({ sort, count: false }));
        // Instants hardly repeat, so breaking their ties costs nothing; texts such as a status repeat by the thousand.
        const repeats = list.spec.sorts[sort.replace(/^-/, "")]?.text === true;
        if (sorts(plans, list.spec.table, "Sort", ...(repeats ? ["Incremental Sort"] : [])))
          sorted.push(`${list.spec.table} by ${sort}`);
      }
    expect(sorted).to.deep.equal([]);
  });

  it("would be found out: without indexes the list scans, asks row-level security row by row, and sorts", async () => {
    const [list] = lists as [Listing];
    const switches = ["indexscan", "bitmapscan", "indexonlyscan"].map((name) => `enable_${name}`);
    for (const name of switches) await client.query(`set ${name} = off`);
    await client.query("discard plans");
    const plans = await plansOf(list, wantedOf({}));
    const careless = await plansOfText(`select count(*) from ${list.spec.table} where $1 <> ''`, [organisation.id]);
    for (const name of switches) await client.query(`reset ${name}`);
    await client.query("discard plans");
    expect(faultsOf(plans).join()).to.include(`sequential scan on ${list.spec.table}`);
    expect(faultsOf(careless).join()).to.include(`row by row on ${list.spec.table}`);
    expect(sorts(plans, list.spec.table, "Sort")).to.equal(true);
  });

  it("give a search that no ILIKE could: right answers, and about as many pages as the plain list", async () => {
    // Set by the superuser that the session began as; the application role may not.
    await client.query("reset session authorization");
    for (const name of ["log_analyze", "log_buffers"]) await client.query(`set auto_explain.${name} = on`);
    await client.query("set session authorization kantoor_app");
    for (const list of searchable()) {
      const { common, rare } = fillerOf(list);
      /** Pages that one statement touches, those of the statements inside it included; the second time, when its plan is known. */
      const pages = async (parts: Partial<ListRequest>) => {
        const wanted = wantedOf({ count: false, ...parts });
        await run(list, wanted);
        const touched = (await plansOf(list, wanted)).map(
          (plan) => Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"]),
        );
        return Math.max(...touched);
      };
      const counted = await run(list, wantedOf({ q: common }));
      expect([counted.items.length, counted.total]).to.deep.equal([50, LARGE]);
      expect((await run(list, wantedOf({ q: rare.toUpperCase() }))).total).to.equal(1);
      const figures = { plain: await pages({}), common: await pages({ q: common }), rare: await pages({ q: rare }) };
      const shown = Object.entries(figures).map(([what, count]) => `${what} ${count}`);
      process.stdout.write(`\n  ${list.spec.table}, pages touched for 50 of ${LARGE}: ${shown.join(", ")}\n`);
      expect(figures.common / figures.plain).to.be.lessThan(LOOSE);
      expect(figures.rare / figures.plain).to.be.lessThan(LOOSE);
    }
  });
});
