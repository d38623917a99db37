import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { readsIn, type Tables, writesIn } from "../../support/table-use.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const folderOf = (file: string) => file.split("/").slice(0, 2).join("/");

/** Writes to a table of another module, each with the reason; `?` is a table whose name is put in. */
const EXCEPTED: Record<string, string> = {
  "services/api/use-stamps.ts api_keys":
    "the gateway notes the use of the credentials it has checked, of many requests in one statement",
  "services/api/use-stamps.ts sessions":
    "the gateway notes the use of the credentials it has checked, of many requests in one statement",
  "services/platform/meta/meta.service.ts ?":
    "what an organisation and a person say about themselves, by columns (conventions §22)",
  "services/platform/system/system.service.ts installation": "what the daily look for a newer version has found",
  "services/assets/demo/demo-assets.ts registrar_accounts": "the demo organisation is filled where no actor can be called",
  "services/assets/demo/demo-assets.ts registrar_domains": "the demo organisation is filled where no actor can be called",
  "services/clients/demo/demo-clients.ts custom_field_definitions":
    "the demo organisation is filled where no actor can be called",
  "services/work/rosters/roster-rows.ts ?": "the rosters of projects and of tasks, both tables of this folder",
  "services/people/demo/demo-people.ts accounts": "the demo organisation is filled where no actor can be called",
  "services/people/demo/demo-people.ts memberships": "the demo organisation is filled where no actor can be called",
  "services/people/demo/demo-people.ts membership_roles": "the demo organisation is filled where no actor can be called",
};

describe("the tables of modules", () => {
  let database: TestDatabase;
  /** Columns of every table and view there is. */
  const tables: Tables = new Map();
  /** By table the folder of the module that owns it, and its readers. */
  const owners = new Map<string, { folder: string; shown: readonly string[] }>();
  let files: { file: string; source: string }[];

  before(async () => {
    database = await cloneDatabase();
    const client = new pg.Client({ connectionString: database.superuser });
    await client.connect();
    const { rows } = await client.query<{ name: string; columns: string[] }>(
      `select case n.nspname when 'public' then c.relname else n.nspname || '.' || c.relname end as name,
              array_agg(a.attname::text) as columns
         from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
        where c.relkind in ('r', 'p', 'v') and n.nspname in ('public', 'jobs') and not a.attisdropped group by 1`,
    );
    await client.end();
    for (const { name, columns } of rows) tables.set(name, new Set(columns));
    for (const { manifest, source } of catalogue().built)
      for (const table of manifest.tables ?? [])
        owners.set(table, { folder: folderOf(source), shown: manifest.shows?.[table] ?? [] });
    files = globSync("{services,integrations}/*/**/*.ts", { cwd: ROOT })
      .filter((file) => !/(proofs[^/]*|lists-[a-z]+\.ts)$/.test(file))
      .map((file) => ({ file, source: readFileSync(path.join(ROOT, file), "utf8") }));
  });
  after(() => database.drop());

  it("are each owned by one module, and are all there", () => {
    expect([...owners.keys()].toSorted()).to.deep.equal([...tables.keys()].toSorted());
  });

  it("are owned by the module that has their model", () => {
    let looked = 0;
    for (const { file, source } of files)
      for (const [, table = ""] of source.matchAll(/\btenantModel\("([a-z_]+)"/g)) {
        looked += 1;
        expect(owners.get(table)?.folder, `${table} in ${file}`).to.equal(folderOf(file));
      }
    expect(looked).to.be.greaterThan(15);
  });

  it("show columns that are there", () => {
    for (const { manifest } of catalogue().built)
      for (const [table, columns] of Object.entries(manifest.shows ?? {}))
        expect([...(tables.get(table) ?? [])], table).to.include.members([...columns]);
  });

  it("are written by their own module alone", () => {
    const found = files.flatMap(({ file, source }) =>
      writesIn(source, tables)
        .filter((table) => owners.get(table)?.folder !== folderOf(file))
        .map((table) => `${file} ${table}`),
    );
    expect([...new Set(found)].toSorted()).to.deep.equal(Object.keys(EXCEPTED).toSorted());
  });

  it("are read by the SQL of other modules as far as they are shown", () => {
    const hidden: string[] = [];
    let looked = 0;
    for (const { file, source } of files)
      for (const [table, columns] of readsIn(source, tables)) {
        const owner = owners.get(table);
        if (!owner || owner.folder === folderOf(file) || EXCEPTED[`${file} ${table}`] !== undefined) continue;
        looked += 1;
        // Every statement names the organisation of every table.
        const allowed = new Set([...owner.shown, "organisation_id"]);
        hidden.push(...[...columns].filter((column) => !allowed.has(column)).map((column) => `${file} reads ${table}.${column}`));
      }
    expect(looked).to.be.greaterThan(20);
    expect(hidden).to.deep.equal([]);
  });
});

describe("a source file's use of tables", () => {
  const tables: Tables = new Map([
    ["boxes", new Set(["id", "name", "size"])],
    ["bins", new Set(["id", "box_id", "colour"])],
  ]);
  const read = (source: string) =>
    Object.fromEntries([...readsIn(source, tables)].map(([table, columns]) => [table, [...columns]]));

  for (const [what, source, wanted] of [
    ["behind an alias", "`select b.name from boxes b`", { boxes: ["name"] }],
    [
      "behind an alias of another text",
      'const JOIN = "join boxes b on true"; const shown = { name: "b.size" };',
      { boxes: ["size"] },
    ],
    ["behind the table's name", "'select boxes.id from boxes'", { boxes: ["id"] }],
    ["without either", '"select name from boxes where size > 3"', { boxes: ["name", "size"] }],
    [
      "of two tables",
      '"select b.id, n.colour from boxes b join bins n on n.box_id = b.id"',
      { boxes: ["id"], bins: ["colour", "box_id"] },
    ],
    ["in what is put into a template", "`select $" + "{`(select size from boxes)`} from bins`", { boxes: ["size"], bins: [] }],
    ["not in comments", "// select name from boxes\n/* from bins */", {}],
    ["not in code", "const boxes = from(name);", {}],
    [
      "not behind a regular expression with quotes",
      "const r = /[\"']/; const t = 'select name from boxes';",
      { boxes: ["name"] },
    ],
  ] as [string, string, Record<string, string[]>][])
    it(`reads columns ${what}`, () => {
      expect(read(source)).to.deep.equal(wanted);
    });

  for (const [source, wanted] of [
    ["`update boxes set name = $1`", ["boxes"]],
    ["'insert into bins (id) values ($1) on conflict (id) do update set colour = $2'", ["bins"]],
    ["'delete from boxes where id = $1'", ["boxes"]],
    ["'select id from boxes for update of b'", []],
    ["`update $" + "{table} set size = 3`", ["?"]],
  ] as [string, string[]][])
    it(`writes in ${source}: ${wanted.join() || "nothing"}`, () => {
      expect(writesIn(source, tables)).to.deep.equal(wanted);
    });
});
