import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { SimulatedPayment } from "../../simulators/payment.ts";
import { until } from "../../support/jobs.ts";
import { audit, type Books, counted } from "../../support/money/audit.ts";
import { askAgain } from "../../support/money/payment-job.ts";
import { killing, rest } from "../database.ts";
import { Agency, today, VICTIMS, type Victim } from "./agency.ts";

export interface MoneyPlan {
  /** Each issued, credited in part, paid by hand and online. */
  invoices: number;
  /** Agreements, and the periods of each that the cycle bills. */
  agreements: number;
  periods: number;
  kills: Record<Victim, number>;
}

/** The state of the books afterwards. */
export interface MoneyCounts extends Books {
  plan: MoneyPlan;
  /** Sums that do not add up, lost or doubled work, and impossible answers. */
  differences: string[];
  /** Calls and callbacks that were made again, and callbacks in all. */
  repeated: number;
  callbacks: number;
  seconds: number;
}

const CLIENTS = 8;
/** An invoice of 121.00: 21.00 are paid by hand, 24.20 credited, and the rest is paid online. */
const [BY_HAND, CREDITED, ONLINE] = ["21.00", "24.20", "75.80"];
const CYCLE = "subscriptions.bill";

/** The work of an agency on its invoices, by clients that repeat unanswered requests. */
class Work {
  readonly #agency: Agency;
  readonly #plan: MoneyPlan;
  readonly #late: SimulatedPayment[] = [];
  #next = 0;
  done = 0;
  callbacks = 0;

  constructor(agency: Agency, plan: MoneyPlan) {
    this.#agency = agency;
    this.#plan = plan;
  }

  /** Does all invoices, some at a time. */
  async invoices(): Promise<void> {
    const client = async () => {
      while (this.#next < this.#plan.invoices) {
        const n = this.#next++;
        await this.#invoice(n).catch((error: Error) => this.#agency.unexpected.push(`invoice ${n}: ${error.message}`));
        this.done += 1;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  async #invoice(n: number): Promise<void> {
    const { company, hours, accounts } = this.#agency;
    const hour = hours[n];
    const call = (path: string, step: string, body?: object) =>
      this.#agency.call("POST", `/invoicing/invoices${path}`, body, `${step}-${n}`);
    const claim = hour === undefined ? {} : { line_kind: "hours", time_entry_ids: [hour] };
    const lines = [{ description: "Work", quantity: 1, unit_price: 100, ...claim }];
    // A second draft wants the same hour: one of the two bills it.
    const rivals = hour === undefined ? [] : [call("", "rival", { company_id: company, lines })];
    const [{ id }] = await Promise.all([call("", "draft", { company_id: company, lines }), ...rivals]);
    await call(`/${id}/issue`, "issue", {});
    await call(`/${id}/payments`, "payment", { paid_on: "2026-06-01", amount: BY_HAND });
    const note = await call(`/${id}/credit`, "credit");
    const part = [{ description: "Given back", quantity: 1, unit_price: -20 }];
    await this.#agency.call("PATCH", `/invoicing/invoices/${note.id}`, { lines: part });
    await call(`/${note.id}/issue`, "note", {});
    const account_id = accounts[n % accounts.length]?.id;
    // Asked again it gives the same attempt, with or without a key.
    const attempt = await this.#agency.call("POST", `/invoicing/invoices/${id}/payment-intents`, { account_id });
    const payment = [...this.#agency.provider.payments.values()].find(
      ({ order }) => (order["metadata"] as { intent_id: string }).intent_id === attempt.id,
    );
    if (!payment) throw new Error("the provider knows nothing of the attempt");
    await this.#pay(n, payment);
  }

  /** Callbacks before the money, twice, to an account of someone else, under a wrong secret, late, or never. */
  async #pay(n: number, payment: SimulatedPayment): Promise<void> {
    const { provider } = this.#agency;
    if (n % 3 === 0) await this.#called(payment);
    provider.pay(payment.id);
    if (n % 5 === 0) await this.#calledElsewhere(payment);
    if (n % 10 === 1) this.#late.push(payment);
    else if (n % 10 !== 2) await Promise.all([this.#called(payment), this.#called(payment)]);
  }

  async #called({ id, order }: SimulatedPayment): Promise<void> {
    await this.#expect(200, new URL(String(order["webhookUrl"])).pathname, id);
  }

  async #calledElsewhere({ id, order }: SimulatedPayment): Promise<void> {
    await this.#expect(200, this.#agency.foreign, id);
    await this.#expect(404, new URL(String(order["webhookUrl"])).pathname.replace(/.{4}$/, "AAAA"), id);
  }

  async #expect(wanted: number, pathname: string, id: string): Promise<void> {
    this.callbacks += 1;
    const status = await this.#agency.callBack(pathname, id);
    if (status !== wanted) this.#agency.unexpected.push(`the callback of ${id} was answered ${status}, not ${wanted}`);
  }

  /** Callbacks that come when all is done, the last first, and all others once more. */
  async late(): Promise<void> {
    for (const payment of this.#late.reverse()) await this.#called(payment);
    const all = [...this.#agency.provider.payments.values()].filter((_, n) => n % 10 !== 2).reverse();
    for (let from = 0; from < all.length; from += CLIENTS)
      await Promise.all(all.slice(from, from + CLIENTS).map((payment) => this.#called(payment)));
  }

  /** Runs of the cycle, now and then two at once, until no period is due. */
  async cycle(): Promise<void> {
    for (let run = 0; (await this.#due()) > 0; run++) {
      await this.#asOwner((sql) =>
        sql.query(
          `insert into outbox (id, organisation_id, job, payload, request_id)
            select gen_random_uuid(), $1, $2, '{}', 'crash' from generate_series(1, $3)`,
          [this.#agency.tenant.organisation.id, CYCLE, 1 + (run % 2)],
        ),
      );
      await delay(1_000);
    }
  }

  async #due(): Promise<number> {
    const { rows } = await this.#asOwner((sql) =>
      sql.query("select count(*)::int as due from subscriptions where organisation_id = $1 and next_invoice_date <= $2", [
        this.#agency.tenant.organisation.id,
        today(),
      ]),
    );
    return rows[0].due;
  }

  /** Works on the database until it is there to be worked on. */
  async #asOwner<T>(work: (sql: pg.Client) => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await this.#agency.database.asOwner(work);
      } catch {
        await delay(200);
      }
  }
}

/** What of the plan is missing, or there twice. */
function misfits({ invoices, agreements, periods }: MoneyPlan, books: Books, hours: number): string[] {
  const wanted = {
    issued: 2 * invoices + agreements * periods,
    payments: 2 * invoices,
    online: invoices,
    notes: invoices,
    periods: agreements * periods,
    drafts: hours,
    entries: hours,
  };
  return Object.entries(wanted).flatMap(([what, count]) => {
    const found = books[what as keyof Books];
    return found === count ? [] : [`${what}: ${found} instead of ${count}`];
  });
}

const UNPAID = `select i.number, i.status, i.paid_total, i.credited_total,
    (select json_agg(json_build_object('status', p.status, 'external_id', p.external_id, 'settled_at', p.settled_at,
        'synced_at', p.synced_at, 'last_error', p.last_error))
      from payment_intents p where p.organisation_id = i.organisation_id and p.invoice_id = i.id) as attempts
  from invoices i
  where i.organisation_id = $1 and i.kind = 'invoice' and i.status <> 'draft' and i.subscription_id is null
    and (i.status, i.paid_total, i.credited_total) is distinct from ('paid', $2::numeric, $3::numeric)`;
const ATTEMPTS = "select external_id, amount from payment_intents where organisation_id = $1";

/** Accounts at providers that are not called for a while, and attempts that were not asked about for that reason. */
const PAUSED = "select 1 from provider_troubles where greatest(closed_until, paused_until) > now()";
const UNASKED = "select 1 from payment_intents where organisation_id = $1 and last_error like 'not called:%'";
const MOST_HOURS = 10;

/** Advances the clock until every attempt was checked: a killed provider is called again one call at a time, after its pause. */
async function askAboutAll(sql: pg.Client, organisationId: string): Promise<void> {
  for (let hour = 0; hour < MOST_HOURS; hour++) {
    await until(async () => (await sql.query(PAUSED)).rowCount === 0, 600_000);
    await askAgain(sql);
    if ((await sql.query(UNASKED, [organisationId])).rowCount === 0) return;
  }
}

/** Invoices, credits, collects and bills periods while the service, PostgreSQL and the provider are killed, and looks at the books. */
export async function crashMoney(plan: MoneyPlan): Promise<MoneyCounts> {
  const agency = new Agency();
  const began = Date.now();
  const { invoices, agreements, periods } = plan;
  try {
    const hours = Math.ceil(invoices / 4);
    await agency.open({ hours, agreements, periods });
    const work = new Work(agency, plan);
    let isBusy = false;
    const kill = async (victim: Victim) => {
      // One at a time: a service that starts while PostgreSQL recovers is another trial.
      while (isBusy) await delay(20);
      isBusy = true;
      await agency.kill(victim).finally(() => (isBusy = false));
    };
    await Promise.all([
      work.invoices(),
      work.cycle(),
      ...VICTIMS.map((victim) =>
        killing(
          plan.kills[victim],
          invoices,
          () => work.done,
          () => kill(victim),
        ),
      ),
    ]);
    await work.late();
    await rest(agency.database);
    const { id } = agency.tenant.organisation;
    await agency.database.asOwner((sql) => askAboutAll(sql, id));
    const stuck = await rest(agency.database);
    if (stuck !== 0) process.stderr.write(`${agency.said.slice(-4000)}\n`);
    return await agency.database.asOwner(async (sql) => {
      const books = await counted(sql, id);
      const attempts = (await sql.query(ATTEMPTS, [id])).rows;
      const ordered = new Set([...agency.provider.payments.keys()]);
      const unpaid = (await sql.query(UNPAID, [id, "96.80", CREDITED])).rows;
      const differences = [
        ...agency.unexpected,
        ...agency.provider.complaints,
        ...(stuck === 0 ? [] : [`${stuck} jobs or events are left`]),
        ...(await audit(sql, id)),
        ...misfits(plan, books, hours),
        ...unpaid.map((row) => `not paid as it should be: ${JSON.stringify(row)}`),
        ...attempts.filter(({ amount }) => amount !== ONLINE).map((row) => `another amount: ${JSON.stringify(row)}`),
        ...(attempts.length === ordered.size && attempts.every(({ external_id }) => ordered.has(external_id))
          ? []
          : [`${attempts.length} attempts, but ${ordered.size} payments at the provider`]),
      ];
      const seconds = Math.round((Date.now() - began) / 1000);
      return { plan, ...books, differences, repeated: agency.repeated, callbacks: work.callbacks, seconds };
    });
  } finally {
    await agency.close();
  }
}

/** A few lines for people. */
export function booksLine({ plan, differences, issued, payments, online, notes, periods, ...counts }: MoneyCounts): string {
  const kills = VICTIMS.map((victim) => `${victim} ${plan.kills[victim]}`).join(", ");
  return [
    `money    killed: ${kills}; ${issued} issued (${notes} credit notes, ${periods} periods), ${payments} payments (${online} online), ` +
      `${counts.callbacks} callbacks: ${differences.length} differences  (${counts.repeated} calls made again; ${counts.seconds} s)`,
    ...differences.slice(0, 20).map((difference) => `         ${difference}`),
  ].join("\n");
}
