import type { PlainFailure } from "../kuma/failure.ts";
import type { PushOrder } from "./session.ts";

/** What a session can read. */
export type Reading = "list" | "beats";
/** What a session can change. */
export type Change = { push: PushOrder } | { switch: { remoteId: number; isActive: boolean } } | { remove: { remoteId: number } };

/** The result of a call, in a form that can be sent between nodes. */
export type Performed<T> = { value: T } | { failure: PlainFailure };
