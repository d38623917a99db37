const leaving: (() => Promise<void>)[] = [];

/** Has `act` done when the process has run its last file: for what outlives a file. */
export function whenLeaving(act: () => Promise<void>): void {
  leaving.push(act);
}

/** Does all of it, the youngest first. */
export async function leave(): Promise<void> {
  for (const act of leaving.splice(0).reverse()) await act();
}
