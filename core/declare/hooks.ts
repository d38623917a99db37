/**
 * The payload of each hook point, a point in a transaction at which other modules can run a hook. The module that owns the hook point adds it
 * from its folder: `interface HookPayloads { "company.status_entered": { … } }`.
 */
export interface HookPayloads {}
export type HookPoint = keyof HookPayloads & string;

/** A module's hook at a hook point of another module's transaction. An error it throws rejects the whole request. */
export type Hook<M extends HookPoint> = (payload: HookPayloads[M]) => Promise<void>;
/** The loaders of a module's hooks, by hook point. */
export type HookDeclarations = { readonly [M in HookPoint]?: () => Promise<Hook<M>> };
