import type { ProviderFailure } from "../../core/outbound/provider/provider.ts";

/** Test payments move no money. */
export type PaymentMode = "test" | "live";
export type PaymentStatus = "open" | "pending" | "authorized" | "paid" | "failed" | "expired" | "canceled";

/** An account of an organisation at a provider, for one call. */
export interface PaymentAccess {
  /** Id of the account here: limits and circuit are per account. */
  account: string;
  apiKey: string;
}

/** What is to be paid, and where the payer and the provider go afterwards. */
export interface PaymentOrder {
  /** Id of the attempt: a repeated order under the same id is one payment at the provider. */
  id: string;
  /** Decimal text in units of the currency, with the decimals it has: `"12.50"` of EUR, `"1210"` of JPY. */
  amount: string;
  /** ISO 4217. */
  currency: string;
  /** Shown to the payer. At most 255 characters. */
  description: string;
  /** Language of the payer as documents have it: `nl`, `en`, `nl-BE`. */
  locale: string;
  returnUrl: string;
  callbackUrl: string;
  /** Ids of ours that the provider keeps with the payment. */
  metadata: Readonly<Record<string, string>>;
}

/** A payment as its provider tells of it. */
export interface ProviderPayment {
  /** The provider's id. */
  id: string;
  /** A status the provider has invented since counts as `pending`. */
  status: PaymentStatus;
  /** Null where the answer does not say. */
  mode: PaymentMode | null;
  /** What is paid or to be paid; decimal text in units of the currency. Null where the answer has none that can be read. */
  amount: { value: string; currency: string } | null;
  method: string | null;
  /** Where the payer pays, as long as there is something to pay. */
  checkoutUrl: string | null;
  /** ISO instant at which it was paid. */
  paidAt: string | null;
  /** Why it failed, redacted. */
  failure: string | null;
  /** What else of the answer may be kept: never who paid, or from which account. */
  extract: Readonly<Record<string, unknown>>;
}

/** A request of a provider that something has changed. */
export interface PaymentCallback {
  /** By lower-case name, without credentials of ours. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** A provider of payments. Every method but the pure ones throws PaymentFailure when there is no usable answer. */
export interface PaymentProvider {
  /** Its name in the API and in callback addresses. */
  readonly key: string;
  /** What a key is good for, by its form; null for what is no key of this provider. Pure. */
  modeOf(apiKey: string): PaymentMode | null;
  /** Asks whether a key works, and gives the methods it can be paid with. */
  verify(access: PaymentAccess): Promise<string[]>;
  create(access: PaymentAccess, order: PaymentOrder): Promise<ProviderPayment>;
  /** A payment as it is now; null when the provider knows none of that id. */
  fetch(access: PaymentAccess, id: string): Promise<ProviderPayment | null>;
  /** Whether a callback bears the provider's signature; a provider without it signs nothing. Pure. */
  isSigned?(callback: PaymentCallback, apiKey: string): boolean;
  /** The ids of payments a callback names, none where it cannot be read. All else in it is no evidence. Pure. */
  idsIn(callback: PaymentCallback): string[];
}

/** Why there is no usable answer: the key was refused, something else was, or nothing came. */
export type PaymentFailureKind = "rejected" | "failed" | "unreachable";

interface Parts {
  isUnknown?: boolean;
  isUnsent?: boolean;
  retryAfter?: number | null;
  cause?: unknown;
}

/** A provider that did not do what it was asked. The message is redacted and may be kept: at most 500 characters. */
export class PaymentFailure extends Error {
  override name = "PaymentFailure";
  readonly kind: PaymentFailureKind;
  /** The provider may have done it all the same: only the same order again tells. */
  readonly isUnknown: boolean;
  /** A limit of this service forbade the call: too many at once or in a minute, or after too many failures. */
  readonly isUnsent: boolean;
  /** Seconds to wait before the next call, null when the provider named none. */
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

  /** The failure behind a call without a usable answer. */
  static of(failure: ProviderFailure): PaymentFailure {
    const { kind, text, retryAfter, wasReached } = failure;
    const answered = wasReached || kind === "limited" || kind === "too_large" || kind === "garbage";
    // These were never sent, or were turned away at the door.
    const isUnknown = !["open", "busy", "refused", "limited"].includes(kind);
    const isUnsent = kind === "open" || kind === "busy" || (kind === "limited" && !wasReached);
    return new PaymentFailure(answered ? "failed" : "unreachable", text, { isUnknown, isUnsent, retryAfter, cause: failure });
  }
}
