import pg from "pg";
import { WebhookReceiver } from "../../simulators/webhook-receiver.ts";
import { filledAtOnce } from "../../support/fixture/fixture-filled.ts";
import { until } from "../../support/jobs.ts";
import { startNats } from "../../support/nodes/nats.ts";
import { nodeSettings } from "../../support/nodes/nodes.ts";
import { type RunningProxy, readiness, startProxy, visit } from "../../support/nodes/proxy.ts";
import { freePort } from "../../support/ports.ts";
import type { Spawned } from "../../support/process.ts";
import { CrashDatabase } from "../database.ts";
import type { Place } from "./clients.ts";
import type { Release } from "./release.ts";

const SLUG = "agency";
const OWNER = "owner@agency.test";
/** The address from which the proxy calls the gateways. */
const PROXY = "127.0.0.1";
const HOOK = "/tasks";

/** Longest wait for a node that has started, in milliseconds. */
const LONGEST = 600_000;

const isReady = (port: number) => until(async () => (await readiness({ host: "127.0.0.1", port })) === 200, LONGEST);

/** A node of an installation, which one version after another runs. */
interface Node {
  name: string;
  /** Patterns of its actors. */
  words: readonly string[];
  /** Of its gateway, or of its probes. */
  port: number;
  settings: Record<string, string>;
  process?: Spawned;
  /** What its former processes logged. */
  logged: string;
}

/** Two gateways and two workers over one PostgreSQL and one NATS, behind a proxy, which an older release has filled. */
export class Installation {
  readonly database = new CrashDatabase();
  readonly webhooks = new WebhookReceiver();
  nodes: Node[] = [];
  place!: Place;
  #settings: Record<string, string> = {};
  #nats: Spawned | undefined;
  #proxy: RunningProxy | undefined;

  /** Settings of the command line and of migrations. */
  get ownerSettings(): Record<string, string> {
    return { ...this.#settings, SERVICE_DATABASE_MIGRATION_URL: this.database.server.url("owner") };
  }

  /**
   * Fills a new database with an organisation of the release, and starts its nodes.
   * @param rows clients, tasks, hours, invoices and others, of each this many
   */
  async open(release: Release, rows: number): Promise<void> {
    await this.database.open({ migrated: false });
    await this.webhooks.start();
    this.#nats = await startNats();
    this.#settings = {
      ...nodeSettings({ application: this.database.server.url("application") }, this.#nats),
      SERVICE_DATA_DIR: `${this.database.dataDir}/service`,
      SERVICE_TRUSTED_PROXIES: PROXY,
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
      SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "warn",
      SERVICE_DEMO: "false",
    };
    const { migrate, roleOf } = await release.load("migrations/run.ts");
    await migrate(this.database.server.url("owner"), roleOf(this.database.server.url("application")));
    const key = await this.#organisation(release);
    await this.#fill(release, rows);
    this.nodes = await Promise.all(
      ["gateway-1", "gateway-2", "worker-1", "worker-2"].map(async (name): Promise<Node> => {
        const port = await freePort();
        const isGateway = name.startsWith("gateway");
        const settings: Record<string, string> = isGateway
          ? { SERVICE_HTTP_PORT: String(port), SERVICE_SHUTDOWN_DELAY_MS: "3000" }
          : { SERVICE_HEALTH_PORT: String(port), SERVICE_HEALTH_ADDRESS: "127.0.0.1" };
        return { name, port, words: [isGateway ? "api" : "!api"], settings: { ...settings, SERVICE_NODE_ID: name }, logged: "" };
      }),
    );
    // An older release refuses settings that it does not know, as ours may.
    await Promise.all(this.nodes.map((node) => this.#start(node, release, {})));
    const gateways = this.nodes.filter(({ words }) => words[0] === "api");
    for (const { port } of gateways) await isReady(port);
    this.#proxy = await startProxy(
      gateways.map(({ port }) => ({ host: "127.0.0.1", port })),
      PROXY,
    );
    this.place = { host: `${SLUG}.kantoor.test`, key, port: this.#proxy.port };
    await this.#receive();
  }

  /** Makes an organisation with its owner by the functions of the release. @returns the owner's key */
  async #organisation(release: Release): Promise<string> {
    const { createOrganisation, createMember, createKey } = await release.load("operator/organisations.ts");
    const { systemRoles } = await release.load("core/declare/permissions.ts");
    const scopes = systemRoles().find(({ key }: { key: string }) => key === "admin").grants;
    return this.database.asOwner(async (sql) => {
      const { id } = await createOrganisation(sql, { slug: SLUG, name: "An agency" });
      const { accountId } = await createMember(sql, id, { email: OWNER, fullName: "Owner", role: "owner" });
      return (await createKey(sql, id, "kt", { name: "a key", scopes, accountId })).value;
    });
  }

  async #fill(release: Release, rows: number): Promise<void> {
    const { FILL } = await release.load("bench/growth-fill.ts");
    const client = new pg.Client({ connectionString: this.database.server.url("superuser") });
    await client.connect();
    const { rows: ids } = await client.query("select organisation_id, account_id from memberships");
    await filledAtOnce(client, async () => {
      for (const text of FILL) await client.query(text, [ids[0].organisation_id, rows, ids[0].account_id]);
    });
    await client.query("vacuum analyze");
    await client.end();
  }

  /** A webhook that gets each new task. */
  async #receive(): Promise<void> {
    const { host, key, port } = this.place;
    const hook = { name: "New tasks", url: this.webhooks.url(HOOK), events: ["task.created"] };
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    const visited = { method: "POST", headers, body: JSON.stringify(hook) };
    const { status, body } = await visit({ port }, host, "/api/v1/webhooks/endpoints", visited);
    if (status !== 201) throw new Error(`the webhook was refused: ${status} ${JSON.stringify(body)}`);
    this.webhooks.trust(HOOK, body.secret);
  }

  async #start(node: Node, release: Release, settings: Record<string, string>): Promise<void> {
    node.process = await release.start({ ...this.#settings, ...node.settings, ...settings }, node.words);
  }

  /** Stops a node and starts it as another version, as an operator does, and waits until it is ready. */
  async replace(node: Node, release: Release, settings: Record<string, string> = {}): Promise<void> {
    const status = await node.process?.stop();
    node.logged += node.process?.output() ?? "";
    if (status !== 0) throw new Error(`${node.name} ended with ${status}: ${node.logged.slice(-2000)}`);
    await this.#start(node, release, settings);
    await isReady(node.port);
  }

  /** The events that the webhook got, by the task; each has one id, however often it came. */
  received(): Map<string, Set<string>> {
    const byTask = new Map<string, Set<string>>();
    for (const { id, data } of this.webhooks.at(HOOK)) {
      const task = String(data.entity_id);
      byTask.set(task, (byTask.get(task) ?? new Set()).add(id));
    }
    return byTask;
  }

  /** What the nodes logged so far, by their name. */
  get logs(): Record<string, string> {
    return Object.fromEntries(this.nodes.map(({ name, logged, process }) => [name, logged + (process?.output() ?? "")]));
  }

  async close(): Promise<void> {
    await this.#proxy?.stop();
    await Promise.all(this.nodes.map((node) => node.process?.stop()));
    await this.#nats?.stop();
    await this.webhooks.stop().catch(() => {});
    await this.database.close();
  }
}
