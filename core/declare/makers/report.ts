import type { TProperties } from "../../schema/schema.ts";
import { type Action, type ActionOptions, declared, type Only } from "../action.ts";

/** Declares a read that adds up many rows, which a replica of the database may answer as it does a paged list (docs/replicas.md). */
export const report = <
  const R extends `GET ${string}`,
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
>(
  declaration: Only<ActionOptions<R, P, Q, undefined>>,
): Action => declared({ ...declaration, fromReplica: true });
