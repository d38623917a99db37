import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  type PaymentAccess,
  PaymentFailure,
  type PaymentProvider,
  type PaymentStatus,
  type ProviderPayment,
} from "../../integrations/payment/provider.ts";

/** A payment at the made-up provider: whole cents, its own terms, and times in seconds. */
interface Charge {
  charge: string;
  cents: number;
  iso: string;
  state: "created" | "processing" | "captured" | "declined";
  at: number | null;
}

const STATES: Record<Charge["state"], PaymentStatus> = {
  created: "open",
  processing: "pending",
  captured: "paid",
  declined: "failed",
};

/**
 * A provider that differs from Mollie, in one file: live keys `cp_…`, amounts in minor units, its own ids, signed JSON callbacks. It stores
 * its payments in memory, so a test needs no server.
 */
export class CentsPay implements PaymentProvider {
  readonly key = "centspay";
  readonly charges = new Map<string, Charge>();
  isDown = false;

  modeOf = (apiKey: string) => (/^cp_\w{8,}$/.test(apiKey) ? ("live" as const) : null);

  async verify({ apiKey }: PaymentAccess): Promise<string[]> {
    if (apiKey.includes("wrong")) throw new PaymentFailure("rejected", "no such key");
    return ["card"];
  }

  async create(_access: PaymentAccess, { amount, currency }: { amount: string; currency: string }): Promise<ProviderPayment> {
    const charge = `ch-${randomBytes(4).toString("hex")}`;
    const cents = Math.round(Number(amount) * 100);
    this.charges.set(charge, { charge, cents, iso: currency.toLowerCase(), state: "created", at: null });
    return this.#read(charge);
  }

  async fetch(_access: PaymentAccess, id: string): Promise<ProviderPayment | null> {
    if (this.isDown) throw new PaymentFailure("unreachable", "down");
    return this.charges.has(id) ? this.#read(id) : null;
  }

  isSigned({ headers, body }: { headers: Readonly<Record<string, string>>; body: Buffer }, apiKey: string): boolean {
    const wanted = this.signature(body, apiKey);
    const given = Buffer.from(headers["x-centspay-signature"] ?? "", "hex");
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  idsIn({ body }: { body: Buffer }): string[] {
    const ids: unknown = JSON.parse(body.toString());
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string" && /^ch-\w+$/.test(id)) : [];
  }

  /** Signs a callback. */
  signature = (body: Buffer, apiKey: string): Buffer => createHmac("sha256", apiKey).update(body).digest();

  /** Captures a payment. */
  capture(id: string, cents?: number): void {
    const charge = this.charges.get(id) as Charge;
    this.charges.set(id, {
      ...charge,
      state: "captured",
      cents: cents ?? charge.cents,
      at: Date.UTC(2026, 2, 31, 22, 40) / 1000,
    });
  }

  #read(id: string): ProviderPayment {
    const { charge, cents, iso, state, at } = this.charges.get(id) as Charge;
    return {
      id: charge,
      status: STATES[state],
      mode: "live",
      amount: { value: (cents / 100).toFixed(2), currency: iso.toUpperCase() },
      method: "card",
      checkoutUrl: state === "created" ? `https://centspay.example/${charge}` : null,
      paidAt: at === null ? null : new Date(at * 1000).toISOString(),
      failure: null,
      extract: { state },
    };
  }
}
