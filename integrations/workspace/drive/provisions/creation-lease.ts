import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { clearSome } from "../../../../core/clearing/clear.ts";
import { enqueue, queryOne } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { oldRows } from "../../../../core/sql/old-rows.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { GoogleFailure } from "../../../../mixins/google/failure.ts";
import type { Transactions } from "../../../../mixins/google/transactions.ts";

/** Seconds of a lease without renewal; after that, another caller can take over from a node that died. */
const LEASE = 10;
/** Milliseconds between renewals, between attempts to acquire a lease, and of the longest wait for it. */
const RENEWED = 3_000;
const LOOK = 100;
const LONGEST_WAIT = 60_000;
/**
 * Seconds before a new item is listed reliably. The provider lists with a delay; until then a missing item does not prove that a creation
 * with a lost answer failed.
 */
export const LISTED_AFTER = 60;

const UNTIL = `statement_timestamp() + interval '${LEASE} seconds'`;
const TAKE =
  statement(`insert into drive_creations as c (organisation_id, place, holder, held_until) values ($1, $2, $3, ${UNTIL})
  on conflict (organisation_id, place) do update
    set holder = excluded.holder, held_until = excluded.held_until, changed_at = statement_timestamp()
    where c.holder is null or c.held_until < statement_timestamp()
  returning drive_file_id, ceil(extract(epoch from asked_at + interval '${LISTED_AFTER} seconds' - statement_timestamp()))::int as wait`);
const ONE = "organisation_id = $1 and place = $2";
const HELD = `${ONE} and holder = $3`;
const RENEW = statement(`update drive_creations set held_until = ${UNTIL} where ${HELD}`);
const END = statement(`update drive_creations set holder = null where ${HELD}`);
/** Fails if the caller stalled and another one took the lease: it must not create then. */
const ASK = statement(`update drive_creations set asked_at = statement_timestamp(), drive_file_id = null
  where ${HELD} and held_until > statement_timestamp() returning 1`);
const KEEP = statement(`update drive_creations set drive_file_id = $3, asked_at = null where ${ONE}`);
const ENDED = oldRows({ table: "drive_creations", age: "r.changed_at", kept: "7 days", also: "r.holder is null" });
const REFUSED = statement(`update drive_creations set asked_at = null where ${ONE}`);

/** A recent creation has an unknown outcome. */
export class Unsettled extends GoogleFailure {
  override name = "Unsettled";
  constructor(wait: number) {
    super("unavailable", "Google may not list a file yet whose creation lost its answer", { retryAfter: Math.max(1, wait) });
  }
}

/** The parameters of a location in the running organisation. */
const placeOf = (name: string) => [request().organisation.id, name];

/** The location key of a folder found by name in a parent. */
export const placeOfFolder = (parentId: string, name: string): string =>
  `folder ${parentId} ${createHash("sha256").update(name).digest("base64url")}`;
/** The location key of the copy of a template item in a parent. */
export const placeOfCopy = (parentId: string, sourceId: string): string => `copy ${parentId} ${sourceId}`;

/** A location at the provider where one item is created, under a lease. */
export interface Creation {
  /** Id of the item created there; null if unknown. */
  readonly fileId: string | null;
  /** Seconds until a missing list entry proves that nothing was created; null if no creation has an unknown outcome. */
  readonly wait: number | null;
  /**
   * Creates the item and stores its id. Records the attempt first, so that after a crash the next holder knows about it.
   * @throws GoogleFailure, Unsettled
   */
  make<T extends { id: string }>(create: () => Promise<T>): Promise<T>;
  /** Stores the id of the item found there. */
  keep(fileId: string): Promise<void>;
}

/** Whether a failure proves that nothing was created: a refusal and a call never sent do, a lost answer and a server error do not. */
const isRefusal = (error: unknown): boolean =>
  error instanceof GoogleFailure && (error.isUnsent || (error.status !== null && error.status >= 400 && error.status < 500));

function creationAt({ write }: Transactions, name: string, holder: string, found: TakenRow): Creation {
  const keep = (fileId: string) => write(async () => enqueue(KEEP, [...placeOf(name), fileId]));
  return {
    fileId: found.drive_file_id,
    wait: found.wait === null ? null : Math.max(0, found.wait),
    keep,
    async make(create) {
      if (found.wait !== null && found.wait > 0) throw new Unsettled(found.wait);
      if (!(await write(() => queryOne(ASK, [...placeOf(name), holder])))) throw new Unsettled(LEASE);
      try {
        const made = await create();
        await keep(made.id);
        return made;
      } catch (error) {
        if (isRefusal(error)) await write(async () => enqueue(REFUSED, placeOf(name))).catch(() => {});
        throw error;
      }
    },
  };
}

interface TakenRow {
  drive_file_id: string | null;
  wait: number | null;
}

/**
 * Runs work on one location at the provider under a lease, so no other caller on any node works on it: two callers that both look before
 * either creates would create two items. Holds no database connection meanwhile; the lease of a node that dies expires automatically.
 * @throws Unsettled if another caller holds the lease for too long
 */
export async function atPlace<T>(transactions: Transactions, name: string, work: (creation: Creation) => Promise<T>): Promise<T> {
  const { write } = transactions;
  const holder = randomUUID();
  const deadline = Date.now() + LONGEST_WAIT;
  let found: TakenRow | undefined;
  while (!(found = await write(() => queryOne<TakenRow>(TAKE, [...placeOf(name), holder])))) {
    if (Date.now() > deadline) throw new Unsettled(LEASE);
    await sleep(LOOK);
  }
  // If a renewal fails, the next one makes up for it.
  const renew = () => write(async () => enqueue(RENEW, [...placeOf(name), holder])).catch(() => {});
  const renewing = setInterval(() => void renew(), RENEWED);
  try {
    return await work(creationAt(transactions, name, holder, found));
  } finally {
    clearInterval(renewing);
    // If the release fails, the lease expires automatically; the result of the work matters more.
    await write(async () => enqueue(END, [...placeOf(name), holder])).catch(() => {});
  }
}

/** Deletes locations unused for a week, in the running transaction. */
export const removeOldPlaces = (): void => clearSome(ENDED);
