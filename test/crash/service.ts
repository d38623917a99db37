import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { recordEvents } from "../support/answers.ts";
import { type Answer, type Call, send } from "../support/http.ts";
import { freePort } from "../support/ports.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { makeTenant, type Tenant } from "../support/service.ts";
import { CrashDatabase } from "./database.ts";

/** Longest that anything is waited for, in milliseconds. */
export const TIMEOUT = 180_000;

/** The service as a process with its own PostgreSQL, either of which may be killed, and a client that repeats unanswered requests. */
export class KilledService {
  readonly database = new CrashDatabase();
  /** What went otherwise than a crash explains. */
  readonly unexpected: string[] = [];
  /** Calls that were made again because no answer came. */
  repeated = 0;
  tenant!: Tenant;
  #service: Spawned | null = null;
  #environment: Record<string, string> = {};

  /**
   * Starts both and creates an organisation.
   * @param settings of the service in addition to those of every run
   * @param furnish adds more to the organisation, over a connection that can add members
   */
  async begin(settings: Record<string, string>, furnish?: () => Promise<void>): Promise<void> {
    await this.database.open();
    const { server } = this.database;
    this.#environment = {
      SERVICE_DATA_DIR: path.join(this.database.dataDir, "service"),
      SERVICE_DATABASE_URL: server.url("application"),
      SERVICE_DATABASE_MIGRATION_URL: server.url("owner"),
      SERVICE_SECRET: "a secret for the crash run that nobody else has, 0123456789",
      // It starts again on the same port: none of those that the system lends to connections meanwhile.
      SERVICE_HTTP_PORT: String(await freePort()),
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_PUBLIC_SCHEME: "http",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "fatal",
      SERVICE_JOBS_POLL_MS: "250",
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
      ...settings,
    };
    await this.#start();
    await this.database.asOwner(async (sql) => {
      await recordEvents({ sql });
      this.tenant = await makeTenant(sql, () => this.port, "crash");
      await furnish?.();
    });
  }

  get port(): number {
    return this.#service?.port as number;
  }

  async #start(): Promise<void> {
    this.#service = await launchService(this.#environment);
  }

  /** `kill -9` of the service, and a start. */
  async killService(): Promise<void> {
    await this.#service?.kill();
    return this.#start();
  }

  /** Whether an answer only says that something was away just then: 503, or a twin that a dead node left. */
  protected isOfCrash({ status, body }: Answer): boolean {
    return status === 503 || (status === 409 && body?.error?.code === "idempotency_in_progress");
  }

  /**
   * A call of the owner, made until it is answered, as a client does that may repeat it.
   * @param key its Idempotency-Key, for a call that is not the same done twice
   * @throws Error for an answer that has nothing to do with a crash
   */
  async call(method: string, target: string, body?: unknown, key?: string): Promise<Answer["body"]> {
    const { host, owner } = this.tenant;
    const options: Call = { host, key: owner.key, body, ...(key !== undefined && { headers: { "Idempotency-Key": key } }) };
    for (const deadline = Date.now() + TIMEOUT; ; this.repeated++) {
      const answer = await send(this.port, method, target, options).catch(() => null);
      if (answer && answer.status < 300) return answer.body;
      if (answer && !this.isOfCrash(answer)) throw new Error(`${method} ${target}: ${answer.status} ${answer.text}`);
      if (Date.now() > deadline) throw new Error(`${method} ${target} was never answered: ${answer?.text}`);
      await delay(answer?.status === 502 ? 500 : 100);
    }
  }

  /** The service's output, for a run that went wrong. */
  get said(): string {
    return this.#service?.output() ?? "";
  }

  async close(): Promise<void> {
    await this.#service?.stop();
    await this.database.close();
  }
}
