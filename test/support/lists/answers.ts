import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type pg from "pg";
import type { Caller } from "../service.ts";
import { inFillingOrder } from "./filling-order.ts";
import type { Seeded } from "./seeded.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

/** The callers of a list: `few` sees a small group's companies, `many` those of a large one, the client login `client` nearly all. */
export interface Callers {
  owner: Caller;
  few: Caller;
  many: Caller;
  client: Caller;
}

/** The expected results of a list, in plain SQL over alias `t`, and rows to query. */
export interface Reference {
  path: string;
  /** Query string that selects the rows of all people. */
  everyone?: string;
  table: string;
  /** Fills an organisation with this many rows, including odd ones; triggers and foreign keys are off meanwhile. */
  fill(sql: pg.ClientBase, organisation: string, callers: Callers, rows: number, seeded: Seeded): Promise<void>;
  /** The expression `updated_since` compares; default `t.updated_at`. */
  changed?: string;
  /** The callers to test, the first of them for the plain queries; default the owner, and with `visible` `few` and `many`. */
  asking?: readonly (keyof Callers)[];
  /** The fields `q` searches. */
  fields: string[];
  terms: string[];
  /** The whole `order by` of each sort, for a restricted membership or null; the key "" is the default sort. */
  orders(membership: string | null): Record<string, string>;
  /** Query strings that filter, and their SQL condition for this caller. */
  filters(callers: Callers, asking: Caller): [query: string, condition: string][];
  /** The rows a restricted membership sees, as a condition. */
  visible?: (membership: string) => string;
}

/** Tools that the tests pass to a module's references. */
export interface AnswerTools {
  /** Texts that are difficult for searches. */
  odd: readonly string[];
  /** Words that occur in half of the rows, in a tenth, in one in 25, in 200, in 2,000 and in 1,000. */
  words(seeded: Seeded): string;
  /** Random text that does not compress; half of the time a known word is at its end. */
  long(seeded: Seeded, most: number): string;
  /** Name prefixes, some of them equal except for case; the last one hardly occurs elsewhere. */
  beginning(seeded: Seeded): string;
  /** Time of a row's last change, such that after the `MOMENTS` nearly all, many, a few and no rows have changed. */
  moment(seeded: Seeded): string;
  /** Time of a row's creation, from few values, so that the next sort key breaks ties. */
  creation(seeded: Seeded): string;
  /** Inserts rows in one statement. @param types the columns with their types, as a record definition has them */
  insert(sql: pg.ClientBase, table: string, types: string, rows: object[], organisation: string): Promise<unknown>;
  /** A text expression in the collation of lists. */
  text(by: string): string;
  /** Each sort in both directions, with its ties; columns in `nulls` may be null. */
  both(sorts: Record<string, string>, ties: string, nulls?: readonly string[]): Record<string, string>;
  /** The companies a restricted membership sees. */
  companiesOf(membership: string): string;
  /** Ids of an organisation's companies. */
  companyIds(sql: pg.ClientBase, organisation: string): Promise<string[]>;
}

/** The default export of `test/fixtures/<module>/lists.ts`: a reference for each `*.list.ts` of the module. */
export type DefineReferences = (tools: AnswerTools) => readonly Reference[];

/** Instants after which nearly all, many, a few and none of the rows have changed. */
export const MOMENTS = ["2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "2025-12-01T00:00:00Z", "2026-01-01T00:00:00Z"];

const ODD = ["100% puur", "a_b", "c\\d", "Ünïcödé", "Çelik & İnci", "STRASSE ß", "😀 lacht", "日本語", "O'Neil", "e\u0301cole"];
const words = ({ weighed }: Seeded) =>
  [
    weighed([
      ["Alfa ", 0.5],
      ["", 0.5],
    ]),
    weighed([
      ["bèta ", 0.1],
      ["", 0.9],
    ]),
    weighed([
      ["GAMMA ", 0.04],
      ["", 0.96],
    ]),
    weighed([
      ["delta ", 0.005],
      ["", 0.995],
    ]),
    weighed([
      ["epsilon", 0.0005],
      ["", 0.9995],
    ]),
    weighed([
      [" zeta", 0.001],
      ["", 0.999],
    ]),
  ].join("");

function long({ random }: Seeded, most: number): string {
  const length = Math.floor(random() * most);
  const text = Array.from({ length }, () => String.fromCodePoint(0x4e00 + Math.floor(random() * 20_000))).join("");
  return text + (random() < 0.5 ? " verweg" : "");
}
const beginning = ({ weighed }: Seeded) =>
  weighed([
    ["Aarde", 0.2],
    ["aarde", 0.2],
    ["Boom", 0.2],
    ["été", 0.1],
    ["ÉTÉ", 0.1],
    ["Vuur", 0.15],
    ["Zeta", 0.05],
  ]);
const moment = ({ random, weighed }: Seeded) =>
  new Date(
    weighed([
      [Date.UTC(2023, 6), 0.05],
      [Date.UTC(2024, 6), 0.8],
      [Date.UTC(2025, 6), 0.13],
      [Date.UTC(2025, 11, 3), 0.02],
    ]) +
      Math.floor(random() * 500) * 60_000,
  ).toISOString();
const creation = ({ random }: Seeded) => new Date(Date.UTC(2022, 0) + Math.floor(random() * 600) * 3_600_000).toISOString();

const tools: AnswerTools = {
  odd: ODD,
  words,
  long,
  beginning,
  moment,
  creation,
  async insert(sql, table, types, rows, organisation) {
    const columns = types.replaceAll(/(\w+) \w+(?:\[\])?/g, "$1");
    await sql.query(
      `insert into ${table} (id, organisation_id, ${columns})
       select gen_random_uuid(), $1, ${columns} from jsonb_to_recordset($2::jsonb) as r (${types})`,
      [organisation, JSON.stringify(rows)],
    );
  },
  text: (by) => `${by} collate kantoor_text`,
  both: (sorts, ties, nulls = []) =>
    Object.fromEntries(
      Object.entries(sorts).flatMap(([key, by]) => [
        [key, `${by}, ${ties}`],
        [`-${key}`, `${by} desc${nulls.includes(key) ? " nulls last" : ""}, ${ties}`],
      ]),
    ),
  companiesOf: (membership) => `select g.company_id from company_group_companies g join company_group_memberships m
    on m.organisation_id = g.organisation_id and m.group_id = g.group_id where m.membership_id = '${membership}'`,
  async companyIds(sql, organisation) {
    const { rows } = await sql.query<{ id: string }>("select id from companies where organisation_id = $1", [organisation]);
    return rows.map(({ id }) => id);
  },
};

/** The references of every module, in the order their lists are filled. */
export async function everyReference(): Promise<Reference[]> {
  const files = inFillingOrder(globSync("test/fixtures/*/lists.ts", { cwd: ROOT }));
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(path.join(ROOT, file)).href)));
  return modules.flatMap(({ default: define }: { default: DefineReferences }) => define(tools));
}
