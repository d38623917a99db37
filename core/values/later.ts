import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/**
 * A package that no start needs. The returned function loads it at its first call, synchronously, and returns the same module from then on.
 * The caller names the type, with `import type`; of a package in CommonJS the function returns what `module.exports` is.
 */
export function later<T>(name: string): () => T {
  let loaded: T | undefined;
  return () => (loaded ??= load(name) as T);
}
