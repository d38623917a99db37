import { setTimeout as sleep } from "node:timers/promises";
import { queryUnbound } from "../../database/connection/database.ts";
import { uncounted } from "../../request/statement-count.ts";
import { statement } from "../../sql/statement.ts";
import { ProviderFailure } from "./provider-failure.ts";

/** Longest wait of a call for its turn, in milliseconds. */
const LONGEST_WAIT = 20_000;
/** Milliseconds added to each second, because calls reach the provider slightly earlier or later than they were admitted. */
const MARGIN = 150;

// `slots[1]` is the admission time of the call `most` calls ago; no row is returned if the wait would be too long.
const TAKE = statement(`insert into provider_paces as p (bucket, slots)
  values ($1, array_append(array_fill('-infinity'::timestamptz, array[$2::int - 1]), clock_timestamp()))
  on conflict (bucket) do update
    set slots = p.slots[2:] || greatest(clock_timestamp(), p.slots[1] + make_interval(secs => (1000 + ${MARGIN}) / 1000.0))
    where p.slots[1] < clock_timestamp() + make_interval(secs => (${LONGEST_WAIT} - 1000) / 1000.0)
  returning extract(epoch from slots[array_length(slots, 1)] - clock_timestamp()) * 1000 as wait`);

/**
 * Waits for a turn at a provider with a limit per second. Each call reserves the next free slot in PostgreSQL, so the limit holds over all
 * nodes. If the database does not answer, every call passes.
 * @param bucket the provider's rate limit key; `most` must be the same for all its calls
 * @throws ProviderFailure `limited` if the turn would come too late
 */
export async function takeTurn(bucket: string, most: number, signal?: AbortSignal): Promise<void> {
  let taken: { wait: string | number }[];
  try {
    taken = await uncounted(() => queryUnbound<{ wait: string | number }>(TAKE, [bucket, most]));
  } catch {
    return;
  }
  const [turn] = taken;
  if (!turn)
    throw new ProviderFailure("limited", `not called: the limit of ${most} calls a second is reached`, { retryAfter: 30 });
  const wait = Math.ceil(Number(turn.wait));
  if (wait > 0) await sleep(wait, undefined, signal ? { signal } : {});
}
