import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { Finding } from "../../../operator/doctor/finding.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { freePort } from "../../support/ports.ts";
import { startBucket, type TestBucket } from "../../support/s3.ts";
import { cli, environmentOf } from "./cli-support.ts";

describe("the command line before a start", () => {
  let database: TestDatabase;
  let bucket: TestBucket;
  let folder: string;
  let env: Record<string, string>;
  before(async () => {
    database = await cloneDatabase();
    bucket = await startBucket();
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-doctor-test-"));
    env = environmentOf(database, { SERVICE_BASE_DOMAIN: "localhost", SERVICE_DATA_DIR: folder });
  });
  after(async () => {
    await bucket?.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const fileWith = async (name: string, text: string) => {
    const file = path.join(folder, name);
    await writeFile(file, text);
    return file;
  };
  const findingsOf = async (more: Record<string, string | undefined>, command = ["doctor"]) => {
    const environment = Object.fromEntries(Object.entries({ ...env, ...more }).filter(([, value]) => value !== undefined));
    const ran = await cli(environment as Record<string, string>, [...command, "--json"]);
    const { findings } = ran.json as { findings: Finding[] };
    return { ...ran, findings, states: Object.fromEntries(findings.map(({ check, state }) => [check, state])) };
  };
  /** The only finding of a check that is a fault or a warning. */
  const complaint = async (check: string, more: Record<string, string | undefined>) => {
    const { findings, status } = await findingsOf(more);
    const [only, ...others] = findings.filter((finding) => finding.check === check);
    expect(others).to.deep.equal([]);
    expect(only?.remedy, only?.found).to.be.a("string");
    expect(status).to.equal(only?.state === "fault" ? 2 : 0);
    return only as Finding;
  };

  describe("doctor", () => {
    it("finds a working installation fit, with its bucket", async () => {
      const { findings, status, err } = await findingsOf(bucket.environment);
      expect(err).to.equal("");
      expect(status).to.equal(0);
      const expected = ["settings", "database", "extensions", "schema", "connections", "clock", "owner", "disk", "files"];
      expect(findings.filter(({ check }) => check !== "browser").map(({ check, state }) => [check, state])).to.deep.equal(
        expected.map((check) => [check, "ok"]),
      );
      const text = await cli(env, ["doctor"]);
      expect(text.out).to.match(/^ok +database +PostgreSQL \d+.* answers/m);
    });

    it("tries nothing while the settings are wrong, and names each of them", async () => {
      const { findings, status, err } = await findingsOf({ SERVICE_HTTP_PORT: "x", SERVICE_LOG_LEVEL: "loud" });
      expect(status).to.equal(2);
      expect(err).to.equal("2 faults in what this node needs.\n");
      expect(findings.map(({ check, state }) => [check, state])).to.deep.equal([
        ["settings", "fault"],
        ["settings", "fault"],
      ]);
    });

    it("says why PostgreSQL cannot be used, and never with its password", async () => {
      const gone = `postgres://kantoor_app:unguessable@127.0.0.1:${await freePort()}/kantoor`;
      const { findings, out } = await findingsOf({ SERVICE_DATABASE_URL: gone });
      expect(findings.find(({ check }) => check === "database")).to.include({ state: "fault" });
      expect(out).to.contain("SERVICE_DATABASE_URL cannot be used").and.not.contain("unguessable");
    });

    it("refuses a role that owns the tables or bypasses row-level security", async () => {
      const found = await complaint("database", { SERVICE_DATABASE_URL: database.superuser });
      expect(found.found).to.contain("must own nothing");
    });

    it("counts missing steps of the schema, and says who applies them", async () => {
      const copy = await cloneDatabase();
      try {
        const { default: pg } = await import("pg");
        const owner = new pg.Client({ connectionString: copy.owner });
        await owner.connect();
        await owner.query("delete from migrations where name = (select max(name) from migrations)");
        await owner.end();
        const urls = { SERVICE_DATABASE_URL: copy.application, SERVICE_DATABASE_MIGRATION_URL: copy.owner };
        expect(await complaint("schema", urls)).to.include({ state: "warning" });
        const without = await complaint("schema", { ...urls, SERVICE_DATABASE_MIGRATION_URL: undefined });
        expect(without.found).to.match(/^The schema lacks 1 of \d+ steps/);
        expect(without).to.include({ state: "fault" });
      } finally {
        await copy.drop();
      }
    });

    it("counts the connections of all nodes, not only those that are open", async () => {
      const { findings } = await findingsOf({});
      const { found } = findings.find(({ check }) => check === "connections") as Finding;
      expect(found).to.match(/; one node needs up to 18: 16 each \(10 for requests\) and 2 to migrate\.$/);
      const { default: pg } = await import("pg");
      const owner = new pg.Client({ connectionString: database.owner });
      await owner.connect();
      try {
        await owner.query("insert into jobs.workers (node) select 'node ' || n from generate_series(1, 50) n");
        const many = await complaint("connections", {});
        expect(many).to.include({ state: "warning" });
        expect(many.found).to.contain("50 nodes need up to 802: 16 each");
      } finally {
        await owner.query("delete from jobs.workers");
        await owner.end();
      }
    });

    it("names NATS, a relay, a bucket, a domain and a folder that cannot be used", async () => {
      const port = await freePort();
      const file = await fileWith("a-file", "");
      const { findings, states } = await findingsOf({
        ...bucket.environment,
        SERVICE_FILES_BUCKET: "another-bucket",
        SERVICE_DATA_DIR: `${file}/below`,
        SERVICE_BASE_DOMAIN: "kantoor.invalid",
        TRANSPORTER: `nats://me:hidden@127.0.0.1:${port}`,
        SERVICE_MAIL_PROVIDER: "smtp",
        SERVICE_MAIL_HOST: "127.0.0.1",
        SERVICE_MAIL_PORT: String(port),
        SERVICE_MAIL_FROM_ADDRESS: "office@kantoor.test",
      });
      const { browser: _, ...tried } = states;
      expect(tried).to.deep.equal({
        settings: "ok",
        database: "ok",
        extensions: "ok",
        schema: "ok",
        connections: "ok",
        clock: "ok",
        owner: "ok",
        disk: "fault",
        transport: "fault",
        mail: "fault",
        files: "fault",
        names: "fault",
      });
      expect(JSON.stringify(findings)).not.to.contain("hidden");
    });

    it("creates no embedded database, and names credentials of NATS that it cannot read", async () => {
      const { findings, states } = await findingsOf({
        SERVICE_DATABASE_URL: undefined,
        SERVICE_DATABASE_MIGRATION_URL: undefined,
        SERVICE_DATA_DIR: path.join(folder, "unused"),
        TRANSPORTER: "nats://127.0.0.1:4222",
        SERVICE_TRANSPORT_CREDENTIALS_FILE: path.join(folder, "absent"),
      });
      expect(findings.find(({ check }) => check === "database")?.found).to.contain("no database yet");
      expect(states["transport"]).to.equal("fault");
      expect(existsSync(path.join(folder, "unused"))).to.equal(false);
    });

    it("reaches a relay that answers", async () => {
      const server = net.createServer((socket) => socket.end());
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const { states } = await findingsOf({
          SERVICE_MAIL_PROVIDER: "smtp",
          SERVICE_MAIL_HOST: "127.0.0.1",
          SERVICE_MAIL_PORT: String((server.address() as net.AddressInfo).port),
          SERVICE_MAIL_FROM_ADDRESS: "office@kantoor.test",
        });
        expect(states["mail"]).to.equal("ok");
      } finally {
        server.close();
      }
    });
  });

  describe("config check", () => {
    it("says that settings are valid, and needs no database", async () => {
      const { status, out } = await cli({ SERVICE_HTTP_PORT: "8080" }, ["config", "check"]);
      expect(status).to.equal(0);
      expect(out).to.match(/^ok +settings +All settings are valid \(given: 1\)/);
    });

    it("names every fault at once, and every name that is passed over", async () => {
      const wrong = {
        SERVICE_HTTP_PORT: "x",
        SERVICE_POSTURE: "cloud",
        SERVICE_SECERT: "1",
        SERVICE_PORT_443_TCP_ADDR: "10.0.0.1",
      };
      const { status, findings } = await findingsOf({ ...wrong }, ["config", "check"]);
      expect(status).to.equal(2);
      expect(findings.map(({ state, found }) => [state, found.split(" ")[0]])).to.deep.equal([
        ["fault", "SERVICE_SECERT"],
        ["fault", "SERVICE_HTTP_PORT"],
        ["fault", "SERVICE_POSTURE"],
        ["warning", "SERVICE_PORT_443_TCP_ADDR"],
      ]);
    });
  });

  describe("config show", () => {
    it("shows what is given and where it is from, and no secret", async () => {
      const secret = await fileWith("secret", `${env["SERVICE_SECRET"]}\n`);
      const environment = {
        ...env,
        SERVICE_SECRET: "",
        SERVICE_SECRET_FILE: secret,
        SERVICE_DATABASE_URL: "postgres://kantoor_app:hidden@db.internal:5432/kantoor",
        TRANSPORTER: "nats://me:hidden@one:4222, nats://two:4222",
        SERVICE_MAIL_SECRET: "hidden",
        SERVICE_HTTP_PORT: "8080",
      };
      const { json, out } = await cli(environment, ["config", "show", "--json"]);
      const values = new Map(json.settings.map((one: { name: string; value: string; from: string }) => [one.name, one]));
      expect(values.get("SERVICE_SECRET")).to.deep.equal({ name: "SERVICE_SECRET", value: "(secret)", from: "file" });
      expect(values.get("SERVICE_DATABASE_URL")).to.include({
        value: "postgres://db.internal:5432/kantoor",
        from: "environment",
      });
      expect(values.get("TRANSPORTER")).to.include({ value: "nats://one:4222, nats://two:4222" });
      expect(values.get("SERVICE_HTTP_PORT")).to.include({ value: "8080" });
      expect(values.has("SERVICE_LOG_LEVEL")).to.equal(false);
      expect(out).not.to.contain("hidden").and.not.contain("nobody else has");
      const all = await cli(environment, ["config", "show", "--all"]);
      expect(all.out).to.match(/^SERVICE_LOG_LEVEL +info +default$/m);
    });
  });
});
