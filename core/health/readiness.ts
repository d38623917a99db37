import type { Logger } from "moleculer";
import { runtime } from "../config/runtime.ts";
import { databaseIsOpen } from "../database/connection/database.ts";
import { diskHasRoom } from "./disk-room.ts";
import { migrationState } from "./migration-state.ts";

/** Paths of the probes, at the root of every host. */
export const LIVE = "/health/live";
export const READY = "/health/ready";

/** What a node can lack, in the order that it is reported in. */
export const PARTS = ["database", "schema", "transport", "store"] as const;
export type Part = (typeof PARTS)[number];

/** The body of an answer to a probe of readiness. It names parts, never addresses or reasons. */
export interface ReadinessBody {
  status: "ok" | "degraded";
  missing?: Part[];
}

/** The answer of a node to the question whether it can serve. */
export interface Readiness {
  status: 200 | 503;
  body: ReadinessBody;
}

/** Milliseconds that the database may take to answer a probe: less than a gateway waits for its workers. */
const DATABASE_BOUND = 400;

/** Ready with nothing missing, else degraded, with the parts in the order of `PARTS`. A node that starts or stops is degraded and may lack nothing. */
export function readinessOf(missing: readonly Part[], isServing = true): Readiness {
  if (isServing && missing.length === 0) return { status: 200, body: { status: "ok" } };
  return {
    status: 503,
    body: { status: "degraded", ...(missing.length > 0 && { missing: PARTS.filter((part) => missing.includes(part)) }) },
  };
}

/**
 * The parts that this node lacks of database, schema and store: an answer of the database, every migration of this version, and room on
 * the disks of database and files. Without a database nothing is known of schema and store.
 */
export async function missingParts(logger: Pick<Logger, "error">): Promise<Part[]> {
  if (!databaseIsOpen()) return ["database"];
  const away = Promise.withResolvers<null>();
  const timer = setTimeout(away.resolve, DATABASE_BOUND, null);
  try {
    const state = await Promise.race([migrationState(logger), away.promise]);
    if (!state?.isReached) return ["database"];
    const { names } = state;
    const isMigrated = names !== null && runtime().migrations.every((name) => names.includes(name));
    const hasRoom = await diskHasRoom().catch(() => false);
    return [...(isMigrated ? [] : ["schema" as const]), ...(hasRoom ? [] : ["store" as const])];
  } finally {
    clearTimeout(timer);
  }
}
