import { createRequire } from "node:module";

interface Logger {
  extend(name: string): Logger;
}

/**
 * Loads Agenda, once there are jobs. At each step of each job Agenda makes `debug` create a logger under the same few names, which was a
 * third of the cost of an event on a node. Loggers of an Agenda loaded here are created only once.
 */
export async function loadAgenda(): Promise<typeof import("agenda")> {
  const debug = createRequire(import.meta.resolve("agenda"))("debug") as { init?: (logger: Logger) => void };
  const { init } = debug;
  debug.init = (logger) => {
    init?.(logger);
    const made = new Map<string, Logger>();
    const extend = logger.extend.bind(logger);
    logger.extend = (name) => {
      const known = made.get(name) ?? extend(name);
      made.set(name, known);
      return known;
    };
  };
  try {
    return await import("agenda");
  } finally {
    if (init) debug.init = init;
    else delete debug.init;
  }
}
