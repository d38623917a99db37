import { randomBytes, randomUUID } from "node:crypto";
import { pdfOf } from "../../../../mixins/documents/printing/pdf.ts";
import { until } from "../../../support/jobs.ts";
import type { TestService } from "../../../support/service.ts";

type Values = Record<string, unknown>;

export const CUSTOMER = {
  name: "Vela Works B.V.",
  trade_name: "Vela Works",
  address_line1: "Kade 1",
  address_line2: null,
  postal_code: "3011 AA",
  city: "Rotterdam",
  country: "NL",
  vat_number: null,
  coc_number: null,
  client_number: null,
  email: "boekhouding@vela.test",
  attn: "Eva de Wit",
};

/** Waits for the browser, whose first start may take longer than a call waits. */
export const printerReady = (): Promise<boolean> =>
  until(
    () =>
      pdfOf("<!doctype html><title>Proof</title>", "proof").then(
        () => true,
        () => false,
      ),
    110_000,
  );

/** Documents written as stored, in any state a test needs. */
export class MailedDocuments {
  readonly #service: Pick<TestService, "sql">;
  readonly #organisation: string;
  readonly #company: string;
  #last = 0;

  constructor(service: Pick<TestService, "sql">, organisation: string, company: string) {
    this.#service = service;
    this.#organisation = organisation;
    this.#company = company;
  }

  async #add(table: "invoices" | "quotes", owner: "invoice_id" | "quote_id", values: Values): Promise<string> {
    const id = randomUUID();
    const row: Values = {
      id,
      organisation_id: this.#organisation,
      company_id: this.#company,
      number: `2026-${String(++this.#last).padStart(4, "0")}`,
      currency: "EUR",
      locale: "nl",
      status: "open",
      issue_date: "2026-05-18",
      public_token: values["status"] === "draft" ? null : randomBytes(32).toString("base64url"),
      customer: JSON.stringify(CUSTOMER),
      subtotal: "100.00",
      tax_total: "21.00",
      total: "121.00",
      tax_groups: JSON.stringify([{ name: "21%", rate_pct: "21.00", category: "standard", base: "100.00", tax: "21.00" }]),
      ...values,
    };
    const names = Object.keys(row);
    const slots = names.map((_, index) => `$${index + 1}`);
    const { sql } = this.#service;
    await sql.query(`insert into ${table} (${names.join()}) values (${slots.join()})`, Object.values(row));
    await sql.query(
      `insert into document_lines (id, organisation_id, ${owner}, position, description, unit_price, amount, tax_rate_pct, tax_category, tax_name)
       values ($1, $2, $3, 0, 'Ontwerp', 100, 100, 21, 'standard', '21%')`,
      [randomUUID(), this.#organisation, id],
    );
    return id;
  }

  /** An open invoice of 121.00, due on 1 June 2026. */
  invoice = (values: Values = {}): Promise<string> => this.#add("invoices", "invoice_id", { due_date: "2026-06-01", ...values });

  /** An open quote of 121.00. */
  quote = (values: Values = {}): Promise<string> => this.#add("quotes", "quote_id", { valid_until: "2026-06-17", ...values });

  /** Reminders on, by this schedule. */
  async reminders(days = [7, 14, 30], values: Values = {}): Promise<void> {
    const row: Values = {
      organisation_id: this.#organisation,
      company_details: { name: "Noord" },
      reminders_enabled: true,
      reminder_days: days,
      ...values,
    };
    const names = Object.keys(row);
    await this.#service.sql.query(
      `insert into invoicing_settings (${names.join()}) values (${names.map((_, index) => `$${index + 1}`).join()})
       on conflict (organisation_id) do update set reminders_enabled = excluded.reminders_enabled, reminder_days = excluded.reminder_days`,
      Object.values(row),
    );
  }

  /** An account at a payment provider, so that invoices can be paid online. */
  async account(active = true): Promise<void> {
    await this.#service.sql.query(
      `insert into payment_accounts (id, organisation_id, provider, label, api_key, webhook_secret, mode, active)
       values ($1, $2, 'mollie', $3, 'v1.00000000.proof', 'v1.00000000.proof', 'test', $4)`,
      [randomUUID(), this.#organisation, `label ${randomUUID()}`, active],
    );
  }

  async row(id: string, table: "invoices" | "quotes" = "invoices"): Promise<Values> {
    return (await this.#service.sql.query(`select * from ${table} where id = $1`, [id])).rows[0];
  }

  /** Lines of the trail of a document, oldest first: action and payload. */
  async trail(id: string): Promise<[string, Values][]> {
    const { rows } = await this.#service.sql.query(
      "select action, payload from activity where entity_id = $1 order by created_at, id",
      [id],
    );
    return rows.map(({ action, payload }) => [action, payload]);
  }
}
