import { randomBytes, randomUUID } from "node:crypto";
import type { Customer } from "../../../services/money/calculation/bill-to.ts";
import { MollieSimulator } from "../../simulators/payment.ts";
import { holdSchedules } from "../../support/jobs.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";

/** The client as issued invoices have it, frozen. */
const CUSTOMER: Customer = {
  name: "Zeilmakerij Oost B.V.",
  trade_name: "Zeilmakerij Oost",
  address_line1: "Dijk 12",
  address_line2: null,
  postal_code: "3011 AA",
  city: "Rotterdam",
  country: "NL",
  vat_number: null,
  coc_number: null,
  client_number: null,
  email: null,
  attn: null,
};

/** An account as a manager of the settings gets it. */
export interface Account {
  id: string;
  webhook_url: string;
  [field: string]: unknown;
}

let counter = 0;

/** A key of the simulated provider that no other test has. */
export const newKey = (mode: "test" | "live" = "live"): string => `${mode}_${randomBytes(12).toString("hex")}`;

/** The service with a simulated payment provider. */
export interface PaymentWorld {
  service: TestService;
  provider: MollieSimulator;
  /** Adds an account by the API. */
  account(tenant: Tenant, values?: Record<string, unknown>): Promise<Account>;
  /** Writes an invoice of a client by SQL, by default open and of 121.00; returns its id. */
  invoice(tenant: Tenant, values?: Record<string, unknown>): Promise<string>;
  /** Has an attempt made and gives its body with the provider's id. */
  attempt(
    caller: Caller,
    invoiceId: string,
    body?: object,
  ): Promise<{ id: string; external_id: string; [field: string]: unknown }>;
  /** The stored rows. */
  storedAttempt(id: string): Promise<Record<string, unknown>>;
  storedInvoice(id: string): Promise<Record<string, unknown>>;
  payments(invoiceId: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

export async function startPayments(environment: Record<string, string> = {}): Promise<PaymentWorld> {
  const provider = new MollieSimulator();
  await provider.start();
  const service = await startService({ SERVICE_PAYMENT_API_ROOT: provider.root, ...environment });
  // At any hour during a test: providers are called again only when a test says so.
  await holdSchedules(service, "invoicing.payments");
  const { sql } = service;
  const stored = async (table: string, id: string) => (await sql.query(`select * from ${table} where id = $1`, [id])).rows[0];
  return {
    service,
    provider,
    async account(tenant, values = {}) {
      const answer = await tenant.owner.post("/invoicing/payment-accounts", {
        label: `Account ${++counter}`,
        api_key: newKey(),
        ...values,
      });
      if (answer.status !== 201) throw new Error(`no account: ${answer.status} ${answer.text}`);
      return answer.body;
    },
    async invoice(tenant, values = {}) {
      const row: Record<string, unknown> = {
        id: randomUUID(),
        organisation_id: tenant.organisation.id,
        number: `2026-${String(++counter).padStart(4, "0")}`,
        currency: "EUR",
        locale: "nl",
        status: "open",
        total: "121.00",
        public_token: randomBytes(32).toString("base64url"),
        customer: JSON.stringify(CUSTOMER),
        ...values,
      };
      row["company_id"] ??= (await tenant.company()).id;
      const names = Object.keys(row);
      await sql.query(
        `insert into invoices (${names.join(", ")}) values (${names.map((_, at) => `$${at + 1}`).join(", ")})`,
        Object.values(row),
      );
      return row["id"] as string;
    },
    async attempt(caller, invoiceId, body = {}) {
      const answer = await caller.post(`/invoicing/invoices/${invoiceId}/payment-intents`, body);
      if (answer.status !== 200) throw new Error(`no attempt: ${answer.status} ${answer.text}`);
      return { ...answer.body, external_id: (await stored("payment_intents", answer.body.id)).external_id };
    },
    storedAttempt: (id) => stored("payment_intents", id),
    storedInvoice: (id) => stored("invoices", id),
    payments: async (invoiceId) =>
      (
        await sql.query(
          "select *, paid_on::text as paid_day from invoice_payments where invoice_id = $1 order by created_at, id",
          [invoiceId],
        )
      ).rows,
    async stop() {
      await service.stop();
      await provider.stop();
    },
  };
}
