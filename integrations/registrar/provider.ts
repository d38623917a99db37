import type { ProviderFailure } from "../../core/outbound/provider/provider.ts";

/** An account of an organisation at a registrar, for one call. */
export interface RegistrarAccess {
  /** Id of the account here: limits and circuit are per account. */
  account: string;
  user: string;
  password: string;
}

/** A domain name in the two parts registrars take, in ASCII and lower case. */
export interface SplitName {
  sld: string;
  /** `nl`, or `co.uk`. */
  tld: string;
}

/** A domain as a registrar tells of it. What it does not tell is null, never false (assets §5.10). */
export interface Registration {
  /** As the registrar writes it. */
  name: string;
  /** `YYYY-MM-DD`. */
  expiresOn: string | null;
  transferLock: boolean | null;
  autorenew: boolean | null;
  /** The registrar's word. */
  status: string | null;
  /** What the registrar calls its set of name servers, where it has such sets. */
  nameserverGroup: string | null;
  /** Host names, in any order. */
  nameservers: readonly string[] | null;
  /** What the registrar calls its contacts, by role. */
  contacts: Readonly<Record<string, string>> | null;
}

/** What is told of one domain when it is asked for. */
export interface RegistrationDetail extends Registration {
  dnssec: boolean | null;
  /** Company, else person. */
  registrant: string | null;
}

/** What came of handing a domain to other name servers. */
export interface Delegation {
  /** False where the registrar had it so already. */
  changed: boolean;
  nameserverGroup: string | null;
}

/**
 * A registrar. Every method throws RegistrarFailure when there is no usable answer, and asks nothing twice that may change something.
 * An adapter is the default export of a file `*.adapter.ts` below this folder.
 */
export interface RegistrarProvider {
  /** Its name in the API. */
  readonly key: string;
  /** Asks whether the credential works: what may be spent, as decimal text with two decimals in the account's currency, and what is sold. */
  verify(access: RegistrarAccess): Promise<{ funds: string | null; tlds: readonly string[] }>;
  /** The whole register of the account; one that may be cut short is a failure. A fixed number of calls, whatever the number of domains. */
  list(access: RegistrarAccess): Promise<readonly Registration[]>;
  /** One domain as it is now; null where the account does not hold it. */
  find(access: RegistrarAccess, name: SplitName): Promise<RegistrationDetail | null>;
  /**
   * Hands one domain to these name servers, and touches no other. What was there already is used, so that the same call after a lost answer
   * makes nothing twice. Two calls for one account never run at once. Null where the account does not hold the domain.
   */
  delegate(access: RegistrarAccess, name: SplitName, hosts: readonly string[]): Promise<Delegation | null>;
}

/**
 * Why there is no usable answer: the credential was refused; what stands there is not ours to change; something else was refused; or nothing
 * came.
 */
export type RegistrarFailureKind = "rejected" | "conflict" | "failed" | "unreachable";

/** A registrar that did not do what it was asked. The message is redacted and may be kept: at most 500 characters. */
export class RegistrarFailure extends Error {
  override name = "RegistrarFailure";
  readonly kind: RegistrarFailureKind;
  /** Seconds to wait before the next call, null when the registrar named none. */
  readonly retryAfter: number | null;

  constructor(
    kind: RegistrarFailureKind,
    message: string,
    { retryAfter = null, cause }: { retryAfter?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.retryAfter = retryAfter;
  }

  /** The failure behind a call without a usable answer. */
  static of(failure: ProviderFailure): RegistrarFailure {
    const { kind, text, retryAfter, wasReached } = failure;
    const answered = wasReached || kind === "limited" || kind === "too_large" || kind === "garbage";
    return new RegistrarFailure(answered ? "failed" : "unreachable", text, { retryAfter, cause: failure });
  }
}
