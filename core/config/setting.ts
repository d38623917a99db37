/** One setting: its variable, its default, its reader, and its line in docs/configuration.md. */
export interface Setting<T, F extends string | undefined = string | undefined> {
  name: string;
  fallback: F;
  read: (text: string) => T;
  about: string;
  /** Its value opens something, or contains a password: no command shows it. */
  isSecret?: true;
}

/** Declares one setting. */
export const setting = <T, F extends string | undefined>(
  name: string,
  fallback: F,
  read: (text: string) => T,
  about: string,
): Setting<T, F> => ({ name, fallback, read, about });

/** Declares a setting whose value is secret, or contains a password. */
export const secretSetting = <T>(name: string, read: (text: string) => T, about: string): Setting<T, undefined> => ({
  ...setting(name, undefined, read, about),
  isSecret: true,
});

/** The variable that names a file with a setting's value. */
export const fileVariable = (name: string): string => `${name}_FILE`;
