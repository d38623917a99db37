import { catalogue } from "./catalogue/catalogue.ts";

/**
 * The payload of each moment, a point in a transaction for which other modules can declare a hook. The module that owns the moment adds it
 * from its folder: `interface EffectPayloads { "company.status_entered": { … } }`.
 */
export interface EffectPayloads {}
export type Moment = keyof EffectPayloads & string;

/** A module's hook at a moment of another module's transaction. An error it throws rejects the whole request. */
export type Effect<M extends Moment> = (payload: EffectPayloads[M]) => Promise<void>;
/** The loaders of a module's hooks, by moment. */
export type EffectDeclarations = { readonly [M in Moment]?: () => Promise<Effect<M>> };

/**
 * Runs every module's hook for this moment in the current transaction, one after another in catalogue order. Every function that brings a
 * record to the moment calls it, so that the actor, an import and a job all have the same effects.
 */
export async function joinEffects<M extends Moment>(moment: M, payload: EffectPayloads[M]): Promise<void> {
  for (const loader of catalogue().effects.get(moment) ?? []) {
    const effect = (await loader()) as Effect<M>;
    await effect(payload);
  }
}
