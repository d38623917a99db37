import { globSync } from "node:fs";
import path from "node:path";
import { declareErrors, type ErrorEntry } from "../../errors/errors.ts";
import { requireFound } from "../../values/found-files.ts";
import type { AutomationCatalogue } from "../automation.ts";
import type { EventKind, EventName } from "../events.ts";
import type { Hook, HookPayloads, HookPoint } from "../hooks.ts";
import type { ModuleManifest } from "../module.ts";
import { awaited } from "./awaited.ts";
import { type Catalogue, DeclarationRefused, type Declared } from "./entries.ts";
import kernel from "./kernel.ts";
import { merge } from "./merge.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

/** The manifests of a folder's `module.ts`. */
function manifestsIn(file: string): Declared[] {
  const { default: given } = requireFound<{ default: ModuleManifest | readonly ModuleManifest[] }>(path.join(ROOT, file));
  return [given].flat().map((manifest) => ({ manifest: manifest as ModuleManifest, source: file }));
}

/** @throws DeclarationRefused for a folder with actors but no manifest, so that the module they belong to is unknown */
function requireManifests(files: readonly string[]): void {
  const declared = new Set(files.map((file) => path.dirname(file)));
  for (const actor of globSync("{services,integrations,operator}/*/**/*.service.ts", { cwd: ROOT })) {
    const folder = actor.split(path.sep).slice(0, 2).join("/");
    if (!declared.has(folder)) throw new DeclarationRefused(`${folder} has actors but no module.ts that declares them.`);
  }
}

function load(): Catalogue {
  const files = globSync("{services,integrations,operator}/*/module.ts", { cwd: ROOT }).sort();
  requireManifests(files);
  return merge(
    [{ manifest: kernel, source: "core/declare/catalogue/kernel.ts" }, ...files.flatMap(manifestsIn)],
    awaited.map((manifest) => ({ manifest, source: "core/declare/catalogue/awaited.ts" })),
  );
}

let merged: Catalogue | undefined;

/**
 * The declarations of all modules, found by folder and merged on first use, which a node does first when it starts. Modules that are not
 * built yet are in `awaited.ts`.
 * @throws DeclarationRefused with a one-sentence message if they do not fit together
 */
export const catalogue = (): Catalogue => (merged ??= load());

declareErrors(() => {
  const built = catalogue().errors.filter((entry) => entry.built);
  const isKernels = ({ module }: { module: string }) => module === kernel.key;
  return [...built.filter(isKernels), ...built.filter((entry) => !isKernels(entry))];
});

/** Every entry of the catalogue, by status, code and message. */
export const errorCatalogue = (): readonly ErrorEntry[] => catalogue().errors;

/** Every domain event of built modules, with the schema of its payload. An event that no module declares cannot be recorded. */
export const events = (): Readonly<Record<string, EventKind>> => catalogue().events;

export const isEvent = (name: string): name is EventName => Object.hasOwn(events(), name);

/** The automation catalogue. */
export const automation = (): AutomationCatalogue => catalogue().automation;

/**
 * Runs every module's hook for this hook point in the current transaction, one after another in catalogue order. Every function that brings a
 * record to the hook point calls it, so that the actor, an import and a job all run the same hooks.
 */
export async function runHooks<M extends HookPoint>(point: M, payload: HookPayloads[M]): Promise<void> {
  for (const loader of catalogue().hooks.get(point) ?? []) {
    const hook = (await loader()) as Hook<M>;
    await hook(payload);
  }
}
