import type pg from "pg";
import type { Tenant } from "../../../support/service.ts";

/** Writes what reports of money read, by SQL. */
export class Records {
  readonly #sql: pg.Client;
  readonly #tenant: Tenant;
  #number = 0;

  constructor(sql: pg.Client, tenant: Tenant) {
    this.#sql = sql;
    this.#tenant = tenant;
  }

  async #insert(table: string, values: Record<string, unknown>): Promise<string> {
    const all: Record<string, unknown> = { organisation_id: this.#tenant.organisation.id, ...values };
    const names = Object.keys(all);
    const { rows } = await this.#sql.query(
      `insert into ${table} (id, ${names.join(", ")}) values (gen_random_uuid(), ${names.map((_, index) => `$${index + 1}`).join(", ")})
       returning id`,
      Object.values(all),
    );
    return rows[0].id;
  }

  /** One uninvoiced hour of the owner. */
  entry(values: Record<string, unknown>): Promise<string> {
    return this.#insert("time_entries", {
      user_id: this.#tenant.owner.accountId,
      started_at: "2026-03-02T09:00:00Z",
      ended_at: "2026-03-02T10:00:00Z",
      minutes: 60,
      approved_at: "2026-03-03T09:00:00Z",
      ...values,
    });
  }

  project(name: string, companyId: string | null): Promise<string> {
    return this.#insert("projects", { name, company_id: companyId });
  }

  /** A person's own rate. */
  rate(userId: string, hourly_rate: number): Promise<string> {
    return this.#insert("leave_profiles", { user_id: userId, hourly_rate });
  }

  /** An open invoice of 121.00, numbered. */
  invoice(companyId: string, values: Record<string, unknown> = {}): Promise<string> {
    this.#number += 1;
    const number = values["status"] === "draft" ? {} : { number: `2026-${this.#number}` };
    return this.#insert("invoices", {
      company_id: companyId,
      currency: "EUR",
      locale: "nl",
      status: "open",
      total: 121,
      subtotal: 100,
      ...number,
      ...values,
    });
  }

  quote(companyId: string, values: Record<string, unknown> = {}): Promise<string> {
    return this.#insert("quotes", {
      company_id: companyId,
      currency: "EUR",
      locale: "nl",
      status: "open",
      total: 242,
      ...values,
    });
  }

  claim(entryId: string, invoiceId: string): Promise<unknown> {
    return this.#sql.query("insert into time_entry_claims (organisation_id, time_entry_id, invoice_id) values ($1, $2, $3)", [
      this.#tenant.organisation.id,
      entryId,
      invoiceId,
    ]);
  }
}
