/** What decides whether a licensed module may be written, as loaded with the principal. Instants are ISO strings. */
export interface LicenceState {
  posture: "self-hosted" | "hosted";
  installedAt: string;
  /** Self-hosted: what the installed licence lists. */
  modules: { module: string; expiresAt: string; graceDays: number }[];
  /** Hosted: the organisation's plan. */
  plan: string | null;
  planEndsAt: string | null;
}

/** Days after installation in which a module that no licence lists may be written (conventions §7). */
export const TRIAL_DAYS = 14;
const DAY = 86_400_000;

/**
 * Whether a module may be written (conventions §7). Reading never depends on it.
 * @param sku the licensed module, null for one that needs no licence
 * @param now the instant of the request, milliseconds since the epoch
 */
export function mayBeWritten(sku: string | null, state: LicenceState, now: number): boolean {
  if (sku === null) return true;
  if (state.posture === "hosted") {
    if (state.plan === "standard" || state.plan === "unlimited") return true;
    return state.plan === "trial" && (state.planEndsAt === null || now < Date.parse(state.planEndsAt));
  }
  const listed = state.modules.find(({ module }) => module === sku);
  if (listed) return now <= Date.parse(listed.expiresAt) + listed.graceDays * DAY;
  return now <= Date.parse(state.installedAt) + TRIAL_DAYS * DAY;
}
