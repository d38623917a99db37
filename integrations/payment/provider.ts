import type { ProviderFailure } from "../../core/outbound/provider/provider.ts";

/** Test payments move no money. */
export type PaymentMode = "test" | "live";
export type PaymentStatus = "open" | "pending" | "authorized" | "paid" | "failed" | "expired" | "canceled";

/** The credentials of an organisation's account at a provider, for one call. */
export interface PaymentAccess {
  /** The account's id in Kantoor: limits and circuit breaker are per account. */
  account: string;
  apiKey: string;
}

/** A payment to create, with the return and callback addresses. */
export interface PaymentOrder {
  /** Id of the attempt: repeated orders with the same id are one payment at the provider. */
  id: string;
  /** Decimal text in units of the currency, with its number of decimals: `"12.50"` for EUR, `"1210"` for JPY. */
  amount: string;
  /** ISO 4217. */
  currency: string;
  /** Shown to the payer. At most 255 characters. */
  description: string;
  /** The payer's language in the format of documents: `nl`, `en`, `nl-BE`. */
  locale: string;
  returnUrl: string;
  callbackUrl: string;
  /** Kantoor's ids that the provider stores with the payment. */
  metadata: Readonly<Record<string, string>>;
}

/** A payment as its provider reports it. */
export interface ProviderPayment {
  /** The provider's id. */
  id: string;
  /** An unknown status counts as `pending`. */
  status: PaymentStatus;
  /** Null if not reported. */
  mode: PaymentMode | null;
  /** The amount, paid or due; decimal text in units of the currency. Null if missing or unreadable. */
  amount: { value: string; currency: string } | null;
  method: string | null;
  /** The checkout address while payment is due. */
  checkoutUrl: string | null;
  /** ISO instant of the payment. */
  paidAt: string | null;
  /** The reason of a failure, redacted. */
  failure: string | null;
  /** Further fields that may be stored: never the payer's name or account. */
  extract: Readonly<Record<string, unknown>>;
}

/** A provider's notification that something changed. */
export interface PaymentCallback {
  /** By lower-case name, without Kantoor's credentials. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** A payment provider. Every method except the pure ones throws PaymentFailure without a usable response. */
export interface PaymentProvider {
  /** Its name in the API and in callback addresses. */
  readonly key: string;
  /** A key's mode by its form; null for an invalid key of this provider. Pure. */
  modeOf(apiKey: string): PaymentMode | null;
  /** Verifies a key and returns its payment methods. */
  verify(access: PaymentAccess): Promise<string[]>;
  create(access: PaymentAccess, order: PaymentOrder): Promise<ProviderPayment>;
  /** The current state of a payment; null if the provider does not know the id. */
  fetch(access: PaymentAccess, id: string): Promise<ProviderPayment | null>;
  /** Whether a callback has the provider's valid signature; absent for providers that do not sign. Pure. */
  isSigned?(callback: PaymentCallback, apiKey: string): boolean;
  /** The payment ids in a callback; empty if unreadable. Nothing else in it is trusted. Pure. */
  idsIn(callback: PaymentCallback): string[];
}

/** Why there is no usable response: refused key, another refusal, or no response. */
export type PaymentFailureKind = "rejected" | "failed" | "unreachable";

interface Parts {
  isUnknown?: boolean;
  isUnsent?: boolean;
  retryAfter?: number | null;
  cause?: unknown;
}

/** A failed call to a payment provider. The message is redacted and may be stored: at most 500 characters. */
export class PaymentFailure extends Error {
  override name = "PaymentFailure";
  readonly kind: PaymentFailureKind;
  /** The provider may have carried it out anyway; repeating the same order finds out. */
  readonly isUnknown: boolean;
  /** Kantoor's own limits prevented the call: too many at once or per minute, or too many failures. */
  readonly isUnsent: boolean;
  /** Seconds to wait before the next call; null if the provider named none. */
  readonly retryAfter: number | null;

  constructor(
    kind: PaymentFailureKind,
    message: string,
    { isUnknown = false, isUnsent = false, retryAfter = null, cause }: Parts = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.isUnknown = isUnknown;
    this.isUnsent = isUnsent;
    this.retryAfter = retryAfter;
  }

  /** The failure for a call without a usable response. */
  static of(failure: ProviderFailure): PaymentFailure {
    const { kind, text, retryAfter, wasReached } = failure;
    const answered = wasReached || kind === "limited" || kind === "too_large" || kind === "garbage";
    // These were never sent, or were rejected before processing.
    const isUnknown = !["open", "busy", "refused", "limited"].includes(kind);
    const isUnsent = kind === "open" || kind === "busy" || (kind === "limited" && !wasReached);
    return new PaymentFailure(answered ? "failed" : "unreachable", text, { isUnknown, isUnsent, retryAfter, cause: failure });
  }
}
