import { AsyncLocalStorage } from "node:async_hooks";
import type { Cause, Organisation, Principal } from "../declare/principal.ts";
import type { Bound, Row } from "../sql/statement.ts";
import type { Walk } from "./walk.ts";

/** A kind of store for bytes. */
export type Backend = "disk" | "s3";

/** The location of one content; its key includes the organisation, so that no other organisation can reach it. */
export interface ContentLocation {
  organisationId: string;
  /** Id of the content. */
  id: string;
  backend: Backend;
}

/** Bytes in the store without a row yet. All its fields are measured here, never taken from a caller. */
export interface StagedUpload extends ContentLocation {
  /** Bytes. */
  size: number;
  /** In hexadecimal. */
  sha256: string;
}

/** Parameters as the gateway passes them to an action: still text, which the action's own schema parses. */
export interface HttpParams {
  $http: {
    /** The path of the route, which an `Idempotency-Key` belongs to; only sent with one. */
    path?: string;
    /** Text; a list of texts for a query parameter that can be repeated. */
    parameters: Record<string, string | string[]>;
    body: unknown;
    /** Why the body could not be parsed; rejected only after the permission and licence checks. */
    unreadable?: { code: string; message: string; fields: Record<string, string> };
    /** The `Idempotency-Key` of a write, with the SHA-256 of the raw body, because parsing changes the body. */
    idempotency?: { key: string; bodyHash: string };
    ifMatch?: string;
    /** Value of the cookie that the action names. */
    cookie?: string;
    /** `Last-Event-ID`: the last event that the reader of a stream received. */
    lastEventId?: string;
    /** `Origin`: the web page that sent the request. */
    pageOrigin?: string;
    /** The caller's last write, as a position in PostgreSQL's log, which a replica has to have reached; null for none. */
    readsAfter?: string | null;
  };
}

/** An action's response to the gateway, ready to be written to the socket. */
export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | null;
  /** Bytes instead of a body: their location (`once`: removed after sending), or the bytes themselves. */
  file?: { place: ContentLocation; once: boolean } | { base64: string };
  /** Events instead of a body: the open stream, and the node that writes it. */
  stream?: StreamPlace;
}

/** The address of an open stream. */
export interface StreamPlace {
  id: string;
  node: string;
}

/** The one transaction of a request, as other layers see it (core/database/connection/transaction.ts). */
export interface OpenTransaction {
  /** The connection with the transaction open. */
  readonly connection: Promise<unknown>;
  /** Sends statements and returns the rows of each. */
  send(bound: readonly Bound[]): Promise<Row[][]>;
  /** Queues a write, which is sent in order with the next read or the commit. */
  enqueue(bound: Bound): void;
  /**
   * Registers work to run before the commit, with an item for it: it runs once, with the items of the whole transaction. An error it throws
   * rejects the request.
   */
  beforeCommit<T>(work: (things: T[]) => Promise<void>, thing: T): void;
  /** The same for work that follows all of that, with the items that it registered, too. */
  lastBeforeCommit<T>(work: (things: T[]) => Promise<void>, thing: T): void;
  /** Marks the registered work; the returned function drops what was registered since, for writes that were undone. */
  mark(): () => void;
  /** Runs the work registered for the commit, while the transaction still belongs to the request. */
  settle(): Promise<void>;
  /** Registers work to run on this node after the commit; the same function runs once. */
  afterCommit(work: () => void): void;
  /** Commits, after a last round of statements whose rows it returns. */
  commit(last?: readonly Bound[]): Promise<Row[][]>;
  /** Rolls back; never throws. */
  rollback(): Promise<void>;
}

/** The result of a `prepare` that acted outside the service, and what it set on its request; the next run reuses both. */
export interface ActOutcome {
  prepared: unknown;
  ifMatchCompared: boolean;
  headers: Record<string, string | string[]>;
}

/** A request's actions outside the service, over all its runs. */
export interface OutsideActs {
  /** Whether the action declares `acts`; null for the service's own work, which has no action. */
  declared: boolean | null;
  /** True once the first call that changes something outside is about to leave. */
  begun: boolean;
  /** True once the outcome is stored and waits for the transaction that records it. */
  stored?: boolean;
  /** Why such a call was blocked; the request fails with this error even if its code catches it. */
  refused?: unknown;
  /** Set once a `prepare` that acted has ended. */
  outcome?: ActOutcome;
}

/** One request on one node: the context that the database layer needs without callers passing it. */
export interface RequestStore {
  action: string;
  mode: "read" | "write";
  organisation: Organisation;
  principal: Principal | null;
  requestId: string;
  /** True once a statement confirmed that the principal is current. */
  verified: boolean;
  /** False without a principal, so no revision is compared. */
  guarded: boolean;
  /** The revision that its transaction read when it opened; null before, and for a request that compares one. */
  boundRevision: string | null;
  transaction: OpenTransaction | null;
  statements: number;
  /** 1 for the first run; a request that lost a race runs again from the start. */
  attempt: number;
  /** True once its transaction was lost because a table had changed under its prepared statements. */
  outdated: boolean;
  /** True in the run after such a loss: its connections discard their prepared statements. */
  freshPlans: boolean;
  /** True once a transaction of this request, or of one inside it, has committed: it cannot run again. */
  committed: boolean;
  /** True once such a commit was sent: only the response shows whether it succeeded. */
  mayBeKept: boolean;
  /** Its actions outside the service. */
  outside: OutsideActs;
  /**
   * The id of its work outside the service: the same in every run, and on every node that takes over the `Idempotency-Key`. Absent for an
   * action that declares no `acts`.
   */
  workId?: string | undefined;
  /**
   * True if an earlier request with the same `Idempotency-Key` ended without a response and stored no outcome of its outside work. It may
   * have acted, so what already exists at the provider may be its work.
   */
  mayHaveActed?: boolean | undefined;
  /** The automation rule behind it, if any. */
  cause?: Cause | undefined;
  /** The request this one runs inside, on this node. */
  within?: RequestStore | undefined;
  /** Constraints whose violation only means that a guess was wrong: the request then runs again without guessing. */
  retryableConstraints: Set<string>;
  /** Tags of `If-Match`, and whether a row was compared with them. */
  ifMatch: string | null;
  ifMatchCompared: boolean;
  /** Value of the cookie that the action names. */
  cookie?: string | undefined;
  /** The last event the reader of a stream says it received. */
  lastEventId?: string | undefined;
  /** The origin of the web page that sent the request; absent for other programs. */
  pageOrigin?: string | undefined;
  /** True for a call that the gateway received, false for one of another actor or a job. */
  isDirect: boolean;
  /** Headers that an action adds to its response, for instance a cookie. */
  headers: Record<string, string | string[]>;
  /** Uploads staged for this request, and for each one kept, the id of the stored content (its own, or an identical file's). */
  stagedUploads: StagedUpload[];
  kept: Map<string, string>;
  /** The result of the action's `prepare`. */
  prepared?: unknown;
  /**
   * True for an import: its transaction can stay open for minutes. What it locks for the whole organisation it locks at its end, in work
   * registered with `beforeCommit`.
   */
  runsLong?: boolean | undefined;
  /** Set while a replica may answer its reads: the position that the replica has to have reached, and the one that answered before. */
  replica?: { after: string | null; chosen?: object } | undefined;
  /** The walk that it belongs to, if its action returns pages of stored rows. */
  walk?: Walk | undefined;
}

/** What differs between requests as they begin. */
export type Beginning = Pick<RequestStore, "action" | "mode" | "organisation" | "principal" | "requestId"> &
  Partial<
    Pick<
      RequestStore,
      | "cause"
      | "guarded"
      | "outside"
      | "ifMatch"
      | "cookie"
      | "lastEventId"
      | "pageOrigin"
      | "isDirect"
      | "stagedUploads"
      | "replica"
    >
  >;

/**
 * The store of a request that begins. By default it compares no revision, declares nothing about acts outside the service, and has no header
 * and no upload.
 */
export const requestStore = (begins: Beginning): RequestStore => ({
  action: begins.action,
  mode: begins.mode,
  organisation: begins.organisation,
  principal: begins.principal,
  requestId: begins.requestId,
  cause: begins.cause,
  verified: false,
  guarded: begins.guarded ?? false,
  boundRevision: null,
  transaction: null,
  statements: 0,
  attempt: 1,
  outdated: false,
  freshPlans: false,
  committed: false,
  mayBeKept: false,
  outside: begins.outside ?? { declared: null, begun: false },
  retryableConstraints: new Set(),
  ifMatch: begins.ifMatch ?? null,
  ifMatchCompared: false,
  cookie: begins.cookie,
  lastEventId: begins.lastEventId,
  pageOrigin: begins.pageOrigin,
  isDirect: begins.isDirect ?? false,
  headers: {},
  stagedUploads: begins.stagedUploads ?? [],
  replica: begins.replica,
  kept: new Map(),
});

const storage = new AsyncLocalStorage<RequestStore>();

/** The result of the current action's `prepare`. */
export const prepared = <T>(): T => request().prepared as T;

/** Runs `work` as the request described by `store`. */
export function runRequest<T>(store: RequestStore, work: () => T): T {
  store.within = storage.getStore();
  return storage.run(store, work);
}

/** Runs `work` within a request that is already running. */
export const asRequest = <T>(store: RequestStore, work: () => T): T => storage.run(store, work);

/** Runs `work` outside the current request: for work it only triggers, such as a job. */
export const outsideOfRequests = <T>(work: () => T): T => storage.exit(work);

/** Records that the commit of a transaction of this request is about to be sent. */
export function noteCommitting(store: RequestStore): void {
  for (let one: RequestStore | undefined = store; one; one = one.within) one.mayBeKept = true;
}

/** Records that a transaction of this request has committed. */
export function noteCommit(store: RequestStore): void {
  for (let one: RequestStore | undefined = store; one; one = one.within) one.committed = true;
}

/** The current request, or undefined outside one. */
export const currentRequest = (): RequestStore | undefined => storage.getStore();

/**
 * The current request.
 * @throws Error outside a request: tenant data is accessible only inside one
 */
export function request(): RequestStore {
  const store = storage.getStore();
  if (!store) throw new Error("tenant data was accessed outside of a request");
  return store;
}
