import { randomUUID } from "node:crypto";
import type { Answer } from "../../../support/http.ts";
import type { Caller, Tenant, TestService } from "../../../support/service.ts";

/** A document as it is answered. */
export type DocumentBody = Answer["body"];

/** The answer of a call that has to succeed. @throws Error with what came instead */
export async function ok(answer: Promise<Answer> | Answer): Promise<Answer["body"]> {
  const { status, text, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}

/** The content of a refusal: status, message, and its fields. */
export const refused = ({ status, body }: Answer): unknown[] => [
  status,
  body?.error?.message,
  ...(body?.error?.fields ? [body.error.fields] : []),
];
/** A refusal by a business rule of invoicing. */
export const rule = (message: string, status = 409): unknown[] => [status, `errors.invoicing.${message}`];
/** How many answers had each status. */
export const statuses = (answers: Answer[]): Record<number, number> =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, group]) => [status, group.length]));

/** The documents of one organisation, as tests write them. */
export class Invoicing {
  readonly service: Pick<TestService, "sql">;
  readonly tenant: Tenant;
  readonly rates: Record<string, string>;
  readonly company: string;

  private constructor(service: Pick<TestService, "sql">, tenant: Tenant, company: string, rates: Record<string, string>) {
    this.service = service;
    this.tenant = tenant;
    this.company = company;
    this.rates = rates;
  }

  /** An organisation with a client and the rates 21, 9, exempt and reverse charge; without a default rate. */
  static async open(service: Pick<TestService, "sql">, tenant: Tenant): Promise<Invoicing> {
    const { id } = await tenant.company({ name: "Aster" });
    const rates: Record<string, string> = {};
    for (const [key, rate, category] of [
      ["21", 21, "standard"],
      ["9", 9, "reduced"],
      ["exempt", 0, "exempt"],
      ["reverse", 21, "reverse_charge"],
    ] as const) {
      rates[key] = randomUUID();
      await service.sql.query(
        "insert into tax_rates (id, organisation_id, label_i18n, rate, category) values ($1, $2, $3, $4, $5)",
        [rates[key], tenant.organisation.id, JSON.stringify({ en: `${key} en`, nl: `${key} nl` }), rate, category],
      );
    }
    return new Invoicing(service, tenant, id, rates);
  }

  get owner(): Caller {
    return this.tenant.owner;
  }

  /** A line at a rate of this organisation. */
  line = (quantity: number | string, unit_price: number | string, rate = "21", more: object = {}) => ({
    description: `Line of ${unit_price}`,
    quantity,
    unit_price,
    tax_rate_id: this.rates[rate],
    ...more,
  });

  /** The lines of the first worked example: 854.90 / 173.54 / 1028.44. */
  mixed = () => [this.line("7.5", "84.00"), this.line(1, "249.95"), this.line(1, "-75.00"), this.line(3, "16.65", "9")];

  draft = (lines: object[] = this.mixed(), more: object = {}): Promise<DocumentBody> =>
    ok(this.owner.post("/invoicing/invoices", { company_id: this.company, lines, ...more }));

  issue = (id: string, dates: object = {}): Promise<DocumentBody> =>
    ok(this.owner.post(`/invoicing/invoices/${id}/issue`, dates));

  async issued(lines?: object[], more?: object): Promise<DocumentBody> {
    return this.issue((await this.draft(lines, more)).id);
  }

  read = (id: string, caller = this.owner): Promise<DocumentBody> => ok(caller.get(`/invoicing/invoices/${id}`));

  pay = (id: string, amount: string | number, more: object = {}): Promise<DocumentBody> =>
    ok(this.owner.post(`/invoicing/invoices/${id}/payments`, { paid_on: "2026-06-01", amount, ...more }));

  credit = (id: string): Promise<DocumentBody> => ok(this.owner.post(`/invoicing/invoices/${id}/credit`));

  /** Actions and payloads of a record's trail, oldest first. */
  async trail(id: string, type = "invoice"): Promise<[string, Record<string, unknown>][]> {
    const { rows } = await this.service.sql.query(
      "select action, payload from activity where entity_type = $1 and entity_id = $2 order by created_at, id",
      [type, id],
    );
    return rows.map(({ action, payload }) => [action, payload]);
  }

  /** Names of the events about a record, oldest first. */
  async events(id: string): Promise<string[]> {
    const { rows } = await this.service.sql.query("select event from outbox where entity_id = $1 order by created_at, id", [id]);
    return rows.map(({ event }) => event);
  }

  /** An approved, billable hour of the owner for the client, 60 minutes on 4 May 2026 unless said otherwise. */
  async hour(values: object = {}): Promise<string> {
    const row: Record<string, unknown> = {
      id: randomUUID(),
      organisation_id: this.tenant.organisation.id,
      user_id: this.owner.accountId,
      company_id: this.company,
      started_at: "2026-05-04T09:00:00Z",
      ended_at: "2026-05-04T10:00:00Z",
      minutes: 60,
      approved_at: "2026-05-05T09:00:00Z",
      ...values,
    };
    const names = Object.keys(row);
    await this.service.sql.query(
      `insert into time_entries (${names.join()}) values (${names.map((_, index) => `$${index + 1}`).join()})`,
      Object.values(row),
    );
    return row["id"] as string;
  }

  /** Which hours are stamped as invoiced. */
  async stamped(ids: string[]): Promise<boolean[]> {
    const { rows } = await this.service.sql.query("select id, invoiced_at from time_entries where id = any($1)", [ids]);
    const stamps = new Map(rows.map(({ id, invoiced_at }) => [id, invoiced_at !== null]));
    return ids.map((id) => stamps.get(id) ?? false);
  }
}
