import { createHash, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import pg from "pg";
import S3rver from "s3rver";
import { readConfig } from "../../../core/config/config.ts";
import { configuredStores } from "../../../core/providers/storage/stores.ts";
import type { Backend } from "../../../core/request/context.ts";
import type { Manifest } from "../../../operator/backup/manifest.ts";
import { createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

describe("backup and restore of files", () => {
  let root: string;
  let s3: S3rver;
  let bucketSettings: Record<string, string>;
  let source: TestDatabase;
  let sql: pg.Client;
  let organisationId: string;
  let counter = 0;
  const databases: TestDatabase[] = [];

  const newDatabase = async (template?: string): Promise<TestDatabase> => {
    const database = await cloneDatabase(template);
    databases.push(database);
    return database;
  };
  const settings = (database: TestDatabase, folder: string, more: Record<string, string> = bucketSettings) =>
    environmentOf(database, { SERVICE_DATA_DIR: path.join(root, folder), ...more });
  const storesOf = (env: Record<string, string>) => configuredStores(readConfig(env));
  /** Keeps a piece of content in a store, with its row and a file that refers to it. */
  const keep = async (text: string, backend: Backend, { referred = true, stored = true, sum = text } = {}): Promise<string> => {
    const id = randomUUID();
    const { all, spoolFolder } = storesOf(settings(source, "here"));
    if (stored) {
      await mkdir(spoolFolder, { recursive: true });
      await writeFile(path.join(spoolFolder, id), text);
      await all.find((store) => store.backend === backend)?.put(organisationId, id, path.join(spoolFolder, id));
    }
    const sha256 = createHash("sha256").update(sum).digest();
    await sql.query("insert into file_contents (id, organisation_id, size, backend, sha256) values ($1, $2, $3, $4, $5)", [
      id,
      organisationId,
      text.length,
      backend,
      sha256,
    ]);
    if (referred)
      await sql.query(
        "insert into files (id, organisation_id, content_id, entity_type, entity_id, name, type) values ($1, $2, $3, 'company', $1, 'a.txt', 'text/plain')",
        [randomUUID(), organisationId, id],
      );
    return id;
  };
  const textOf = async (env: Record<string, string>, backend: Backend, id: string): Promise<string | null> => {
    const found = await storesOf(env)
      .all.find((store) => store.backend === backend)
      ?.open(organisationId, id);
    return found ? Buffer.concat(await found.bytes.toArray()).toString() : null;
  };
  const manifestOf = async (folder: string): Promise<Manifest> =>
    JSON.parse(await readFile(path.join(folder, "manifest.json"), "utf8"));

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), "kantoor-backup-files-"));
    s3 = new S3rver({
      port: 0,
      address: "127.0.0.1",
      silent: true,
      directory: path.join(root, "s3"),
      configureBuckets: [{ name: "files" }],
    });
    const { port } = await s3.run();
    bucketSettings = {
      SERVICE_FILES_BUCKET: "files",
      SERVICE_STORAGE_API_URL: `http://127.0.0.1:${port}`,
      SERVICE_FILES_KEY_ID: "S3RVER",
      SERVICE_FILES_KEY_SECRET: "S3RVER",
    };
    source = await newDatabase();
    sql = new pg.Client({ connectionString: source.owner });
    await sql.connect();
    organisationId = (await createOrganisation(sql, { slug: "files", name: "Files" })).id;
  });
  beforeEach(() => sql.query("delete from files; delete from file_contents"));
  after(async () => {
    await sql.end();
    await s3.close();
    for (const database of databases) await database.drop();
    await rm(root, { recursive: true, force: true });
  });

  const backedUp = async (...options: string[]) => {
    const folder = path.join(root, `backup-${++counter}`);
    const ran = await cli(settings(source, "here"), ["backup", folder, ...options]);
    expect([ran.status, ran.err]).to.deep.equal([0, ""]);
    return { folder, manifest: await manifestOf(folder), out: ran.out };
  };
  const restored = async (folder: string, more = bucketSettings) => {
    const database = await newDatabase("kantoor");
    const env = settings(database, `there-${++counter}`, more);
    return { database, env, ran: await cli(env, ["restore", folder]) };
  };

  it("carries what lies on disk along, byte for byte, and leaves what lies on S3 in its bucket", async () => {
    const [near, far] = [await keep("on disk", "disk"), await keep("on S3", "s3")];
    const { folder, manifest, out } = await backedUp();
    expect(manifest.files.parts.map(({ file }) => file)).to.deep.equal([`files/disk/${organisationId}/${near}`]);
    expect(out).to.contain("Not in the backup: 1 file on S3. Keep the bucket, or use --include-s3.");
    const { env, ran } = await restored(folder);
    expect([ran.status, ran.err]).to.deep.equal([0, ""]);
    expect([await textOf(env, "disk", near), await textOf(env, "s3", far)]).to.deep.equal(["on disk", "on S3"]);
  });

  it("carries what lies on S3 along when asked to, and puts it back there", async () => {
    const far = await keep("far away", "s3");
    const { folder, manifest } = await backedUp("--include-s3");
    expect([manifest.files.left_out, manifest.files.parts.length]).to.deep.equal([0, 1]);
    const { all } = storesOf(settings(source, "here"));
    await all.find(({ backend }) => backend === "s3")?.remove(organisationId, far);
    const { env, ran } = await restored(folder);
    expect([ran.status, ran.err]).to.deep.equal([0, ""]);
    expect(await textOf(env, "s3", far)).to.equal("far away");
  });

  it("refuses a target without the bucket, before it writes anything", async () => {
    await keep("far away", "s3");
    const { folder } = await backedUp();
    const { ran } = await restored(folder, {});
    expect([ran.status, ran.err]).to.deep.equal([
      2,
      "The backup includes files on S3: set SERVICE_FILES_BUCKET and its related settings.\n",
    ]);
  });

  it("names contents that the store lost or damaged, and continues", async () => {
    const [lost, damaged] = [await keep("lost", "disk", { stored: false }), await keep("damaged", "disk", { sum: "whole" })];
    const { folder, manifest, out } = await backedUp();
    expect(manifest.files.parts).to.deep.equal([]);
    expect(manifest.files.missing.map((file) => path.basename(file)).toSorted()).to.deep.equal([lost, damaged].toSorted());
    expect(out).to.contain("The store has lost 2 files: ");
    expect((await restored(folder)).ran.status).to.equal(0);
  });

  it("forgets an unreferenced content that was reclaimed during the backup, so that no upload is folded onto nothing", async () => {
    const kept = await keep("lost, but a file refers to it", "disk", { stored: false });
    await keep("reclaimed", "disk", { stored: false, referred: false });
    const { database } = await restored((await backedUp()).folder);
    const client = new pg.Client({ connectionString: database.owner });
    await client.connect();
    const { rows } = await client.query("select id from file_contents");
    await client.end();
    expect(rows).to.deep.equal([{ id: kept }]);
  });

  it("refuses a damaged content before it writes anything", async () => {
    const id = await keep("on disk", "disk");
    const { folder } = await backedUp();
    await writeFile(path.join(folder, `files/disk/${organisationId}/${id}`), "in disk");
    const { ran } = await restored(folder);
    expect(ran.status).to.equal(2);
    expect(ran.err).to.match(/^The backup is damaged: files\/disk\//);
  });
});
