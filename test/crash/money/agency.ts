import { randomUUID } from "node:crypto";
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { addMonths } from "../../../core/calendar/calendar.ts";
import { MollieSimulator } from "../../simulators/payment.ts";
import { recordEvents } from "../../support/answers.ts";
import { type Answer, type Call, send } from "../../support/http.ts";
import { launchService, type Spawned } from "../../support/process.ts";
import { makeTenant, type Tenant } from "../../support/service.ts";
import { CrashDatabase } from "../database.ts";

export const VICTIMS = ["service", "postgres", "provider"] as const;
export type Victim = (typeof VICTIMS)[number];

/** Each has a limit of calls a minute at the provider, which a thousand invoices would meet. */
const ACCOUNTS = 20;
const TIMEOUT = 180_000;
export const today = (): string => new Intl.DateTimeFormat("sv", { timeZone: "Europe/Amsterdam" }).format();

/** What is asked of the agency before anything is killed. */
export interface Size {
  /** Hours that wait to be billed. */
  hours: number;
  /** Agreements of which so many periods are due. */
  agreements: number;
  periods: number;
}

/** An agency with the service, PostgreSQL and the payment provider it works with, any of which may be killed. */
export class Agency {
  readonly database = new CrashDatabase();
  readonly provider = new MollieSimulator();
  /** Answers nobody should get, of calls and of callbacks. */
  readonly unexpected: string[] = [];
  /** Calls that were made again because no answer came. */
  repeated = 0;
  tenant!: Tenant;
  company = "";
  hours: string[] = [];
  accounts: { id: string; webhook_url: string }[] = [];
  /** Callback addresses of another organisation's account. */
  foreign = "";
  #service: Spawned | null = null;
  #environment: Record<string, string> = {};
  #providerPort = 0;

  async open({ hours, agreements, periods }: Size): Promise<void> {
    await this.database.open();
    await this.provider.start();
    this.#providerPort = Number(new URL(this.provider.origin).port);
    const { server } = this.database;
    this.#environment = {
      SERVICE_DATABASE_URL: server.url("application"),
      SERVICE_DATABASE_MIGRATION_URL: server.url("owner"),
      SERVICE_SECRET: "a secret for the crash run that nobody else has, 0123456789",
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_PUBLIC_SCHEME: "http",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "fatal",
      SERVICE_JOBS_POLL_MS: "250",
      SERVICE_PAYMENT_API_ROOT: this.provider.root,
      SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
    };
    await this.#start();
    this.#environment["SERVICE_HTTP_PORT"] = String(this.port);
    await this.database.asOwner(async (sql) => {
      await recordEvents({ sql });
      this.tenant = await makeTenant(sql, () => this.port, "crash");
      const other = await makeTenant(sql, () => this.port, "other");
      await this.#furnish(other);
      this.company = (await this.tenant.company()).id;
      for (let n = 0; n < hours; n++) this.hours.push(randomUUID());
      await sql.query(
        `insert into time_entries (id, organisation_id, user_id, company_id, started_at, ended_at, minutes, approved_at)
          select id, $1, $2, $3, '2026-05-04T09:00:00Z', '2026-05-04T10:00:00Z', 60, '2026-05-05T09:00:00Z' from unnest($4::uuid[]) id`,
        [this.tenant.organisation.id, this.tenant.owner.accountId, this.company, this.hours],
      );
    });
    const first = addMonths(today(), 1 - periods);
    for (let n = 0; n < agreements; n++)
      await this.call("POST", "/subscriptions", {
        name: `Care ${n}`,
        company_id: this.company,
        amount: "90.00",
        start_date: addMonths(first, -1),
        next_invoice_date: first,
        auto_invoice_mode: "issue",
      });
  }

  async #furnish(other: Tenant): Promise<void> {
    const account = (of: Tenant, label: string) => {
      const api_key = `live_${randomUUID().replaceAll("-", "")}`;
      return of.owner.post("/invoicing/payment-accounts", { provider: "mollie", label, api_key });
    };
    for (let n = 0; n < ACCOUNTS; n++) this.accounts.push((await account(this.tenant, `Account ${n}`)).body);
    this.foreign = new URL((await account(other, "Theirs")).body.webhook_url).pathname;
    const settings = { company_details: { name: "Vela Works" } };
    const { status, text } = await this.tenant.owner.put("/invoicing/settings", settings);
    if (status !== 200) throw new Error(`no settings: ${text}`);
  }

  get port(): number {
    return this.#service?.port as number;
  }

  async #start(): Promise<void> {
    this.#service = await launchService(this.#environment);
  }

  /** `kill -9` of the service or PostgreSQL; of the provider an end of all connections, and some silence. */
  async kill(victim: Victim): Promise<void> {
    if (victim === "postgres") return this.database.kill();
    if (victim === "service") {
      await this.#service?.kill();
      return this.#start();
    }
    await this.provider.stop();
    await delay(Math.random() * 1_000);
    await this.provider.start(this.#providerPort);
  }

  /**
   * A call of the owner, made until it is answered, as a client does that may repeat it.
   * @param key its Idempotency-Key, for a call that is not the same done twice
   * @throws Error for an answer that has nothing to do with a crash
   */
  async call(method: string, path: string, body?: unknown, key?: string): Promise<Answer["body"]> {
    const { host, owner } = this.tenant;
    const options: Call = { host, key: owner.key, body, ...(key !== undefined && { headers: { "Idempotency-Key": key } }) };
    for (const deadline = Date.now() + TIMEOUT; ; this.repeated++) {
      const answer = await send(this.port, method, path, options).catch(() => null);
      if (answer && answer.status < 300) return answer.body;
      if (answer && !isOfCrash(answer)) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      if (Date.now() > deadline) throw new Error(`${method} ${path} was never answered: ${answer?.text}`);
      // Asked too often, a provider that is away is left alone for half a minute.
      await delay(answer?.status === 502 ? 500 : 100);
    }
  }

  /** A callback about a payment, repeated until the service has an answer to it, as a provider does. Gives the status. */
  async callBack(pathname: string, id: string): Promise<number> {
    for (const deadline = Date.now() + TIMEOUT; ; this.repeated++) {
      const status = await post(this.port, pathname, new URLSearchParams({ id }).toString()).catch(() => 503);
      if (status !== 503) return status;
      if (Date.now() > deadline) throw new Error("a callback was never answered");
      await delay(100);
    }
  }

  /** What the service said, for a run that went wrong. */
  get said(): string {
    return this.#service?.output() ?? "";
  }

  async close(): Promise<void> {
    await this.#service?.stop();
    await this.provider.stop().catch(() => {});
    await this.database.close();
  }
}

/** Whether an answer only says that something was away just then: 503, a provider that is silent, a twin that a dead node left. */
const isOfCrash = ({ status, body }: Answer): boolean =>
  status === 503 ||
  (status === 502 && /^payment_provider_/.test(body?.error?.code)) ||
  (status === 409 && body?.error?.code === "idempotency_in_progress");

/** Sends a form as a provider does, from an address of its own. */
function post(port: number, path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Host: "callbacks.example" };
    const request = http.request({ port, host: "127.0.0.1", path, method: "POST", headers, agent: false });
    request.on("response", (response) => resolve(response.resume().statusCode ?? 0));
    request.on("error", reject).end(body);
  });
}
