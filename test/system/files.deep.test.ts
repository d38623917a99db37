import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { type Call, send } from "../support/http.ts";
import { until } from "../support/jobs.ts";
import { fileBody } from "../support/multipart.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import { png } from "../support/pictures.ts";
import { heapOf, launchService, MEASURABLE, type Spawned, watchHeap } from "../support/process.ts";

const HOST = "agency.kantoor.test";
const MIB = 1_048_576;
const PARALLEL = 20;
/** MiB of objects and buffers by which 200 MiB of files on their way may enlarge the service. */
const MOST = 60;
const everything = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];

describe("files of a service in processes of its own", function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let sql: pg.Client;
  let key: string;
  let dataDir: string;
  const running: Spawned[] = [];

  const start = async (more: Record<string, string> = {}, words: string[] = []): Promise<Spawned> => {
    const started = await launchService(
      {
        SERVICE_DATABASE_URL: database.application,
        SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
        SERVICE_DATA_DIR: dataDir,
        SERVICE_HTTP_PORT: "0",
        SERVICE_HTTP_ADDRESS: "127.0.0.1",
        SERVICE_PUBLIC_SCHEME: "http",
        SERVICE_BASE_DOMAIN: "kantoor.test",
        SERVICE_RATE_LIMIT_PER_KEY: "0",
        SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "error",
        ...more,
      },
      words,
      { flags: MEASURABLE },
    );
    running.push(started);
    return started;
  };
  const call = (port: number, method: string, target: string, options: Call = {}) =>
    send(port, method, target, { host: HOST, key, ...options });
  const newCompany = async (port: number): Promise<string> => {
    const { status, body, text } = await call(port, "POST", "/companies", { body: { name: "Files" } });
    if (status !== 201) throw new Error(text);
    return body.id;
  };
  const attach = (port: number, id: string, content: string | Buffer, type = "text/plain") =>
    call(port, "POST", `/files?entity_type=company&entity_id=${id}`, fileBody(content, type, "file"));

  before(async () => {
    database = await cloneDatabase();
    dataDir = mkdtempSync(path.join(tmpdir(), "kantoor-files-"));
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    const { id } = await createOrganisation(sql, { slug: "agency", name: "An agency" });
    const { accountId } = await createMember(sql, id, { email: "owner@agency.test", fullName: "Owner", role: "owner" });
    ({ value: key } = await createKey(sql, id, "kt", { name: "a key", scopes: everything, accountId }));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((node) => node.stop()));
  });
  after(async () => {
    await sql.end();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  describe("in memory", () => {
    /** Downloads without keeping anything, as slowly as 16 MiB a second. */
    const download = (port: number, id: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { Host: HOST, "X-API-Key": key };
        http
          .get({ port, host: "127.0.0.1", path: `/api/v1/files/${id}`, headers, agent: false }, async (response) => {
            let size = 0;
            for await (const chunk of response as AsyncIterable<Buffer>) {
              size += chunk.length;
              await delay(chunk.length / (16 * 1024));
            }
            resolve(size);
          })
          .once("error", reject);
      });

    it(`stay out of memory for ${PARALLEL} parallel uploads and downloads of 10 MiB`, async () => {
      const node = await start();
      const port = node.port as number;
      const company = await newCompany(port);
      const sized = (bytes: number) => Buffer.concat([Buffer.from(randomUUID()), Buffer.alloc(bytes - 36, "x")]);
      const files = Array.from({ length: PARALLEL }, () => sized(10 * MIB));
      for (let warm = 0; warm < 3; warm++) await attach(port, company, sized(MIB));
      const before = await heapOf(node);
      const growth = (most: number) => Math.round((most - before) / 1024);

      const up = watchHeap(node);
      const answers = await Promise.all(files.map((content) => attach(port, company, content)));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(PARALLEL).fill(201));
      const uploading = growth(await up());
      const down = watchHeap(node);
      const sizes = await Promise.all(answers.map(({ body }) => download(port, body.id)));
      expect(sizes).to.deep.equal(Array(PARALLEL).fill(10 * MIB));
      const downloading = growth(await down());
      process.stdout.write(`\n    ${PARALLEL} × 10 MiB at once: +${uploading} MiB uploading, +${downloading} downloading\n`);
      expect(uploading, "growth while uploading 200 MiB").to.be.lessThan(MOST);
      expect(downloading, "growth while downloading 200 MiB").to.be.lessThan(MOST);
    });
  });

  describe("over NATS", () => {
    it("enter and leave by one node while their actors run on another", async function () {
      requireNats(this);
      const nats = await startNats();
      try {
        const transporter = { TRANSPORTER: `nats://127.0.0.1:${nats.port}` };
        const [gateway] = await Promise.all([
          start(transporter, ["--actors", "api"]),
          start(transporter, ["--actors", "companies*", "files", "contacts*"]),
        ]);
        const port = gateway.port as number;
        await until(async () => (await call(port, "GET", "/companies?limit=1")).status === 200, 240_000);
        const company = await newCompany(port);
        const content = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(9 * MIB, "x")]);
        const made = await attach(port, company, content, "application/pdf");
        expect(made.status, made.text).to.equal(201);
        const got = await call(port, "GET", `/files/${made.body.id}`);
        expect([got.status, got.bytes.equals(content), got.headers.etag]).to.deep.equal([200, true, `"${made.body.id}"`]);
        expect(
          (await call(port, "GET", `/files/${made.body.id}`, { headers: { "If-None-Match": `"${made.body.id}"` } })).status,
        ).to.equal(304);
        const logo = await call(port, "POST", `/companies/${company}/logo`, fileBody(png(64, 64), "image/png", "logo.png"));
        expect(logo.status, logo.text).to.equal(200);
        expect((await call(port, "GET", `/companies/${company}/logo`)).headers["content-type"]).to.equal("image/png");
        const refused = await attach(port, company, "x", "text/html");
        expect(refused.body.error.fields).to.deep.equal({ file: "errors.upload_type" });
        const large = await attach(port, company, Buffer.alloc(10 * MIB + 1, "x"));
        expect([large.status, large.body.error.message]).to.deep.equal([413, "errors.upload_too_large"]);
      } finally {
        await Promise.all(running.splice(0).map((node) => node.stop()));
        await nats.stop();
      }
    });
  });

  it("survive kill -9: acknowledged files exist, and others leave no row", async () => {
    const node = await start();
    const port = node.port as number;
    const company = await newCompany(port);
    const kept: { id: string; content: string }[] = [];
    const uploading = async () => {
      for (;;) {
        const content = randomUUID();
        const { status, body } = await attach(port, company, content);
        if (status === 201) kept.push({ id: body.id, content });
      }
    };
    const ended = Promise.allSettled(Array.from({ length: 8 }, uploading));
    while (kept.length < 60) await delay(5);
    await node.kill();
    await ended;
    running.splice(0);
    const again = (await start()).port as number;
    const { rows } = await sql.query("select id from files where entity_id = $1", [company]);
    const statuses = await Promise.all(rows.map(async ({ id }) => (await call(again, "GET", `/files/${id}`)).status));
    expect(statuses.filter((status) => status !== 200)).to.deep.equal([]);
    for (const { id, content } of kept) expect((await call(again, "GET", `/files/${id}`)).text).to.equal(content);
  });
});
