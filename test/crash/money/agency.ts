import { randomUUID } from "node:crypto";
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { addMonths } from "../../../core/calendar/calendar.ts";
import { MollieSimulator } from "../../simulators/payment.ts";
import type { Answer } from "../../support/http.ts";
import { freePort } from "../../support/ports.ts";
import { makeTenant, type Tenant } from "../../support/service.ts";
import { KilledService, TIMEOUT } from "../service.ts";

export const VICTIMS = ["service", "postgres", "provider"] as const;
export type Victim = (typeof VICTIMS)[number];

/** Each has a limit of calls a minute at the provider, which a thousand invoices would meet. */
const ACCOUNTS = 20;
export const today = (): string => new Intl.DateTimeFormat("sv", { timeZone: "Europe/Amsterdam" }).format();

/** The requests to the agency before anything is killed. */
export interface Size {
  /** Hours that wait to be billed. */
  hours: number;
  /** Agreements of which so many periods are due. */
  agreements: number;
  periods: number;
}

/** An agency with the service, PostgreSQL and the payment provider it works with, any of which may be killed. */
export class Agency extends KilledService {
  readonly provider = new MollieSimulator();
  company = "";
  hours: string[] = [];
  accounts: { id: string; webhook_url: string }[] = [];
  /** Callback addresses of another organisation's account. */
  foreign = "";
  #providerPort = 0;

  async open({ hours, agreements, periods }: Size): Promise<void> {
    this.#providerPort = await freePort();
    await this.provider.start(this.#providerPort);
    await this.begin({ SERVICE_PAYMENT_API_ROOT: this.provider.root });
    await this.database.asOwner(async (sql) => {
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

  /** `kill -9` of the service or PostgreSQL; of the provider an end of all connections, and some silence. */
  async kill(victim: Victim): Promise<void> {
    if (victim !== "provider") return victim === "postgres" ? this.database.kill() : this.killService();
    await this.provider.stop();
    await delay(Math.random() * 1_000);
    await this.provider.start(this.#providerPort);
  }

  /** Also a silent provider: it is called often, and one that is down is paused for half a minute. */
  protected override isOfCrash(answer: Answer): boolean {
    return super.isOfCrash(answer) || (answer.status === 502 && /^payment_provider_/.test(answer.body?.error?.code));
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

  override async close(): Promise<void> {
    await super.close();
    await this.provider.stop().catch(() => {});
  }
}

/** Sends a form as a provider does, from an address of its own. */
function post(port: number, path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Host: "callbacks.example" };
    const request = http.request({ port, host: "127.0.0.1", path, method: "POST", headers, agent: false });
    request.on("response", (response) => resolve(response.resume().statusCode ?? 0));
    request.on("error", reject).end(body);
  });
}
