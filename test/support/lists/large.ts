import pg from "pg";
import { closeDatabase, connect, enter, openDatabase } from "../../../core/database/connection/database.ts";
import { sendAll } from "../../../core/database/connection/flush.ts";
import type { Listing, ListRequest } from "../../../core/database/lists/list.ts";
import type { Position } from "../../../core/database/lists/position.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { createMember, createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase } from "../database.ts";
import { filledAtOnce } from "../fixture/fixture-filled.ts";
import { saidOf } from "../fixture/fixture-makers.ts";

/** A node of a plan, as PostgreSQL describes it. */
export interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  Filter?: string;
  Plans?: Plan[];
  [detail: string]: unknown;
}

/** A plan and all its descendants. */
export const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** The organisation that sends the query. */
export type Asking = "large" | "other";

/** A large and a small organisation with rows of every list, and the query plans of the large one. */
export interface LargeOrganisation {
  accountId: string;
  /** Tables with rows of organisations. */
  tenantTables: Set<string>;
  /** Ids of a group with 50 companies and of one with 5,000. */
  groups: { small: string[]; large: string[] };
  /** A statement's single value, as the owner of the tables. */
  value(text: string): Promise<unknown>;
  /** Adds rows of one table with a statement of the owner of the tables, whose `$1` is the organisation. */
  add(table: string, text: string): Promise<void>;
  /** Runs a list's statement like the service does. */
  run(
    list: Listing,
    wanted: ListRequest,
  ): Promise<{ items: { id: string; name: string }[]; total: number; last: Position | null }>;
  /** The plans of all statements a list runs, including those inside functions, for either organisation. */
  plansOf(list: Listing, wanted: ListRequest, by?: Asking): Promise<Plan[]>;
  /** The plans of any statement of the application role; the value `$organisation` stands for the organisation's id. */
  plansOfText(text: string, values: readonly unknown[], by?: Asking): Promise<Plan[]>;
  /**
   * Runs work without executing most statements: their plans are only estimated. Statements that call functions not seen before still run.
   */
  unmeasured<T>(work: () => Promise<T>): Promise<T>;
  /** Runs work with some PostgreSQL settings off. */
  without(settings: readonly string[], work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Removes the values a statement does not name: PostgreSQL rejects parameters whose type it cannot infer. */
function withThoseNamed(text: string, values: readonly unknown[]): [text: string, values: unknown[]] {
  const named = [...values.keys()].filter((index) => text.includes(`$${index + 1}`));
  const renumbered = text.replaceAll(/\$(\d)/g, (_, number) => `$${named.indexOf(Number(number) - 1) + 1}`);
  return [renumbered, named.map((index) => values[index])];
}

/** Creates the organisations. @param sizes rows of each list, of the large and the small organisation */
export async function largeOrganisation(sizes: { large: number; other: number }): Promise<LargeOrganisation> {
  const database = await cloneDatabase();
  const owner = new pg.Client({ connectionString: database.superuser });
  await owner.connect();
  const made: [rows: number, organisation: Parameters<typeof systemRequest>[1], accountId: string][] = [];
  for (const slug of ["large", "other"] as const) {
    const organisation = await createOrganisation(owner, { slug, name: slug });
    const { accountId } = await createMember(owner, organisation.id, {
      email: `${slug}@plans.test`,
      fullName: slug,
      role: "owner",
    });
    await createMember(owner, organisation.id, { email: `colleague@${slug}.test`, fullName: "Colleague", role: "member" });
    made.push([sizes[slug], organisation, accountId]);
  }
  await filledAtOnce(owner, async () => {
    for (const [rows, { id }, accountId] of made)
      for (const { statements } of Object.values(saidOf("lists")))
        for (const text of statements) await owner.query(...withThoseNamed(text, [id, rows, accountId]));
  });
  const [, large, accountId] = made[0] as (typeof made)[0];
  const [, other] = made[1] as (typeof made)[0];
  const organisations = { large, other };
  const { rows: groups } = await owner.query("select id from company_groups where organisation_id = $1 order by position", [
    large.id,
  ]);
  // Autovacuum does this on a live table; without it there are no statistics and no visibility map.
  await owner.query("vacuum analyze");
  const { rows: tables } = await owner.query(
    "select attrelid::regclass::text as name from pg_attribute where attname = 'organisation_id' and attrelid in (select oid from pg_class where relkind = 'r')",
  );

  // The service's own connection with all its settings; only a superuser can load `auto_explain`, which also logs nested plans.
  openDatabase({ databasePool: 1, databaseUrl: database.superuser }, () => {});
  const client = await connect();
  let notices: string[] = [];
  client.on("notice", ({ message }) => notices.push(message ?? ""));
  const tell = async (...statements: string[]) => {
    for (const text of statements) await client.query(text);
  };
  await tell(
    "load 'auto_explain'",
    "set auto_explain.log_nested_statements = on",
    "set auto_explain.log_format = json",
    "set auto_explain.log_min_duration = 0",
    "set auto_explain.log_analyze = on",
    "set auto_explain.log_buffers = on",
    "set auto_explain.log_timing = off",
    "set session authorization kantoor_app",
    "set client_min_messages = log",
  );

  const entered = async <T>(work: () => Promise<T>, by: Asking = "large"): Promise<T> => {
    const [binding, bound] = enter(systemRequest("plans", organisations[by], "read"), true);
    await client.query("begin");
    await client.query({ ...binding, values: bound as unknown[] });
    const result = await work();
    await client.query("commit");
    return result;
  };
  const run = async (list: Listing, wanted: ListRequest, by: Asking = "large") => {
    const { bound, read } = list.page(organisations[by].id, wanted);
    const [{ rows }] = (await entered(() => sendAll(client, [bound]), by)) as [pg.QueryResult];
    const { items, total, last } = read(rows);
    return { items: JSON.parse(items), total, last };
  };
  const { rows: asking } = await owner.query<{ name: string }>(
    "select distinct proname as name from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~* '\\mfrom\\M'",
  );
  const asked = new Set<string>();
  /** Whether a list's statement calls functions with statements of their own that are new for this table; always true for a search. */
  const asksAnew = ({ spec }: Listing, { q }: ListRequest, text: string): boolean => {
    const within = asking.filter(({ name }) => text.includes(`${name}(`)).map(({ name }) => `${spec.table} ${name}`);
    const isNew = within.some((one) => !asked.has(one));
    for (const one of within) asked.add(one);
    return isNew || q !== undefined;
  };
  let isMeasured = true;
  const heard = async (work: () => Promise<unknown>): Promise<Plan[]> => {
    notices = [];
    await work();
    return notices.flatMap((notice) =>
      notice.includes("plan:") ? [JSON.parse(notice.slice(notice.indexOf("{"))).Plan as Plan] : [],
    );
  };
  return {
    accountId,
    tenantTables: new Set(tables.map(({ name }) => name)),
    groups: { small: [groups[0].id], large: [groups.at(-1).id] },
    value: async (text) => Object.values((await owner.query(text, [large.id])).rows[0])[0],
    async add(table, text) {
      await owner.query(text, [large.id]);
      await owner.query(`vacuum analyze ${table}`);
    },
    run: (list, wanted) => run(list, wanted),
    async plansOf(list, wanted, by) {
      const [{ text }] = list.page(large.id, wanted).bound;
      if (isMeasured || asksAnew(list, wanted, text)) return heard(() => run(list, wanted, by));
      const { rows } = await entered(() => client.query(`explain (generic_plan, format json) ${text}`));
      return [rows[0]["QUERY PLAN"][0].Plan as Plan];
    },
    plansOfText: (text, values, by = "large") =>
      heard(async () => {
        await client.query("begin");
        await client.query("select set_config('app.organisation_id', $1, true)", [organisations[by].id]);
        await client.query(
          text,
          values.map((value) => (value === "$organisation" ? organisations[by].id : value)),
        );
        await client.query("commit");
      }),
    async unmeasured(work) {
      const measure = (onOrOff: "on" | "off") =>
        tell("reset session authorization", `set auto_explain.log_analyze = ${onOrOff}`, "set session authorization kantoor_app");
      await measure("off");
      isMeasured = false;
      const result = await work();
      isMeasured = true;
      await measure("on");
      return result;
    },
    async without(settings, work) {
      // The service's connections disable sequential scans; here they are the only way left.
      await client.query("set enable_seqscan = on");
      for (const name of settings) await client.query(`set ${name} = off`);
      await client.query("discard plans");
      await work();
      for (const name of ["enable_seqscan", ...settings]) await client.query(`reset ${name}`);
      await client.query("discard plans");
    },
    async close() {
      client.release(true);
      await closeDatabase();
      await owner.end();
      await database.drop();
    },
  };
}
