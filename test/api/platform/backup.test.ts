import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import { seal } from "../../../core/database/sealed.ts";
import { migrate } from "../../../migrations/run.ts";
import { type Manifest, manifestText, partsOf } from "../../../operator/backup/manifest.ts";
import { createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { allMakers } from "../../support/fixture/fixture-makers.ts";
import { HOLD_TRIGGER } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

/** The database of a cluster without migrations. */
const EMPTY = "kantoor";

describe("backup and restore", function () {
  this.timeout(180_000);
  let service: TestService;
  let tenants: Tenant[];
  let root: string;
  let backup: string;
  let manifest: Manifest;
  let taken: [from: number, to: number];
  let counter = 0;
  const databases: TestDatabase[] = [];
  const connections: pg.Client[] = [];

  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    connections.push(client);
    return client;
  };
  const newDatabase = async (template = EMPTY): Promise<TestDatabase> => {
    const database = await cloneDatabase(template);
    databases.push(database);
    return database;
  };
  const settings = (database: TestDatabase, more: Record<string, string> = {}) =>
    environmentOf(database, { SERVICE_DATA_DIR: path.join(root, "data"), ...more });
  const newFolder = () => path.join(root, `backup-${++counter}`);
  const manifestOf = async (folder: string): Promise<Manifest> => {
    const { sha256: _, ...rest } = JSON.parse(await readFile(path.join(folder, "manifest.json"), "utf8"));
    return rest;
  };
  /** Restores into an empty database; returns that database and the command's output. */
  const restored = async (folder: string, more: Record<string, string> = {}, ...options: string[]) => {
    const database = await newDatabase();
    return { database, ran: await cli(settings(database, more), ["restore", folder, "--json", ...options]) };
  };
  const tablesIn = async (database: TestDatabase): Promise<number> => {
    const { rows } = await (await connect(database.owner)).query(
      "select count(*)::int as count from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    return rows[0].count;
  };
  /** Runs something on a changed copy of a file of the backup, and puts the file back. */
  const withFile = async (file: string, change: (bytes: Buffer) => Buffer | string | null, run: () => Promise<void>) => {
    const [place, aside] = [path.join(backup, file), path.join(root, "aside")];
    const bytes = await readFile(place);
    await rename(place, aside);
    try {
      const changed = change(bytes);
      if (changed !== null) await writeFile(place, changed);
      await run();
    } finally {
      await rm(place, { force: true });
      await rename(aside, place);
    }
  };
  const flipped = (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes);
    const at = Math.floor(changed.length / 2);
    changed[at] = (changed[at] as number) ^ 1;
    return changed;
  };
  const refusedUntouched = async (said: RegExp) => {
    const { database, ran } = await restored(backup);
    expect([ran.status, ran.out]).to.deep.equal([2, ""]);
    expect(ran.err).to.match(said);
    expect(ran.err.trim().split("\n")).to.have.length(1);
    expect(await tablesIn(database), "tables in the target").to.equal(0);
  };

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), "kantoor-backup-"));
    service = await startService({ SERVICE_DATA_DIR: path.join(root, "data") });
    tenants = [await service.tenant(), await service.tenant()];
    for (const tenant of tenants) {
      const place = { tenant, sql: service.sql, token: "kept", companyId: (await tenant.company()).id };
      for (const { product, maker } of allMakers()) if (product) await maker.make(place);
    }
    const [tenant] = tenants as [Tenant];
    const { accountId } = tenant.owner;
    const sealed = seal("the second factor", { table: "two_factors", column: "secret", organisation: null, row: accountId });
    await service.sql.query("insert into two_factors (account_id, secret) values ($1, $2)", [accountId, sealed]);
    backup = newFolder();

    // Writes go on from before the first table is read until after the last.
    let finished = false;
    let written = 0;
    const writer = async () => {
      while (!finished)
        written += Number((await tenant.owner.post("/companies", { name: `Meanwhile ${++counter}` })).status === 201);
    };
    const writers = [writer(), writer(), writer()];
    const began = Date.now();
    const ran = await cli(settings(service.database), ["backup", backup]);
    taken = [began, Date.now()];
    finished = true;
    await Promise.all(writers);
    expect([ran.status, ran.err]).to.deep.equal([0, ""]);
    expect(written, "companies written meanwhile").to.be.greaterThan(5);
    manifest = await manifestOf(backup);
  });
  after(async () => {
    for (const client of connections) await client.end();
    await service.stop();
    for (const database of databases) await database.drop();
    await rm(root, { recursive: true, force: true });
  });

  describe("backup", () => {
    it("holds every table of the database but those it names with a reason", async () => {
      const { rows } = await service.sql.query<{ name: string }>(
        `select schemaname || '.' || tablename as name from pg_tables where schemaname !~ '^pg_' and schemaname <> 'information_schema'`,
      );
      const named = [...manifest.tables.map(({ table }) => table), ...Object.keys(manifest.excluded)];
      expect(named.toSorted()).to.deep.equal(rows.map(({ name }) => name).toSorted());
      expect(Object.keys(manifest.excluded)).to.deep.equal([
        "public.provider_paces",
        "public.rate_windows",
        "jobs.leases",
        "jobs.workers",
      ]);
    });

    it("counts the rows of every organisation, although row-level security is forced", () => {
      const rows = new Map(manifest.tables.map((part) => [part.table, part.rows]));
      expect(rows.get("public.organisations")).to.equal(2);
      expect(rows.get("public.company_groups")).to.be.greaterThan(1);
    });

    it("reports version, steps, the server's version and its instant", () => {
      expect(manifest.postgresql).to.match(/^\d+\.\d+/);
      expect(manifest.migrations[0]).to.equal("0001-tenancy-and-access");
      expect(Date.parse(manifest.taken_at)).to.be.within(...taken);
    });

    it("can be read by its owner alone, and leaves no unfinished folder", async () => {
      const modes = new Map<string, number>();
      for (const entry of await readdir(backup, { recursive: true, withFileTypes: true }))
        modes.set(
          entry.name,
          (await stat(path.join(entry.parentPath, entry.name))).mode & (entry.isDirectory() ? 0o7077 : 0o7177),
        );
      modes.set("the folder", (await stat(backup)).mode & 0o7077);
      expect([...modes].filter(([, mode]) => mode !== 0)).to.deep.equal([]);
      expect((await readdir(root)).filter((name) => name.endsWith(".partial"))).to.deep.equal([]);
    });

    it("leaves a main secret that comes from the environment out, and knows it by its id", async () => {
      expect(manifest.keys.parts).to.deep.equal([]);
      expect(manifest.keys.main_secret).to.match(/^[0-9a-f]{8}$/);
      const { rows } = await service.sql.query<{
        text: string;
      }>(`select string_agg(format('select count(%I) as n from %I', column_name,
        table_name), ' union all ') as text from information_schema.columns where domain_name = 'sealed'`);
      const counts = await service.sql.query<{ sum: string }>(`select sum(n) from (${rows[0]?.text}) counted`);
      const sealed = Number(counts.rows[0]?.sum);
      // The second factor above, and at least the key and the callback secret of the payment account in each organisation.
      expect(sealed).to.be.at.least(1 + 2 * 2);
      expect(manifest.keys.sealed).to.deep.equal({ [manifest.keys.main_secret as string]: sealed });
    });

    it("refuses a folder that exists, also an unfinished one", async () => {
      const again = await cli(settings(service.database), ["backup", backup]);
      expect([again.status, again.err]).to.deep.equal([2, `${backup} exists already; name another folder, or remove it.\n`]);
      const cut = newFolder();
      await writeFile(`${cut}.partial`, "");
      expect((await cli(settings(service.database), ["backup", cut])).err).to.match(/\.partial exists already/);
    });

    it("refuses an empty database, and a data directory without one, and leaves nothing behind", async () => {
      const folder = newFolder();
      const empty = await cli(settings(await newDatabase()), ["backup", folder]);
      expect([empty.status, empty.err]).to.deep.equal([2, "There is nothing to back up: the database is empty.\n"]);
      const nowhere = await cli({ SERVICE_DATA_DIR: path.join(root, "typo") }, ["backup", folder]);
      expect(nowhere.err).to.match(/^There is nothing to back up: .*typo contains no database\.\n$/);
      expect((await readdir(root)).filter((name) => name === "typo" || name.startsWith(path.basename(folder)))).to.deep.equal([]);
    });

    it("fails rather than miss rows that row-level security hides from the owner", async () => {
      const database = await newDatabase("kantoor_template");
      await (await connect(database.owner)).query("drop policy owner on contacts");
      const ran = await cli(settings(database), ["backup", newFolder()]);
      expect(ran.status).to.equal(1);
      expect(ran.err).to.contain("row-level security hides rows of public.contacts");
    });
  });

  describe("restore", () => {
    let target: TestDatabase;
    let sql: pg.Client;

    before(async () => {
      const { database, ran } = await restored(backup);
      expect([ran.status, ran.err]).to.deep.equal([0, ""]);
      expect(ran.json).to.deep.include({ folder: backup, tables: manifest.tables.length, migrated: [] });
      target = database;
      sql = await connect(database.owner);
    });

    it("brings back every table as it was, byte for byte", async () => {
      const folder = newFolder();
      expect((await cli(settings(target), ["backup", folder])).status).to.equal(0);
      const facts = ({ tables }: Manifest) => tables.map(({ table, rows, sha256 }) => ({ table, rows, sha256 }));
      expect(facts(await manifestOf(folder))).to.deep.equal(facts(manifest));
    });

    it("brings back one moment: of a write that ran meanwhile all of it, or nothing", async () => {
      const { rows } = await sql.query(`select
        (select count(*)::int from companies where name like 'Meanwhile %') as companies,
        (select count(*)::int from companies c where name like 'Meanwhile %' and (select count(*) from activity a where a.entity_id = c.id) = 1) as whole,
        (select count(*)::int from activity a where entity_type = 'company' and not exists (select 1 from companies c where c.id = a.entity_id)) as orphans`);
      expect(rows[0].whole).to.equal(rows[0].companies);
      expect(rows[0].orphans).to.equal(0);
    });

    it("leaves triggers, references, indexes and row-level security as the migrations made them", async () => {
      const shape = async (client: pg.Client) =>
        (
          await client.query(
            `select c.relname, conname as name, pg_get_constraintdef(k.oid) as is from pg_constraint k join pg_class c on c.oid = conrelid
             union all select c.relname, tgname, tgenabled::text || pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = tgrelid where not tgisinternal and tgname <> '${HOLD_TRIGGER}'
             union all select relname, 'rls', relrowsecurity::text || relforcerowsecurity from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
             union all select tablename, indexname, indexdef from pg_indexes where schemaname !~ '^pg_'
             order by 1, 2, 3`,
          )
        ).rows;
      expect(await shape(sql)).to.deep.equal(await shape(service.sql));
    });

    it("lets identities count on from their last value", async () => {
      const { rows } = await sql.query(`select nextval(pg_get_serial_sequence('company_assignees', 'position'))::int as next,
        (select max(position) from company_assignees) as last`);
      expect(rows[0].next).to.be.greaterThan(rows[0].last);
    });

    it("leads to a service that knows the old keys and answers the same", async () => {
      const [tenant] = tenants as [Tenant];
      const again = await startService({
        SERVICE_DATABASE_URL: target.application,
        SERVICE_DATABASE_MIGRATION_URL: target.owner,
      });
      try {
        const asked = { key: tenant.owner.key, host: tenant.host };
        const answer = await again.call("GET", "/contacts?limit=200", asked);
        expect([answer.status, answer.text]).to.deep.equal([200, (await tenant.owner.get("/contacts?limit=200")).text]);
        expect((await again.call("POST", "/companies", { ...asked, body: { name: "Afterwards" } })).status).to.equal(201);
      } finally {
        await again.stop();
      }
    });

    it("refuses a target with organisations in one sentence, and leaves it alone", async () => {
      const ran = await cli(settings(service.database), ["restore", backup]);
      expect([ran.status, ran.err]).to.deep.equal([
        2,
        "The target is not empty, it has organisations or accounts: restore into a new data directory or database.\n",
      ]);
    });

    it("takes a target of the same version that has no organisation yet, and one that was cut short before", async () => {
      const database = await newDatabase("kantoor_template");
      expect((await cli(settings(database), ["restore", backup])).status).to.equal(0);
      const cut = await newDatabase();
      await migrate(cut.owner, '"kantoor_app"', manifest.migrations.slice(0, 2));
      expect((await cli(settings(cut), ["restore", backup])).status).to.equal(0);
    });
  });

  describe("restore refuses, before it writes anything,", () => {
    const tableFile = () => manifest.tables.find(({ table }) => table === "public.companies")?.file as string;

    it("a file with one bit flipped", async () => {
      await withFile(tableFile(), flipped, () =>
        refusedUntouched(/^The backup is damaged: database\/public\.companies\.copy does not match the manifest/),
      );
    });

    it("a file that is cut off, and one that is missing", async () => {
      await withFile(
        tableFile(),
        (bytes) => bytes.subarray(0, -1),
        () => refusedUntouched(/^The backup is damaged: /),
      );
      await withFile(
        tableFile(),
        () => null,
        () =>
          refusedUntouched(
            /^The backup is incomplete: database\/public\.companies\.copy cannot be read \(ENOENT\); no data was written\.$/m,
          ),
      );
    });

    it("a manifest that is changed, invalid, or missing", async () => {
      await withFile("manifest.json", flipped, () =>
        refusedUntouched(/manifest\.json in .* is damaged; no data was written\.$/m),
      );
      await withFile(
        "manifest.json",
        () => "{}",
        () => refusedUntouched(/is damaged/),
      );
      await withFile(
        "manifest.json",
        () => null,
        () => refusedUntouched(/is not a finished backup/),
      );
    });

    it("a backup of a newer version", async () => {
      const newer = manifestText({ ...manifest, version: "9.0.0", migrations: [...manifest.migrations, "9999-later"] });
      await withFile(
        "manifest.json",
        () => newer,
        () =>
          refusedUntouched(
            /^The backup was made by a newer version \(9\.0\.0, with 9999-later\); restore it with that version\.$/m,
          ),
      );
    });

    it("another main secret, unless started without the sealed values", async () => {
      const other = { SERVICE_SECRET: "another secret for tests, 9876543210 abcdef" };
      const { database, ran } = await restored(backup, other);
      expect([ran.status, await tablesIn(database)]).to.deep.equal([2, 0]);
      expect(ran.err).to.match(
        /^SERVICE_SECRET is not the one that the backup was made with \(id [0-9a-f]{8}\); use that main secret, or --other-secret/,
      );
      expect((await restored(backup, other, "--other-secret")).ran.status).to.equal(0);
    });

    it("a key of sealed values that is not known here", async () => {
      const foreign = manifestText({ ...manifest, keys: { ...manifest.keys, sealed: { deadbeef: 3 } } });
      await withFile(
        "manifest.json",
        () => foreign,
        () => refusedUntouched(/Unknown keys sealed secrets in the backup \(ids deadbeef\)/),
      );
    });
  });

  it("keeps nothing of a restore if its tables differ from the manifest", async () => {
    const tables = manifest.tables.map((part) => (part.table === "public.contacts" ? { ...part, rows: part.rows + 1 } : part));
    await withFile(
      "manifest.json",
      () => manifestText({ ...manifest, tables }),
      async () => {
        const { database, ran } = await restored(backup);
        expect(ran.status).to.equal(2);
        expect(ran.err).to.match(
          /^After loading, public\.contacts has \d+ rows that differ from those of the backup \(\d+\); no data was kept\.$/m,
        );
        const { rows } = await (await connect(database.owner)).query("select count(*)::int as count from organisations");
        expect(rows[0].count).to.equal(0);
      },
    );
  });

  it("restores a backup of an older version and brings it forward", async () => {
    const old = await newDatabase();
    const steps = manifest.migrations.slice(0, 3);
    await migrate(old.owner, '"kantoor_app"', steps);
    await createOrganisation(await connect(old.owner), { slug: "old", name: "Old" });
    const folder = newFolder();
    expect((await cli(settings(old), ["backup", folder])).status).to.equal(0);
    expect((await manifestOf(folder)).migrations, "the backup itself brings nothing forward").to.deep.equal(steps);
    const { database, ran } = await restored(folder);
    expect(ran.err).to.equal("");
    expect(ran.json.migrated).to.deep.equal(manifest.migrations.slice(3));
    const { rows } = await (await connect(database.owner)).query("select slug from organisations");
    expect(rows).to.deep.equal([{ slug: "old" }]);
  });

  it("names every file of the backup in the manifest", async () => {
    const files = (await readdir(backup, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(backup, path.join(entry.parentPath, entry.name)));
    expect([...partsOf(manifest).map(({ file }) => file), "manifest.json"].toSorted()).to.deep.equal(files.toSorted());
  });
});
