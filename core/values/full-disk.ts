/** Error codes of PostgreSQL and the system for a full disk. */
const FULL = new Set(["53100", "ENOSPC", "EDQUOT"]);

let sighted = false;

/** Whether an error means a full disk, the database's or this machine's. */
export function isFullDisk(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && FULL.has(code);
}

/** As `isFullDisk`, for a failed write: the process then remembers it until `forgetFullDisk`. */
export function meetsFullDisk(error: unknown): boolean {
  const is = isFullDisk(error);
  sighted ||= is;
  return is;
}

/** Whether a write of this process met a full disk, and none has succeeded since. */
export const hasMetFullDisk = (): boolean => sighted;

/** Records that there is space again. */
export function forgetFullDisk(): void {
  sighted = false;
}

/** Seconds until a write rejected by a full disk can be retried: an operator must act first. */
export const FULL_DISK_RETRY = "30";
