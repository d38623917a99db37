import { catalogue } from "./catalogue/catalogue.ts";

/**
 * What is told at a moment of a transaction that other modules may join, by its name. The module whose moment it is adds its own from its
 * folder: `interface EffectPayloads { "company.status_entered": { … } }`.
 */
export interface EffectPayloads {}
export type Moment = keyof EffectPayloads & string;

/** What a module does at a moment of another's transaction. What it throws refuses the whole request. */
export type Effect<M extends Moment> = (payload: EffectPayloads[M]) => Promise<void>;
/** The moments a module joins, each with what loads its part. */
export type EffectDeclarations = { readonly [M in Moment]?: () => Promise<Effect<M>> };

/**
 * Lets every module that joins this moment do its part in the running transaction, one after the other in the order of the catalogue. Every
 * function that brings a record to the moment calls it, so that each door to it has the same effects: the actor, an import, a job.
 */
export async function joinEffects<M extends Moment>(moment: M, payload: EffectPayloads[M]): Promise<void> {
  for (const loader of catalogue().effects.get(moment) ?? []) {
    const effect = (await loader()) as Effect<M>;
    await effect(payload);
  }
}
