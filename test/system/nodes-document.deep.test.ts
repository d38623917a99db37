import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import pg from "pg";
import { bodyOf } from "../../bin/new/chapters.ts";
import { certificate, certificateKey } from "../support/certificate.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { blocksOf, linesOf, SHELL } from "../support/documents.ts";
import { until } from "../support/jobs.ts";
import { findProgram, requireNats, startNats } from "../support/nodes/nats.ts";
import { type RunningProxy, readiness, startProxy, type Visit, visit } from "../support/nodes/proxy.ts";
import { freePort } from "../support/ports.ts";
import { cleanEnvironment, launch, type Spawned } from "../support/process.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const HOST = "office.agency.example";
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
/** Attempts to sign in that an address has in a minute. */
const SIGN_INS = 10;
const JSON_BODY = { "Content-Type": "application/json" };
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };

/** Milliseconds for which a node that stops still serves. */
const SHUTDOWN_DELAY = 20_000;

/** The document's lines on this machine: its 10.0.0.x is 127.0.0.x, port 3000 a free one, and npm the command of its script. */
const here = (lines: string, port: number): string =>
  lines
    .replaceAll("10.0.0.", "127.0.0.")
    .replaceAll("3000", String(port))
    // In five seconds a busy machine may not come to look.
    .replaceAll("SHUTDOWN_DELAY_MS=5000", `SHUTDOWN_DELAY_MS=${SHUTDOWN_DELAY}`)
    .replaceAll(/npm run (\w+) --/g, (_, name: string) => (scripts[name] as string).replace(/^exec /, ""))
    .replaceAll(/npm start$/gm, () => scripts["start"] as string);

/** `docs/nodes.md`, typed as an operator does. */
describe("several nodes behind a proxy, as the document has them", function () {
  this.timeout(240_000);
  const [settings = "", creating = ""] = linesOf("## What the nodes share");
  const [linking = ""] = /`(npm run cli -- domain link [^`]*)`/.exec(bodyOf("## What the nodes share"))?.slice(1) ?? [];
  const address = (label: string) => `127.0.0.${label}`;
  let folder: string;
  let database: TestDatabase;
  let sql: pg.Client;
  let nats: Spawned;
  let port: number;
  let shared: Record<string, string>;
  let nodes: Spawned[];
  let key: string;
  let password: string;
  const upstreams = () => [address("1"), address("2")].map((host) => ({ host, port }));

  const start = (host: string): Promise<Spawned> =>
    launch([SHELL, "-euc", here(settings, port)], {
      environment: { ...shared, SERVICE_HTTP_ADDRESS: host, SERVICE_HTTP_PORT: String(port), SERVICE_RATE_LIMIT_PER_KEY: "0" },
    });
  /** Types commands in a terminal that has the settings of the nodes. */
  const type = async (commands: string): Promise<string> => {
    const exports = settings.replace("npm start", "");
    const env = { ...cleanEnvironment(), ...shared };
    const lines = here(exports + commands, port);
    return (await promisify(execFile)(SHELL, ["-euc", lines], { cwd: ROOT, env })).stdout;
  };

  before(async function () {
    requireNats(this);
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-nodes-"));
    chmodSync(folder, 0o755);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    nats = await startNats();
    port = await freePort();
    shared = {
      SERVICE_DATABASE_URL: database.application,
      SERVICE_DATABASE_MIGRATION_URL: database.owner,
      SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      TRANSPORTER: `nats://127.0.0.1:${nats.port}`,
      SERVICE_DATA_DIR: path.join(folder, "data"),
    };
    nodes = await Promise.all(upstreams().map(({ host }) => start(host)));
    const printed = await type(creating);
    password = /^ *password +(\S+)/m.exec(printed)?.[1] as string;
    key = /^ +(\S+) +\(shown once\)$/m.exec(printed.slice(printed.indexOf("\nKey ")))?.[1] as string;
  });
  after(async () => {
    await Promise.all((nodes ?? []).map((node) => node.stop()));
    await nats?.stop();
    await sql?.end();
    await database?.drop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it("share the settings of its table, and start with a name for the commands that create an organisation", () => {
    const table = bodyOf("## What the nodes share").split("Each node needs")[0] as string;
    expect(Object.keys(shared).filter((name) => !table.includes(`\`${name}\``))).to.deep.equal([]);
    const named = creating.split("\n").flatMap((line) => /npm run cli -- (?:org|user) create/.exec(line) ?? []);
    expect(named).to.have.length(2);
    for (const command of named) expect(nodes[0]?.output()).to.contain(command);
    expect([typeof password, typeof key]).to.deep.equal(["string", "string"]);
  });

  it("take no host and no address from a caller who is not the proxy", async () => {
    const direct = { headers: { "X-Forwarded-Host": HOST } };
    const refused = await visit({ port }, "127.0.0.1", "/api/v1/companies", direct);
    expect([refused.status, refused.body.error.message]).to.deep.equal([404, "errors.unknown_host"]);
  });

  /** nginx with the document's configuration, of which only addresses, port and certificate are this machine's. */
  async function startNginx(): Promise<RunningProxy> {
    const own = await freePort();
    const at = (name: string) => path.join(folder, name);
    writeFileSync(at("agency.example.pem"), certificate);
    writeFileSync(at("agency.example.key"), certificateKey);
    const [documented = ""] = blocksOf("## The proxy", "nginx");
    const server = here(documented, port).replace("listen 443", `listen 127.0.0.1:${own}`).replaceAll("/etc/ssl/", `${folder}/`);
    const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const temporary = kinds.map((kind) => `${kind}_temp_path ${at(kind)};`).join("\n");
    const around = `daemon off;\npid ${at("nginx.pid")};\nerror_log stderr notice;\nevents {}\n`;
    writeFileSync(at("nginx.conf"), `${around}http {\naccess_log off;\nproxy_bind ${address("10")};\n${temporary}\n${server}}\n`);
    const words = ["-p", folder, "-c", "nginx.conf"];
    const program = findProgram("nginx") as string;
    await promisify(execFile)(program, ["-t", ...words]);
    const nginx = await launch([program, ...words], { ready: /start worker process/ });
    return { protocol: "https:", port: own, stop: () => nginx.stop() };
  }

  const proxies: [name: string, start: () => Promise<RunningProxy>][] = [
    ["a proxy that sets both headers", () => startProxy(upstreams(), address("10"))],
    ["nginx", startNginx],
  ];
  for (const [name, startOne] of proxies)
    describe(`behind ${name}`, () => {
      let proxy: RunningProxy;
      const call = (target: string, options: Visit = {}, host = HOST) => visit(proxy, host, target, options);
      const withKey = (options: Visit = {}): Visit => ({ ...options, headers: { "X-API-Key": key, ...options.headers } });

      before(async function () {
        if (name === "nginx" && !findProgram("nginx")) {
          process.stdout.write("    not run: nginx is not installed (apt-get install nginx)\n");
          return this.skip();
        }
        proxy = await startOne();
      });
      after(() => proxy?.stop());

      it("choose the organisation by the host name that the caller used", async () => {
        const found = await call("/api/v1/companies?limit=1", withKey());
        expect([found.status, found.body.limit]).to.deep.equal([200, 1]);
        const unknown = await call("/api/v1/companies", {}, "other.agency.example");
        expect([unknown.status, unknown.body.error.message]).to.deep.equal([404, "errors.unknown_host"]);
        expect((await call("/api/v1/companies", withKey(), "other.agency.example")).status, "with a valid key").to.equal(401);
        const spoofed = await call("/api/v1/companies", { headers: { "X-Forwarded-Host": HOST } }, "other.agency.example");
        expect(spoofed.status, "with a header of the caller's own").to.equal(404);
      });

      it("give https addresses without a port", async () => {
        expect((await call("/login")).status).to.equal(200);
        const { body } = await call("/.well-known/oauth-authorization-server");
        expect(body.issuer).to.equal(`https://${HOST}`);
      });

      it("limit sign-in by the address that the proxy saw, not by one that the caller sent", async () => {
        const signIn = (secret: string, from: string, forwarded: string) => {
          const body = new URLSearchParams({ username: "you@agency.example", password: secret }).toString();
          const headers = { ...FORM, "X-Forwarded-For": forwarded };
          return call("/api/v1/auth/login", { method: "POST", headers, body, from });
        };
        const caller = address(name === "nginx" ? "78" : "79");
        const { status, headers } = await signIn(password, caller, "198.51.100.9");
        expect(status).to.equal(204);
        const cookie = (headers["set-cookie"]?.[0] ?? "").split(";")[0] as string;
        const sessions = await call("/api/v1/auth/sessions", { headers: { Cookie: cookie } });
        expect(sessions.body.find(({ current }: { current: boolean }) => current).address).to.equal(caller);
        // Counted by the minute of the clock: of more than twice the limit at once, one minute gets too many.
        const attempts = Array.from({ length: 2 * SIGN_INS + 1 }, (_, n) => signIn("wrong", caller, `198.51.100.${n}`));
        expect((await Promise.all(attempts)).map(({ status: each }) => each)).to.include(429);
        expect((await signIn(password, address("80"), "198.51.100.9")).status, "from another address").to.equal(204);
      });

      it("lose no request while one of them restarts, which is not ready and still serves at first", async () => {
        const [first] = upstreams() as [{ host: string; port: number }];
        expect(settings).to.contain("SERVICE_SHUTDOWN_DELAY_MS=5000");
        const answers: number[] = [];
        let over = false;
        const caller = async () => {
          while (!over) {
            const body = JSON.stringify({ name: `Company of ${name}` });
            answers.push((await call("/api/v1/companies", withKey({ method: "POST", headers: JSON_BODY, body }))).status);
            answers.push((await call("/api/v1/companies?limit=1", withKey())).status);
            await delay(20);
          }
        };
        const callers = [caller(), caller()];
        try {
          expect(await readiness(first)).to.equal(200);
          const began = performance.now();
          const ended = nodes[0]?.stop();
          await until(async () => (await readiness(first)) === 503);
          const served = await visit({ port, address: first.host }, "127.0.0.1", "/api/v1/companies");
          expect(served.status, "the stopping node still serves").to.equal(404);
          expect(await ended).to.equal(0);
          expect(performance.now() - began).to.be.at.least(SHUTDOWN_DELAY);
          nodes[0] = await start(first.host);
          await until(async () => (await readiness(first)) === 200);
          await delay(500);
        } finally {
          over = true;
          await Promise.all(callers);
        }
        expect(Object.keys(Object.groupBy(answers, String)), `${answers.length} answers`).to.deep.equal(["200", "201"]);
        const { rows } = await sql.query("select count(*)::int as made from companies where name = $1", [`Company of ${name}`]);
        expect(rows).to.deep.equal([{ made: answers.filter((status) => status === 201).length }]);
      });

      it("break only the calls that run on a killed one, and repeat a keyed POST without doing it twice", async () => {
        const [first] = upstreams() as [{ host: string; port: number }];
        const named = `Keyed by ${name}`;
        let keys = 0;
        let made = 0;
        let over = false;
        const post = async (idempotencyKey: string): Promise<number> => {
          const headers = { ...JSON_BODY, "Idempotency-Key": idempotencyKey };
          return (await call("/api/v1/companies", withKey({ method: "POST", headers, body: JSON.stringify({ name: named }) })))
            .status;
        };
        const caller = async (of: number) => {
          for (let turn = 0; !over; turn += 1) {
            const idempotencyKey = `${name}-${of}-${turn}`;
            keys += 1;
            let status = await post(idempotencyKey);
            for (; status !== 201; status = await post(idempotencyKey)) {
              // A broken call: the node ended, or the proxy found none.
              expect(status === 0 || status >= 500, `${idempotencyKey}: ${status}`).to.equal(true);
              await delay(200);
            }
            made += 1;
          }
        };
        const callers = [caller(1), caller(2), caller(3)];
        try {
          await until(async () => made > 10);
          await nodes[0]?.kill();
          expect(await readiness(first)).to.equal(0);
          const before = made;
          await until(async () => made > before + 10);
        } finally {
          over = true;
          nodes[0] = await start(first.host);
          await Promise.all(callers);
        }
        await until(async () => (await readiness(first)) === 200);
        const { rows } = await sql.query("select count(*)::int as made from companies where name = $1", [named]);
        expect(rows).to.deep.equal([{ made: keys }]);
      });
    });

  it("serve an organisation at a host name of its own", async () => {
    await type(linking);
    const proxy = await startProxy(upstreams(), address("10"));
    const host = linking.split(" ").at(-1) as string;
    expect((await visit(proxy, host, "/api/v1/companies?limit=1", { headers: { "X-API-Key": key } })).status).to.equal(200);
    await proxy.stop();
  });
});
