/** How far a held permission reaches: one's own rows, every person's, or not held. */
export type Scope = "own" | "any" | null;

/** Whether a scope reaches a person's rows. */
export function reaches(scope: Scope, callerId: string | null, ownerId: string): boolean {
  return scope === "any" || (scope === "own" && callerId === ownerId);
}
