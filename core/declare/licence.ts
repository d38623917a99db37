/**
 * What decides whether licensed modules may be written (conventions §7): nothing (`none`, a self-hosted installation), the licence of the
 * installation (`required`, a self-hosted one whose operator asks for licences), or the plan of each organisation (`plan`, hosted).
 */
export type Licensing = "none" | "required" | "plan";

/** What decides whether a licensed module may be written, as loaded with the principal. Instants are ISO strings. */
export interface LicenceState {
  licensing: Licensing;
  installedAt: string;
  /** `required`: what the installed licence lists. */
  modules: { module: string; expiresAt: string; graceDays: number }[];
  /** `plan`: the organisation's plan. */
  plan: string | null;
  planEndsAt: string | null;
}

/** Days after installation in which a module that no licence lists may be written, where licences are required (conventions §7). */
export const TRIAL_DAYS = 14;
/** The day of the trial, counted from 1, from which its end is announced. */
const ANNOUNCED_FROM = 10;
const DAY = 86_400_000;

/** Which rule an installation follows. */
export const licensingOf = ({
  posture,
  licensing,
}: {
  posture: "self-hosted" | "hosted";
  licensing: "off" | "required";
}): Licensing => (posture === "hosted" ? "plan" : licensing === "required" ? "required" : "none");

const endOfTrial = ({ installedAt }: LicenceState): number => Date.parse(installedAt) + TRIAL_DAYS * DAY;

/**
 * Whether a module may be written (conventions §7). Reading never depends on it.
 * @param sku the licensed module, null for one that needs no licence
 * @param now the instant of the request, milliseconds since the epoch
 */
export function mayBeWritten(sku: string | null, state: LicenceState, now: number): boolean {
  if (sku === null || state.licensing === "none") return true;
  if (state.licensing === "plan") {
    if (state.plan === "standard" || state.plan === "unlimited") return true;
    return state.plan === "trial" && (state.planEndsAt === null || now < Date.parse(state.planEndsAt));
  }
  const listed = state.modules.find(({ module }) => module === sku);
  if (listed) return now <= Date.parse(listed.expiresAt) + listed.graceDays * DAY;
  return now <= endOfTrial(state);
}

/**
 * When the built-in trial ends or ended, ISO. Null where no module depends on it: licences are not required, or one lists every module.
 * @param skus every licensed module
 */
export function trialEndsAt(skus: readonly string[], state: LicenceState): string | null {
  const dependsOnTrial =
    state.licensing === "required" && skus.some((sku) => !state.modules.some(({ module }) => module === sku));
  return dependsOnTrial ? new Date(endOfTrial(state)).toISOString() : null;
}

/**
 * The same while the end is to be announced: from the tenth day of the trial until it ends. Null before, after, and where no module depends
 * on it.
 * @param now milliseconds since the epoch
 */
export function announcedTrialEnd(skus: readonly string[], state: LicenceState, now: number): string | null {
  const endsAt = trialEndsAt(skus, state);
  const isAnnounced = now >= Date.parse(state.installedAt) + (ANNOUNCED_FROM - 1) * DAY && now <= endOfTrial(state);
  return isAnnounced ? endsAt : null;
}
