/** Milliseconds of the clock's look at accounts: one that is due before the next look is scheduled. */
const LOOK = 3_600_000;
/** An account that was passed over is synced within so many milliseconds, spread like all others. */
const SOON = 600_000;

/**
 * When an account is synced by the clock next, if that is before the next look; null where it is not (assets §5.12). Every account has its
 * own moment of each period, which follows from its id, so that the syncs of many spread.
 * @param hours of a period; 0 switches the schedule off
 * @param lastAsked ISO instant of the last sync that was asked for, or of the account where there was none
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
