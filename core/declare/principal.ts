import type { LicenceState } from "./licence.ts";

/** The organisation of a request, resolved from its host name. */
export interface Organisation {
  id: string;
  slug: string;
  name: string;
  status: "active" | "suspended";
  locale: string;
  timezone: string;
  currency: string;
  country: string;
  enabledModules: string[];
  /** Whether it accepts sign-ins only through its identity provider (access §9.1). */
  enforcesSso: boolean;
  /** The access revision at which everything cached about this organisation's principals was read. */
  revision: string;
}

/** The member behind a session that impersonates a client login (access §11.3). */
export interface Impersonation {
  /** Account and name of that member. */
  accountId: string;
  name: string;
  /** Latest end of the impersonation, ISO. */
  expiresAt: string;
  /** Whether the member sees less, or may do less, than the client login. */
  isNarrowed: boolean;
  /** The client login and the member, each with its own selection; the principal's selection is their intersection. */
  sides: readonly { membershipId: string; selection: string[] | null }[];
}

/** The identity a request runs as (conventions §1). */
export interface Principal {
  kind: "user" | "service_account" | "operator" | "system";
  /** Account id of a person; null for a service account, for an operator with service access (access §10) and for the system. */
  accountId: string | null;
  serviceAccountId: string | null;
  membershipId: string | null;
  /** Current display name; the trail stores a copy with each line. */
  name: string | null;
  /** The credential: the session's or key's id, and the protected resource that an OAuth token was issued for. */
  credential: { kind: "session" | "key" | "none"; id: string; resource?: string };
  /** Effective grants in stored form; `*` for an owner's session. */
  grants: string[];
  /** Sources of a restricted selection: ids of groups and contacts. Null is unrestricted, empty sees no client. */
  selection: string[] | null;
  /** Whether the caller is a client login. Then `selection` is never null: an owner who is attached to a contact counts as staff. */
  isClientLogin: boolean;
  isSuperuser: boolean;
  /** Absent if the principal signed in directly. */
  impersonation?: Impersonation;
  licence: LicenceState;
}

/** The automation rule that causes a change. */
export interface Cause {
  rule: string;
  /** How many rules led to it: 0 for what a person or job does, 1 for what a rule does in response. */
  depth: number;
}

/** The metadata of every call between actors. */
export interface Meta {
  /** Absent if no automation rule is behind the call. */
  cause?: Cause | undefined;
  /**
   * Names a job's call that must happen only once: for 24 hours a repeated call gets the outcome of the first, as with an
   * `Idempotency-Key`. It applies only to the called action, not to calls that action makes.
   */
  once?: string | undefined;
  organisation: Organisation;
  principal: Principal | null;
  requestId: string;
  host: string;
  address: string;
  userAgent: string | null;
  /** Scheme, host and port as the caller sees them. */
  origin: string;
  /** A request behind this call has acted outside the service, so its principal is no longer checked. */
  hasActed?: true | undefined;
}
