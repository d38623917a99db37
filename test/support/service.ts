import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ServiceSchema } from "moleculer";
import pg from "pg";
import { storedGrants } from "../../core/declare/permissions.ts";
import type { Organisation } from "../../core/declare/principal.ts";
import { PASSWORD_COST } from "../../core/security/crypto.ts";
import type { ServiceNode } from "../../operator/node.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { startNode } from "./cluster/start.ts";
import { topology } from "./cluster/topology.ts";
import { cloneDatabase, type TestDatabase } from "./database.ts";
import { type Answer, type Call, send } from "./http.ts";
import { holdSchedules, holdTimesOfDay, until } from "./jobs.ts";
import { compareAnswers, forgetAnswers } from "./run/answered.ts";
import { observeStored } from "./run/observed.ts";
import { endShared, isShared, noteSharing, noteUse, type Sharing, shared } from "./run/shared.ts";

/** A person with an API key: ids, and methods to call as that person. */
export interface Caller {
  key: string;
  keyId: string;
  accountId: string;
  membershipId: string;
  email: string;
  get(path: string, call?: Call): Promise<Answer>;
  post(path: string, body?: unknown, call?: Call): Promise<Answer>;
  put(path: string, body?: unknown, call?: Call): Promise<Answer>;
  patch(path: string, body?: unknown, call?: Call): Promise<Answer>;
  delete(path: string, call?: Call): Promise<Answer>;
}

/** An organisation with its owner. */
export interface Tenant {
  organisation: Organisation;
  host: string;
  owner: Caller;
  /** Adds a member with a system role, or with exactly the given grants, and returns a key with all the member's permissions. */
  member(
    role: "owner" | "admin" | "member" | "client",
    options?: { grants?: string[]; name?: string; password?: string },
  ): Promise<Caller>;
  /** Creates a service account with a key of exactly these scopes. */
  serviceAccount(scopes: string[]): Promise<Caller>;
  /** Creates a company as the owner and returns its body. */
  company(values?: Record<string, unknown>): Promise<{ id: string; name: string; [field: string]: unknown }>;
  /** Creates a company group with companies and members. */
  group(name: string, companyIds: string[], membershipIds: string[]): Promise<string>;
}

export interface TestService {
  node: ServiceNode;
  port: number;
  database: TestDatabase;
  /** Connection as the role that owns the tables, which sees every organisation. */
  sql: pg.Client;
  tenant(slug?: string): Promise<Tenant>;
  call(method: string, path: string, call?: Call): Promise<Answer>;
  stop(): Promise<void>;
}

/** What a password costs in operation, and in a test. */
const REAL_COST = { ...PASSWORD_COST };
const TEST_COST = { memoryCost: 8, timeCost: 1 };

const everyGrant = [...storedGrants()];
/** Modules that count as built for test actors, so that these exercise every gate of the kernel. */
const STAND_INS = ["beacon", "domains", "invoicing", "subscriptions", "uptime", "websites"];
let counter = 0;

/**
 * The service and database shared by the files of this process; separate organisations isolate them. It keeps running after a file's
 * `stop`. A file must undo any change outside its organisations (settings, licences, jobs of the installation, the clock), or start its own
 * service.
 * @param sharing "clock" for files that set the clock; no schedule runs then, because a jump would run those of whole years
 */
export async function sharedService(sharing: Exclude<Sharing, "world"> = "plain"): Promise<TestService> {
  const service = await shared(sharing, async () => {
    const started = await start({}, []);
    if (sharing === "clock") await holdSchedules(started, "%");
    return started;
  });
  noteSharing((await service.sql.query("select clock_timestamp() as now")).rows[0].now);
  return { ...service, stop: () => requireWhole(service) };
}

/** @throws Error in the file that left the shared service unusable for the next one */
async function requireWhole(service: TestService): Promise<void> {
  if (!isShared(service)) return;
  const ready = () => service.call("GET", "/health/ready");
  // A gateway gives its workers half a second to answer, which a busy machine may not have.
  if (topology() === "cluster") await until(async () => (await ready()).status === 200, 30_000).catch(() => {});
  const { status, text } = await ready();
  if (status !== 200)
    throw new Error(`this file needs a service of its own: it leaves the shared one behind with ${status} ${text}`);
}

/**
 * Starts the service in this process on a new database. A process has one service at a time, so the shared one stops.
 * @param environment settings that differ from the tests' defaults
 * @param extra actors in addition to the service's own
 */
export async function startService(
  environment: Record<string, string> = {},
  extra: readonly ServiceSchema[] = [],
): Promise<TestService> {
  noteUse("own");
  await endShared();
  return start(environment, extra);
}

async function start(environment: Record<string, string>, extra: readonly ServiceSchema[]): Promise<TestService> {
  Object.assign(PASSWORD_COST, TEST_COST);
  const database = await cloneDatabase();
  const dataDir = mkdtempSync(path.join(tmpdir(), "kantoor-"));
  const settings: Record<string, string> = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_DATABASE_URL: database.application,
    SERVICE_DATABASE_MIGRATION_URL: database.owner,
    SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
    SERVICE_HTTP_PORT: "0",
    SERVICE_HTTP_ADDRESS: "127.0.0.1",
    SERVICE_PUBLIC_SCHEME: "http",
    SERVICE_BASE_DOMAIN: "kantoor.test",
    // Polling costs each service a few percent of a core. Notifications start jobs at once, and tests that wait send one (jobs.ts).
    SERVICE_JOBS_POLL_MS: "10000",
    // Timeouts must not fail tests on a busy machine, except in tests about them.
    SERVICE_REQUEST_TIMEOUT_MS: "120000",
    SERVICE_PDF_TIMEOUT_MS: "120000",
    SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "silent",
    SERVICE_ACCOUNTING_JOURNAL_FOLDER: path.join(dataDir, "journal"),
    SERVICE_COUNT_STATEMENTS: "true",
    // Nothing listens there: tests call only simulated providers.
    SERVICE_PAYMENT_API_ROOT: "http://127.0.0.1:9/v2",
    SERVICE_EDGE_API_URL: "http://127.0.0.1:9/client/v4",
    SERVICE_ACCOUNT_SYNC_HOURS: "0",
    // Without this a new installation is in its trial and no licence is checked.
    SERVICE_LICENSING: "required",
    SERVICE_REGISTRAR_API_URL: "http://127.0.0.1:9",
    SERVICE_WORKSPACE_OAUTH_API_URL: "http://127.0.0.1:9",
    SERVICE_WORKSPACE_CALENDAR_API_URL: "http://127.0.0.1:9/calendar/v3",
    SERVICE_WORKSPACE_DRIVE_API_URL: "http://127.0.0.1:9/drive/v3",
    SERVICE_WORKSPACE_UPLOAD_API_URL: "http://127.0.0.1:9/upload/drive/v3",
    SERVICE_WORKSPACE_GMAIL_API_URL: "http://127.0.0.1:9/gmail/v1",
    SERVICE_WORKSPACE_ANALYTICS_ADMIN_API_URL: "http://127.0.0.1:9/analyticsadmin/v1beta",
    SERVICE_WORKSPACE_ANALYTICS_DATA_API_URL: "http://127.0.0.1:9/analyticsdata/v1beta",
    SERVICE_WORKSPACE_SEARCH_CONSOLE_API_URL: "http://127.0.0.1:9/webmasters/v3",
    SERVICE_ADS_API_URL: "http://127.0.0.1:9",
    SERVICE_SERANKING_API_URL: "http://127.0.0.1:9/seranking/v1",
    SERVICE_AI_ANTHROPIC_API_URL: "http://127.0.0.1:9",
    SERVICE_AI_OPENAI_API_URL: "http://127.0.0.1:9/v1",
    // Tests query only simulated name servers too.
    SERVICE_OUTBOUND_NAME_SERVERS: "127.0.0.1:9",
    SERVICE_RATE_LIMIT_PER_KEY: "0",
    SERVICE_RATE_LIMIT_SIGN_IN: "0",
    SERVICE_RATE_LIMIT_ACCOUNT: "0",
    SERVICE_RATE_LIMIT_CLIENT_REGISTRATION: "0",
    ...environment,
  };
  const sql = new pg.Client({ connectionString: database.owner });
  await sql.connect();
  await holdTimesOfDay(sql);
  const { node, port, end } = await startNode(settings, extra, extra.length > 0 ? STAND_INS : []);
  compareAnswers(port, node.broker, new Set(extra.map(({ name }) => name)));
  return {
    node,
    port,
    database,
    sql,
    tenant: (slug) => makeTenant(sql, () => port, slug ?? `org${++counter}-${process.pid}`),
    call: (method, path, call) => send(port, method, path, call),
    async stop() {
      forgetAnswers(port);
      Object.assign(PASSWORD_COST, REAL_COST);
      await end();
      await observeStored(sql);
      await sql.end();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function callerOf(
  port: () => number,
  host: string,
  key: string,
  ids: Omit<Caller, "key" | "get" | "post" | "put" | "patch" | "delete">,
): Caller {
  const as = (method: string) => (path: string, body?: unknown, call?: Call) =>
    send(port(), method, path, { key, host, body, ...call });
  return {
    ...ids,
    key,
    get: (path, call) => as("GET")(path, undefined, call),
    post: as("POST"),
    put: as("PUT"),
    patch: as("PATCH"),
    delete: (path, call) => as("DELETE")(path, undefined, call),
  };
}

/** Creates an organisation with its owner. @param port returns the node's port for each call */
export async function makeTenant(sql: pg.Client, port: () => number, slug: string): Promise<Tenant> {
  const organisation = await createOrganisation(sql, { slug, name: `Organisation ${slug}` });
  const host = `${slug}.kantoor.test`;
  const member: Tenant["member"] = async (role, { grants, name, password } = {}) => {
    const email = `${role}${++counter}@${slug}.test`;
    const ids = await createMember(sql, organisation.id, {
      email,
      fullName: name ?? `${role} ${counter}`,
      role,
      password: password ?? null,
    });
    if (grants) {
      const made = await sql.query("insert into roles (organisation_id, key, permissions) values ($1, $2, $3) returning id", [
        organisation.id,
        `custom-${counter}`,
        grants,
      ]);
      await sql.query("delete from membership_roles where organisation_id = $1 and membership_id = $2", [
        organisation.id,
        ids.membershipId,
      ]);
      await sql.query("insert into membership_roles values ($1, $2, $3)", [organisation.id, ids.membershipId, made.rows[0].id]);
    }
    const key = await createKey(sql, organisation.id, "kt", { name: email, scopes: everyGrant, accountId: ids.accountId });
    return callerOf(port, host, key.value, { ...ids, email, keyId: key.id });
  };
  const owner = await member("owner");
  return {
    organisation,
    host,
    owner,
    member,
    async serviceAccount(scopes) {
      const name = `service ${++counter}`;
      const made = await sql.query("insert into service_accounts (organisation_id, name) values ($1, $2) returning id", [
        organisation.id,
        name,
      ]);
      const key = await createKey(sql, organisation.id, "kt", { name, scopes, serviceAccountId: made.rows[0].id });
      return callerOf(port, host, key.value, { keyId: key.id, accountId: made.rows[0].id, membershipId: "", email: name });
    },
    async company(values = {}) {
      const answer = await owner.post("/companies", { name: `Company ${++counter}`, ...values });
      if (answer.status !== 201) throw new Error(`company not created: ${answer.text}`);
      return answer.body;
    },
    async group(name, companyIds, membershipIds) {
      const { body } = await owner.post("/companies/groups", { name });
      await owner.put(`/companies/groups/${body.id}/companies`, { company_ids: companyIds });
      await owner.put(`/companies/groups/${body.id}/memberships`, { membership_ids: membershipIds });
      return body.id;
    },
  };
}
