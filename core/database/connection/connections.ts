import type { Config } from "../../config/config.ts";

/** What PostgreSQL shows as the purpose of a node's connection (`application_name`). */
export const PURPOSE = {
  requests: "kantoor",
  jobs: "kantoor jobs",
  listener: "kantoor listener",
  migration: "kantoor migration",
} as const;

/** Connections of a node for its jobs, apart from requests: taking, ending and handing on. */
export const JOB_CONNECTIONS = 5;
/** Connections of a node that listen for jobs of others. */
const LISTENERS = 1;
/** Connections of the one node that migrates, while it starts. */
export const MIGRATING = 2;

/** Most connections that a node has at a time, while it runs. The jobs need none of theirs if they are stored elsewhere. */
export const connectionsOf = ({ databasePool, jobsUrl }: Pick<Config, "databasePool" | "jobsUrl">): number =>
  databasePool + (jobsUrl === undefined ? JOB_CONNECTIONS : 0) + LISTENERS;

/**
 * How often the server checks, in ms, that whoever waits for a statement is still there. The statements of a node that was killed would
 * otherwise wait for their locks, and hold those they have, until their timeout.
 */
export const CLIENT_CHECK = 2_000;
