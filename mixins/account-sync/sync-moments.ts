/** Milliseconds between two looks at the accounts; accounts due before the next look are scheduled. */
const LOOK = 3_600_000;
/** An overdue account is synced within this many milliseconds, spread like all others. */
const SOON = 600_000;

/**
 * The time of an account's next scheduled sync, or null if it is not due before the next look (assets §5.12). Each account has its own
 * moment in every period, derived from its id, which spreads the syncs.
 * @param hours of a period; 0 switches the schedule off
 * @param lastAsked ISO instant of the last requested sync, or of the account's creation
 * @param now milliseconds since 1970
 */
export function syncMoment(accountId: string, hours: number, lastAsked: string, now: number): Date | null {
  if (hours === 0) return null;
  const period = hours * 3_600_000;
  // The last digits of an id are random.
  const random = Number.parseInt(accountId.slice(-8), 16);
  const offset = random % period;
  const last = now - ((((now - offset) % period) + period) % period);
  if (Date.parse(lastAsked) < last) return new Date(now + (random % SOON));
  const next = last + period;
  return next < now + LOOK ? new Date(next) : null;
}
