import { AsyncLocalStorage } from "node:async_hooks";
import type { Bound, Row } from "../database/statement.ts";
import type { LicenceState } from "../declare/licence.ts";
import type { Place, StagedUpload } from "../files/storage.ts";

/** The organisation a request resolved to from its host name. */
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
  /** Whether it takes sign-ins of its identity provider alone (access §9.1). */
  enforcesSso: boolean;
  /** The access revision everything cached about this organisation's principals was read at. */
  revision: string;
}

/** Whose session it really is, while a member looks into a client's login (access §11.3). */
export interface Impersonation {
  /** Account and name of the member behind it. */
  accountId: string;
  name: string;
  /** When it ends at the latest, ISO. */
  expiresAt: string;
  /** Whether the member sees less, or may do less, than the client would. */
  isNarrowed: boolean;
  /** The client and the member, each with the sources of a selection of its own: in the principal's theirs meet. */
  sides: readonly { membershipId: string; selection: string[] | null }[];
}

/** Who a request runs as (conventions §1). */
export interface Principal {
  kind: "user" | "service_account" | "operator" | "system";
  /** Account id of a person; null for a service account, for an operator with service access (access §10) and for the system. */
  accountId: string | null;
  serviceAccountId: string | null;
  membershipId: string | null;
  /** Live display name, snapshotted into the trail at write time. */
  name: string | null;
  /** How it signed in: the session's or key's id, and the protected resource that a token of OAuth was recorded for. */
  credential: { kind: "session" | "key" | "none"; id: string; resource?: string };
  /** Effective grants in stored form; `*` for an owner's session. */
  grants: string[];
  /** Sources of a restricted selection: ids of groups and contacts. Null is unrestricted, empty sees no client. */
  selection: string[] | null;
  isClientLogin: boolean;
  isSuperuser: boolean;
  /** Absent where the principal is who signed in. */
  impersonation?: Impersonation;
  licence: LicenceState;
}

/** The rule of automation that has something done. */
export interface Cause {
  rule: string;
  /** How many rules in a row led to it: what a person or a job does has depth 0, what a rule of that has done 1. */
  depth: number;
}

/** What travels with every call between actors. */
export interface Meta {
  /** Absent where no rule of automation is behind it. */
  cause?: Cause | undefined;
  /**
   * Names the call of a job that is to be done once, however often it is made: a repeated one gets the outcome of the first, as with an
   * `Idempotency-Key`, for 24 hours. It counts for the called action alone, not for what that calls.
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
  /** A request behind this call has acted outside of the service, so that its principal is no longer compared. */
  acted?: true | undefined;
}

/** Parameters as the gateway hands them to an action: still text, to be read by the action's own schema. */
export interface HttpParams {
  $http: {
    path: string;
    /** As text; a list of texts for a query parameter that may be repeated. */
    parameters: Record<string, string | string[]>;
    body: unknown;
    /** Why the body could not be read; refused only after permission and licence. */
    unreadable?: { code: string; message: string; fields: Record<string, string> };
    /** The `Idempotency-Key` of a POST, with the SHA-256 of the body as sent: reading the body changes it. */
    idempotency?: { key: string; bodyHash: string };
    ifMatch?: string;
    /** Value of the cookie that the action names. */
    cookie?: string;
    /** `Last-Event-ID`: how far the reader of a stream got before. */
    lastEventId?: string;
    /** `Origin`: the page in a browser that the request comes from. */
    pageOrigin?: string;
  };
}

/** What an action answers the gateway with: ready to be written to the socket. */
export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | null;
  /** Bytes instead of a body: where the gateway finds them (`once`: removed when sent), or themselves. */
  file?: { place: Place; once: boolean } | { base64: string };
  /** Events instead of a body: the open stream the gateway asks for them, and the node it is on. */
  stream?: StreamPlace;
}

/** Where a stream is being written. */
export interface StreamPlace {
  id: string;
  node: string;
}

/** The one transaction of a request, as the rest of the house sees it (core/database/connection/transaction.ts). */
export interface OpenTransaction {
  /** The connection with the transaction open. */
  readonly connection: Promise<unknown>;
  /** Sends statements and gives the rows of each. */
  send(bound: readonly Bound[]): Promise<Row[][]>;
  /** Leaves a write to be sent with the next read or with the commit, in order. */
  enqueue(bound: Bound): void;
  /**
   * Names work for the moment before the commit, with a thing it is about: it is called once, with the things of the whole transaction, and
   * what it throws refuses the request.
   */
  beforeCommit<T>(work: (things: T[]) => Promise<void>, thing: T): void;
  /** Notes how much waits for the commit; what it gives forgets the rest, for writes that were undone. */
  mark(): () => void;
  /** Does what waits for the commit, while the transaction is still the request's. */
  settle(): Promise<void>;
  /** Names work for the moment after the commit, on this node; the same work once. */
  afterCommit(work: () => void): void;
  /** Makes everything permanent, after one last round of statements whose rows it gives. */
  commit(last?: readonly Bound[]): Promise<Row[][]>;
  /** Undoes everything; never throws. */
  rollback(): Promise<void>;
}

/** What a `prepare` gave that acted outside of the service, and what it noted in its request: the run that follows has the same. */
export interface KeptAct {
  prepared: unknown;
  ifMatchCompared: boolean;
  headers: Record<string, string | string[]>;
}

/** What one request does outside of the service, over all its runs. */
export interface OutsideActs {
  /** Whether the action declares `acts`; null where there is no action: in the service's own work. */
  declared: boolean | null;
  /** True from the moment the first call leaves that changes something outside. */
  begun: boolean;
  /** True once what was done is stored and waits for the transaction that records it. */
  stored?: boolean;
  /** Why such a call did not leave; the request ends with it, whatever its code makes of the failure. */
  refused?: unknown;
  /** Absent until a `prepare` that acted has ended. */
  kept?: KeptAct;
}

/** One request on one node: what the database layer needs to know without being told by every caller. */
export interface RequestStore {
  action: string;
  mode: "read" | "write";
  organisation: Organisation;
  principal: Principal | null;
  requestId: string;
  /** True once a statement proved that the principal is current. */
  verified: boolean;
  /** False where no principal is involved, so that no revision is compared. */
  guarded: boolean;
  transaction: OpenTransaction | null;
  statements: number;
  /** 1 for the first run; a request that lost a race runs again from the start. */
  attempt: number;
  /** True once its transaction was lost because a table had changed under its prepared statements. */
  outdated: boolean;
  /** True in the run that follows one which was lost so: its connections have prepared nothing yet. */
  anew: boolean;
  /** True once something it did is permanent, in a transaction of its own or of a request inside it: it cannot run again. */
  committed: boolean;
  /** True from the moment such a commit was sent: whether it came through is only known from its answer. */
  mayBeKept: boolean;
  /** What it does outside of the service. */
  outside: OutsideActs;
  /**
   * The id of what it does outside of the service: the same in every run, and for every node that takes over the `Idempotency-Key`.
   * Absent for an action that declares no `acts`.
   */
  workId?: string | undefined;
  /**
   * True where another request held the `Idempotency-Key` before and ended without an answer, and nothing is stored of what it did outside:
   * it may have acted. What the provider says is there already can be what that request made.
   */
  mayHaveActed?: boolean | undefined;
  /** The rule of automation behind it, if there is one. */
  cause?: Cause | undefined;
  /** The request this one runs inside of, on this node. */
  within?: RequestStore | undefined;
  /** Constraints whose violation only says that a guess was wrong: the request then runs again, and carefully. */
  retryableConstraints: Set<string>;
  /** Tags of `If-Match`, and whether a row was compared with them. */
  ifMatch: string | null;
  ifMatchCompared: boolean;
  /** Value of the cookie that the action names. */
  cookie?: string | undefined;
  /** How far the reader of a stream got before, as it says. */
  lastEventId?: string | undefined;
  /** The origin of the page in a browser that the request comes from; absent for other programs. */
  pageOrigin?: string | undefined;
  /** Headers an action adds to its answer, for instance a cookie. */
  headers: Record<string, string | string[]>;
  /** Bytes put into the store for this request, and by the ids of those it needs the content they became: themselves, or a twin. */
  stagedUploads: StagedUpload[];
  kept: Map<string, string>;
  /** What the action's `prepare` gave. */
  prepared?: unknown;
}

const storage = new AsyncLocalStorage<RequestStore>();

/** What the running action's `prepare` gave. */
export const prepared = <T>(): T => request().prepared as T;

/** Runs `work` as the request described by `store`. */
export function runRequest<T>(store: RequestStore, work: () => T): T {
  store.within = storage.getStore();
  return storage.run(store, work);
}

/** Runs `work` as a request that is running already, further in. */
export const asRequest = <T>(store: RequestStore, work: () => T): T => storage.run(store, work);

/** Runs `work` outside of the running request: for what that only sets off, such as a job. */
export const outsideOfRequests = <T>(work: () => T): T => storage.exit(work);

/** Notes that the commit of a transaction of this request leaves. */
export function noteCommitting(store: RequestStore): void {
  for (let one: RequestStore | undefined = store; one; one = one.within) one.mayBeKept = true;
}

/** Notes that a transaction of this request has committed. */
export function noteCommit(store: RequestStore): void {
  for (let one: RequestStore | undefined = store; one; one = one.within) one.committed = true;
}

/** The running request, or undefined outside of one. */
export const currentRequest = (): RequestStore | undefined => storage.getStore();

/**
 * The running request.
 * @throws Error outside of a request: tenant data has no other way in
 */
export function request(): RequestStore {
  const store = storage.getStore();
  if (!store) throw new Error("tenant data was asked for outside of a request");
  return store;
}
