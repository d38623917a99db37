import type { ProviderFailure } from "../../core/outbound/provider/provider.ts";

/** The credentials of an organisation's account at a registrar, for one call. */
export interface RegistrarAccess {
  /** The account's id in Kantoor: limits and circuit breaker are per account. */
  account: string;
  user: string;
  password: string;
}

/** A domain name in the two parts registrars accept, in lower-case ASCII. */
export interface SplitName {
  sld: string;
  /** `nl`, or `co.uk`. */
  tld: string;
}

/** A domain as a registrar reports it. Unreported values are null, never false (assets §5.10). */
export interface Registration {
  /** In the registrar's spelling. */
  name: string;
  /** `YYYY-MM-DD`. */
  expiresOn: string | null;
  transferLock: boolean | null;
  autorenew: boolean | null;
  /** The registrar's own term. */
  status: string | null;
  /** The registrar's id of its name server group, if it has groups. */
  nameserverGroup: string | null;
  /** Host names, in any order. */
  nameservers: readonly string[] | null;
  /** The registrar's contact ids, by role. */
  contacts: Readonly<Record<string, string>> | null;
}

/** What the registrar returns for one domain. */
export interface RegistrationDetail extends Registration {
  dnssec: boolean | null;
  /** Company, else person. */
  registrant: string | null;
}

/** The result of delegating a domain to other name servers. */
export interface Delegation {
  /** False if the registrar already had them. */
  changed: boolean;
  nameserverGroup: string | null;
}

/**
 * A registrar. Every method throws RegistrarFailure without a usable response, and never repeats a call that may change something.
 * An adapter is the default export of a file `*.adapter.ts` below this folder.
 */
export interface RegistrarProvider {
  /** Its name in the API. */
  readonly key: string;
  /** Verifies the credential. Returns the funds, as decimal text with two decimals in the account's currency, and the TLDs on sale. */
  verify(access: RegistrarAccess): Promise<{ funds: string | null; tlds: readonly string[] }>;
  /** The account's whole register; a possibly truncated one is a failure. A fixed number of calls, whatever the number of domains. */
  list(access: RegistrarAccess): Promise<readonly Registration[]>;
  /** One domain as it is now; null if the account does not hold it. */
  find(access: RegistrarAccess, name: SplitName): Promise<RegistrationDetail | null>;
  /**
   * Delegates one domain to these name servers and affects no other. It reuses what exists, so repeating the call after a lost response
   * creates nothing twice. Calls for one account never run concurrently. Null if the account does not hold the domain.
   */
  delegate(access: RegistrarAccess, name: SplitName, hosts: readonly string[]): Promise<Delegation | null>;
}

/**
 * Why there is no usable response: refused credential; an existing object that Kantoor must not change; another refusal; or no response.
 */
export type RegistrarFailureKind = "rejected" | "conflict" | "failed" | "unreachable";

/** A failed call to a registrar. The message is redacted and may be stored: at most 500 characters. */
export class RegistrarFailure extends Error {
  override name = "RegistrarFailure";
  readonly kind: RegistrarFailureKind;
  /** Seconds to wait before the next call; null if the registrar named none. */
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

  /** The failure for a call without a usable response. */
  static of(failure: ProviderFailure): RegistrarFailure {
    const { kind, text, retryAfter, wasReached } = failure;
    const answered = wasReached || kind === "limited" || kind === "too_large" || kind === "garbage";
    return new RegistrarFailure(answered ? "failed" : "unreachable", text, { retryAfter, cause: failure });
  }
}
