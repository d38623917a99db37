import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { serveDrive } from "../simulators/google/drive.ts";
import type { DriveState, SimulatedFile } from "../simulators/google/drive-state.ts";
import { GoogleSimulator } from "../simulators/google/google.ts";
import type { Received } from "../simulators/simulator.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { holdWorkspace, strike, until } from "../support/jobs.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { prepareRuntime } from "../support/runtime.ts";

const HOST = "agency.kantoor.test";
const CREATE = ({ method, path }: Received) => method === "POST" && path === "/drive/v3/files";
const COPY = ({ method, path }: Received) => method === "POST" && path.endsWith("/copy");
const UPLOAD = ({ path }: Received) => path.startsWith("/upload/");

describe("folders at Google, made by several nodes that may die (workspace §2.4)", function () {
  this.timeout(300_000);
  const google = new GoogleSimulator();
  let drive: DriveState;
  let database: TestDatabase;
  let sql: pg.Client;
  let key: string;
  let accountId: string;
  let root: SimulatedFile;
  let node: Spawned;
  const started: Spawned[] = [];

  const start = async () => {
    const made = await launchService({
      SERVICE_DATABASE_URL: database.application,
      SERVICE_DATABASE_MIGRATION_URL: database.owner,
      SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_PUBLIC_SCHEME: "http",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_LOG_LEVEL: "debug",
      SERVICE_ACCOUNT_SYNC_HOURS: "0",
      ...google.environment,
    });
    started.push(made);
    return made;
  };
  const ask = (method: string, path: string, body?: unknown, on = node) =>
    send(on.port as number, method, path, { host: HOST, key, body });

  before(async () => {
    prepareRuntime();
    await google.start();
    drive = serveDrive(google);
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdWorkspace(sql);
    const organisation = await createOrganisation(sql, { slug: "agency", name: "Agency" });
    ({ accountId } = await createMember(sql, organisation.id, { email: "o@agency.test", fullName: "O", role: "owner" }));
    const scopes = systemRoles().find(({ key: role }) => role === "admin")?.grants ?? [];
    key = (await createKey(sql, organisation.id, "kt", { name: "a key", scopes, accountId })).value;
    node = await start();
    const client = google.state.client();
    const person = google.state.person("o@example.com");
    root = drive.folder("Clients", { person });
    const settings = { client_id: client.id, client_secret: client.secret, drive_enabled: true };
    expect((await ask("PUT", "/workspace/settings", settings)).status).to.equal(200);
    const sent = await ask("GET", "/workspace/oauth/connect");
    const back = new URL(google.consent(sent.headers["location"] as string, person));
    expect((await ask("GET", `/${back.pathname}${back.search}`)).status).to.equal(307);
    await configure();
  });
  after(async () => {
    await node?.stop();
    await sql?.end();
    await database?.drop();
    await google.stop();
  });
  afterEach(() => {
    drive.catchUp();
    expect(google.complaints).to.deep.equal([]);
  });

  async function configure(values: object = {}) {
    const settings = { client_id: google.state.clients[0]?.id, drive_enabled: true, automation_connection_user_id: accountId };
    const answer = await ask("PUT", "/workspace/settings", { ...settings, drive_parent_folder_id: root.id, ...values });
    expect(answer.status, answer.text).to.equal(200);
  }
  const newCompany = async (name: string): Promise<string> => (await ask("POST", "/companies", { name })).body.id;
  const named = (name: string, parent = root) => drive.childrenOf(parent).filter((file) => file.name === name);
  const rootOf = async (id: string) => {
    const { body } = await ask("GET", `/workspace/drive/links?entity_type=company&entity_id=${id}`);
    return body.find(({ is_root }: { is_root: boolean }) => is_root)?.drive_file_id as string | undefined;
  };
  const outstanding = async () => (await sql.query("select 1 from drive_provisions where state = 'waiting'")).rowCount;
  /** Lets Google carry a call out and kills the node before it has the answer; then another node starts. */
  const killAt = async (which: (request: Received) => boolean, begin: () => Promise<unknown>) => {
    const before = google.received.filter(which).length;
    let release = () => {};
    const mend = google.failWhen(which, { kind: "wait", until: new Promise<void>((resolve) => (release = resolve)) });
    const begun = begin().catch(() => null);
    await until(() => google.received.filter(which).length > before);
    await node.kill();
    await begun;
    mend();
    release();
    // The leases of the node that died run out.
    await sql.query("update drive_creations set held_until = now() - interval '1 second' where holder is not null");
    await sql.query("update jobs.agenda_jobs set locked_at = locked_at - interval '1 hour' where locked_at is not null");
    node = await start();
  };
  /** Lets the sweep come as often as it takes. */
  const sweepUntil = async (isDone: () => Promise<unknown>) => {
    for (let left = 20; left > 0 && !(await isDone()); left--) {
      await sql.query("update drive_provisions set due_at = now()");
      await strike({ sql }, "workspace.drive.sweep");
      await until(async () => (await sql.query("select 1 from jobs.ordered where dead_at is null")).rowCount === 0);
    }
    expect(await isDone()).to.be.ok;
  };

  it("creates one folder for 20 provisions of one record and 20 folders of one name, on two nodes at once (trap P17)", async () => {
    const other = await start();
    try {
      const id = await newCompany("Twins");
      const body = { entity_type: "company", entity_id: id };
      const nodes = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? node : other));
      const provisions = nodes.map((on) => ask("POST", "/workspace/drive/provision", body, on));
      const folders = nodes.map((on) => ask("POST", "/workspace/drive/folders", { parent_id: root.id, name: "By hand" }, on));
      const statuses = (await Promise.all(provisions)).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 202 && status !== 409)).to.deep.equal([]);
      const made = await Promise.all(folders);
      expect(new Set(made.map(({ status, body: { id } }) => `${status} ${id}`)).size).to.equal(1);
      await until(async () => (await outstanding()) === 0);
      expect([named("Twins").length, named("By hand").length]).to.deep.equal([1, 1]);
      expect(await rootOf(id)).to.equal(named("Twins")[0]?.id);
    } finally {
      await other.stop();
    }
  });

  it("knows the folder of a client that Google made while the node was killed, though it is not listed yet", async () => {
    const id = await newCompany("Killed");
    drive.lags = true;
    await killAt(CREATE, () => ask("POST", "/workspace/drive/provision", { entity_type: "company", entity_id: id }));
    await strike({ sql }, "workspace.drive.sweep");
    expect(named("Killed")).to.have.length(1);
    drive.catchUp();
    await sweepUntil(async () => (await outstanding()) === 0);
    expect([named("Killed").length, await rootOf(id)]).to.deep.equal([1, named("Killed")[0]?.id]);
  });

  it("answers the folder that Google made while the node was killed, once it is listed", async () => {
    const create = () => ask("POST", "/workspace/drive/folders", { parent_id: root.id, name: "Asked again" });
    drive.lags = true;
    await killAt(CREATE, create);
    const waiting = await create();
    expect([waiting.status, waiting.body.error.code]).to.deep.equal([502, "workspace_drive_unavailable"]);
    drive.catchUp();
    const { status, body } = await create();
    expect([status, body.id, named("Asked again").length]).to.deep.equal([201, named("Asked again")[0]?.id, 1]);
  });

  it("copies each item of a template once, wherever the node was killed", async () => {
    const template = drive.folder("Template", { parent: root });
    for (const name of ["a", "b"]) drive.file(name, { parent: template });
    await configure({ drive_template_folder_id: template.id });
    const id = await newCompany("Copied");
    drive.lags = true;
    await killAt(COPY, () => ask("POST", "/workspace/drive/provision", { entity_type: "company", entity_id: id }));
    drive.catchUp();
    drive.lags = true;
    await killAt(
      (request) => COPY(request) && named("a", named("Copied")[0]).length === 1,
      () => strike({ sql }, "workspace.drive.sweep"),
    );
    drive.catchUp();
    await sweepUntil(async () => (await outstanding()) === 0);
    const [folder, ...twins] = named("Copied");
    expect([twins, drive.childrenOf(folder as SimulatedFile).map(({ name }) => name)]).to.deep.equal([[], ["a", "b"]]);
  });

  it("opens another upload session after a lost one, which creates no file", async () => {
    const open = () => ask("POST", "/workspace/drive/upload-session", { folder_id: root.id, name: "offer.pdf" });
    await killAt(UPLOAD, open);
    const { status, body } = await open();
    expect([status, drive.uploads.length, named("offer.pdf").length]).to.deep.equal([200, 2, 0]);
    drive.finish(body.session_uri);
    expect(named("offer.pdf")).to.have.length(1);
  });

  it("has written no address of an upload and no token to a log, at debug level", () => {
    const secrets = [
      ...drive.uploads.map(({ address }) => new URL(address).searchParams.get("upload_id")),
      ...google.state.secrets,
    ];
    const written = started.map((one) => one.output()).join("\n");
    expect(written).to.include("files.upload");
    expect(secrets.filter((secret) => secret !== null && written.includes(secret))).to.deep.equal([]);
  });
});
