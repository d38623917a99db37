import { queryUnbound } from "../../database/connection/database.ts";
import { uncounted } from "../../request/statement-count.ts";
import { statement } from "../../sql/statement.ts";

/** Consecutive failures after which no node calls an account for a while. */
const MOST_FAILURES = 5;
const FIRST_PAUSE = 30;
const LONGEST_PAUSE = 300;
/** Milliseconds that a node trusts its cached state of an account. A usable response renews it. */
const CACHED_FOR = 5000;

/** The trouble with one account at a provider; a working account has none. */
export interface Trouble {
  provider: string;
  account: string;
  /** `counting` failures, `open` (no node calls), `half_open` (the next call is a trial), or `paused` on the provider's request. */
  state: "counting" | "open" | "half_open" | "paused";
  failures: number;
  /** Seconds until a node can call again; 0 for now. */
  seconds: number;
  last_failure: string;
  last_status: number | null;
  /** ISO 8601. */
  since: string;
}

const COLUMNS = `provider, account, failures, last_failure, last_status, since,
  case when paused_until > now() then 'paused'
       when failures < ${MOST_FAILURES} then 'counting'
       when closed_until > now() then 'open' else 'half_open' end as state,
  ceil(greatest(0, extract(epoch from greatest(paused_until, closed_until) - now())))::int as seconds`;

const LOOK = statement(`select ${COLUMNS} from provider_troubles where provider = $1 and account = $2`);
const ALL = statement(`select ${COLUMNS} from provider_troubles order by provider, account`);
const CLEAR = statement("delete from provider_troubles where provider = $1 and account = $2 returning 1");
// Lets one caller of all nodes through; for the others the circuit stays open.
const TRY =
  statement(`update provider_troubles set closed_until = now() + make_interval(secs => ${FIRST_PAUSE}), updated_at = now()
  where provider = $1 and account = $2 and failures >= ${MOST_FAILURES} and closed_until <= now() returning 1`);
const FAILED = statement(`insert into provider_troubles as t (provider, account, failures, last_failure, last_status)
  values ($1, $2, 1, $3, $4)
  on conflict (provider, account) do update set
    failures = t.failures + 1, last_failure = $3, last_status = $4, updated_at = now(),
    closed_until = case when t.failures + 1 >= ${MOST_FAILURES} then now() + make_interval(secs =>
      least(${LONGEST_PAUSE}, ${FIRST_PAUSE} * 2 ^ least(10, t.failures + 1 - ${MOST_FAILURES}))) end
  returning ${COLUMNS}`);
const PAUSE = statement(`insert into provider_troubles as t (provider, account, paused_until, last_failure, last_status)
  values ($1, $2, now() + make_interval(secs => $3), 'limited', 429)
  on conflict (provider, account) do update set
    paused_until = greatest(t.paused_until, excluded.paused_until), last_failure = 'limited', last_status = 429, updated_at = now()
  returning ${COLUMNS}`);

interface CachedBreakerState {
  trouble: Trouble | null;
  /** Time of the lookup, by `performance.now()`. */
  at: number;
}

/** The reason why an account is not called now. */
export interface Closed {
  state: "open" | "paused";
  /** Seconds until it can be called again. */
  seconds: number;
}

const cachedStates = new Map<string, CachedBreakerState>();
const MOST_STATES = 10_000;

function believe(provider: string, account: string, trouble: Trouble | null): void {
  if (cachedStates.size >= MOST_STATES) cachedStates.clear();
  cachedStates.set(`${provider} ${account}`, { trouble, at: performance.now() });
}

/** Queries the database. Null while the database is down: calls continue, and the cached state is dropped. */
async function ask(text: ReturnType<typeof statement>, values: readonly unknown[]): Promise<Trouble[] | null> {
  return queryUnbound<Trouble>(text, values).catch(() => {
    cachedStates.delete(`${values[0]} ${values[1]}`);
    return null;
  });
}

/** Whether an account must not be called now. When the circuit's pause ends, one caller of all nodes gets through as a trial. */
export async function closedFor(provider: string, account: string): Promise<Closed | null> {
  const known = cachedStates.get(`${provider} ${account}`);
  let trouble = known?.trouble ?? null;
  const age = known ? performance.now() - known.at : Number.POSITIVE_INFINITY;
  const left = trouble ? trouble.seconds - age / 1000 : 0;
  if (age > CACHED_FOR || (trouble !== null && left <= 0)) {
    // The cached state serves every caller of the node, so the request's statement count excludes this lookup.
    const found = await uncounted(() => ask(LOOK, [provider, account]));
    if (!found) return null;
    trouble = found[0] ?? null;
    believe(provider, account, trouble);
  } else if (trouble) trouble = { ...trouble, seconds: Math.ceil(left) };
  if (!trouble || trouble.state === "counting") return null;
  if (trouble.state !== "half_open") return { state: trouble.state, seconds: Math.max(1, trouble.seconds) };
  const tried = await ask(TRY, [provider, account]);
  return tried?.length === 0 ? { state: "open", seconds: FIRST_PAUSE } : null;
}

/** Records a usable response of an account. */
export async function answered(provider: string, account: string): Promise<void> {
  const known = cachedStates.get(`${provider} ${account}`);
  const isClear = known?.trouble === null || (await ask(CLEAR, [provider, account])) !== null;
  if (isClear) believe(provider, account, null);
}

/** Records an unreachable provider or a failure of its own. */
export async function failed(provider: string, account: string, failure: string, status: number | null): Promise<void> {
  const found = await ask(FAILED, [provider, account, failure, status]);
  if (found) believe(provider, account, found[0] ?? null);
}

/** Records the provider's request for a pause. @param seconds as requested */
export async function paused(provider: string, account: string, seconds: number): Promise<void> {
  const found = await ask(PAUSE, [provider, account, Math.min(seconds, 86_400)]);
  if (found) believe(provider, account, found[0] ?? null);
}

/** All troubles with accounts at providers, for the operator. */
export const troubles = (): Promise<Trouble[]> => queryUnbound<Trouble>(ALL);

/** Clears the trouble of an account, so that it is called again. @returns whether there was any */
export async function reopen(provider: string, account: string): Promise<boolean> {
  const found = await queryUnbound(CLEAR, [provider, account]);
  believe(provider, account, null);
  return found.length > 0;
}

/** Drops this node's cached states, so that the database counts at once. */
export const forgetBreakerStates = (): void => cachedStates.clear();
