import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { GoogleFailure } from "../../../mixins/google/failure.ts";
import type { Transactions } from "../../../mixins/google/transactions.ts";

/** After so many seconds without a sign of life the lease of a node that died may be taken. */
const LEASE = 10;
/** Milliseconds between two signs of life, between two tries to get a lease, and how long is tried in all. */
const RENEWED = 3_000;
const LOOK = 100;
const LONGEST_WAIT = 60_000;
/**
 * Seconds after which what was made is listed. The provider lists with a delay: until then the absence from a list is no evidence that a
 * creation whose answer was lost did not happen.
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
/** Who stalled for so long that another took the lease must not create. */
const ASK = statement(`update drive_creations set asked_at = statement_timestamp(), drive_file_id = null
  where ${HELD} and held_until > statement_timestamp() returning 1`);
const KEEP = statement(`update drive_creations set drive_file_id = $3, asked_at = null where ${ONE}`);
const REFUSED = statement(`update drive_creations set asked_at = null where ${ONE}`);
const CLEAR_OLD = statement(`delete from drive_creations where organisation_id = $1 and holder is null
  and changed_at < statement_timestamp() - interval '7 days'`);

/** A creation was asked for a moment ago, and nobody knows yet what became of it. */
export class Unsettled extends GoogleFailure {
  override name = "Unsettled";
  constructor(wait: number) {
    super("unavailable", "a creation whose answer was lost may not be listed yet", { retryAfter: Math.max(1, wait) });
  }
}

/** A place in the running organisation, for the statements of one transaction. */
const placeOf = (name: string) => [request().organisation.id, name];

/** The place of the folder that is found by name in a parent. */
export const placeOfFolder = (parentId: string, name: string): string =>
  `folder ${parentId} ${createHash("sha256").update(name).digest("base64url")}`;
/** The place of what an item of a template becomes in a parent. */
export const placeOfCopy = (parentId: string, sourceId: string): string => `copy ${parentId} ${sourceId}`;

/** A place at the provider where one thing is made, while its lease is held. */
export interface Creation {
  /** What was made there; null where that is not known. */
  readonly fileId: string | null;
  /** Seconds until the absence from a list is evidence; null where no creation has an unknown outcome. */
  readonly wait: number | null;
  /**
   * Makes it, and stores its id. That it was asked for is stored first, so that whoever finds the place after a node has died knows it.
   * @throws GoogleFailure, Unsettled
   */
  make<T extends { id: string }>(create: () => Promise<T>): Promise<T>;
  /** Stores the id of what was found there. */
  keep(fileId: string): Promise<void>;
}

/** Whether an answer proves that nothing was made: a refusal does, silence and a server's own failure do not. */
const isRefusal = (error: unknown): boolean =>
  error instanceof GoogleFailure && error.status !== null && error.status >= 400 && error.status < 500;

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
 * Runs work on one place at the provider while no other caller does, on any node: two that look before either creates would both create. No
 * connection is held meanwhile, and the lease of a node that dies ends by itself.
 * @throws Unsettled where another caller does not come to an end
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
  // A renewal that fails is made up for by the next.
  const renew = () => write(async () => enqueue(RENEW, [...placeOf(name), holder])).catch(() => {});
  const renewing = setInterval(() => void renew(), RENEWED);
  try {
    return await work(creationAt(transactions, name, holder, found));
  } finally {
    clearInterval(renewing);
    // What is not ended here ends by itself; how the work came out matters more.
    await write(async () => enqueue(END, [...placeOf(name), holder])).catch(() => {});
  }
}

/** Forgets places that nothing was made at for a week, in the running transaction. */
export const removeOldPlaces = (): void => enqueue(CLEAR_OLD, [request().organisation.id]);
