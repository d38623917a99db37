/** What one check of the surroundings of a node found. */
export interface Finding {
  /** What was tried, for instance `database`. */
  check: string;
  /** `warning`: the service starts, and something will not work or soon will not. */
  state: "ok" | "warning" | "fault";
  /** What was found, in one sentence. */
  found: string;
  /** What to do, in one sentence; null if nothing. */
  remedy: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, state: "ok", found, remedy: null });
export const warning = (check: string, found: string, remedy: string): Finding => ({ check, state: "warning", found, remedy });
export const fault = (check: string, found: string, remedy: string): Finding => ({ check, state: "fault", found, remedy });

/** The message of whatever was thrown; some errors of the network have an empty one, and a code. */
export function reasonOf(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  return message || errors?.[0]?.message || code || "no answer";
}
