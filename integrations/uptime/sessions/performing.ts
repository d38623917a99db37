import type { PlainFailure } from "../kuma/failure.ts";
import type { PushOrder } from "./session.ts";

/** What is read through a session. */
export type Reading = "list" | "beats";
/** What is changed through a session. */
export type Change = { push: PushOrder } | { switch: { remoteId: number; isActive: boolean } } | { remove: { remoteId: number } };

/** What came of a call, as it travels between nodes. */
export type Performed<T> = { value: T } | { failure: PlainFailure };
