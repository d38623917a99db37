/** One setting: its variable, its default, its reader, and its line in docs/configuration.md. */
export interface Setting<T, F extends string | undefined = string | undefined> {
  name: string;
  fallback: F;
  read: (text: string) => T;
  about: string;
}

/** Declares one setting. */
export const setting = <T, F extends string | undefined>(
  name: string,
  fallback: F,
  read: (text: string) => T,
  about: string,
): Setting<T, F> => ({ name, fallback, read, about });
