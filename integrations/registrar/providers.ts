import { globSync } from "node:fs";
import path from "node:path";
import { requireFound } from "../../core/values/found-files.ts";
import type { RegistrarProvider } from "./provider.ts";

/** Loads the adapters of this folder, when the first account is used. */
const load = (): Map<string, RegistrarProvider> =>
  new Map(
    globSync("**/*.adapter.ts", { cwd: import.meta.dirname })
      .sort()
      .map((file) => requireFound<{ default: RegistrarProvider }>(path.join(import.meta.dirname, file)).default)
      .map((adapter) => [adapter.key, adapter]),
  );

let known: Map<string, RegistrarProvider> | undefined;
const providers = () => (known ??= load());

/** Registers an adapter. @returns a function that removes it again */
export function addRegistrar(provider: RegistrarProvider): () => void {
  providers().set(provider.key, provider);
  return () => void providers().delete(provider.key);
}

/** The adapter with that key, or undefined. */
export const findRegistrar = (key: string): RegistrarProvider | undefined => providers().get(key);
